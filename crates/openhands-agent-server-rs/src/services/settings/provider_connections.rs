//! `provider_connections.json`: credentials that several saved models share.

use std::collections::HashMap;
use std::path::Path;

use openhands_protocol::llm::{StoredProviderConnection, StoredProviderConnections};
use openhands_protocol::{Nulls, Reading};
use serde_json::{Map, Value};

use crate::services::settings::error::StoreError;
use crate::services::settings::locked::{Held, LockedDirectory};
use crate::services::settings::sealing::{Sealing, is_set};

const DIRECTORY: &str = "provider-connections";
const FILE: &str = "provider_connections.json";
const LOCK: &str = ".provider-connections.lock";
const VERSION: i64 = 1;
const MAX_CONNECTIONS: usize = 64;

/// The connections of this server. All methods block.
#[derive(Debug)]
pub(crate) struct ProviderConnections {
    directory: LockedDirectory,
    sealing: Sealing,
}

impl ProviderConnections {
    /// Connections below a directory.
    pub(crate) fn new(root: &Path, sealing: Sealing) -> Self {
        Self {
            directory: LockedDirectory::new(root.join(DIRECTORY), LOCK, "Profile store"),
            sealing,
        }
    }

    /// All connections.
    pub(crate) fn list(&self) -> Result<Vec<StoredProviderConnection>, StoreError> {
        let held = self.directory.lock()?;
        Ok(read(&held, &self.sealing)?.connections)
    }

    /// A connection.
    pub(crate) fn get(&self, id: &str) -> Result<Option<StoredProviderConnection>, StoreError> {
        Ok(self
            .list()?
            .into_iter()
            .find(|connection| connection.id == id))
    }

    /// The ids of all connections, and whether each has a key. Nothing is opened for that.
    pub(crate) fn keys(&self) -> Result<HashMap<String, bool>, StoreError> {
        let held = self.directory.lock()?;
        let sealed = Sealing::default();
        let connections = read(&held, &sealed)?.connections.into_iter();
        let keys =
            connections.map(|connection| (connection.id, is_set(connection.api_key.as_ref())));
        Ok(keys.collect())
    }

    /// Adds a connection.
    pub(crate) fn add(&self, connection: StoredProviderConnection) -> Result<(), StoreError> {
        self.update(|connections| {
            if connections.len() >= MAX_CONNECTIONS {
                return Err(StoreError::Conflict(format!(
                    "Provider connection limit reached ({MAX_CONNECTIONS}). Delete one before adding another."
                )));
            }
            connections.push(connection);
            Ok(())
        })
    }

    /// Changes a connection, and gives what it is then.
    pub(crate) fn change(
        &self,
        id: &str,
        change: impl FnOnce(&mut StoredProviderConnection),
    ) -> Result<StoredProviderConnection, StoreError> {
        self.update(|connections| {
            let connection = connections
                .iter_mut()
                .find(|connection| connection.id == id)
                .ok_or_else(|| not_found(id))?;
            change(connection);
            Ok(connection.clone())
        })
    }

    /// Removes a connection, and gives what it was.
    pub(crate) fn delete(&self, id: &str) -> Result<StoredProviderConnection, StoreError> {
        self.update(|connections| {
            let place = connections
                .iter()
                .position(|connection| connection.id == id)
                .ok_or_else(|| not_found(id))?;
            Ok(connections.remove(place))
        })
    }

    fn update<R>(
        &self,
        change: impl FnOnce(&mut Vec<StoredProviderConnection>) -> Result<R, StoreError>,
    ) -> Result<R, StoreError> {
        let held = self.directory.lock()?;
        let mut file = read(&held, &self.sealing)?;
        let result = change(&mut file.connections)?;
        let value = self
            .sealing
            .to_file(Nulls::Keep, &file)
            .map_err(std::io::Error::other)?;
        held.write(FILE, &value)?;
        Ok(result)
    }
}

/// The file. One that cannot be used whole is an error also for who only reads: what is missing would be taken
/// for what was deleted.
fn read(held: &Held<'_>, sealing: &Sealing) -> Result<StoredProviderConnections, StoreError> {
    let Some(text) = held.read(FILE)? else {
        return Ok(StoredProviderConnections::default());
    };
    let unreadable = |problem: String| {
        StoreError::Unreadable(format!(
            "Provider connections file is unreadable: {problem}"
        ))
    };
    let file: Map<String, Value> =
        serde_json::from_slice(&text).map_err(|error| unreadable(error.to_string()))?;
    match file.get("schema_version").map(Value::as_i64) {
        None => {}
        Some(Some(version)) if version <= VERSION => {}
        Some(_) => return Err(unreadable("its schema_version is not known".to_owned())),
    }
    let opening = sealing.opening(Reading::lenient());
    let connections = opening.reading.from_value(Value::Object(file));
    let connections = connections.map_err(|error| unreadable(error.to_string()))?;
    if opening.lost_any() {
        return Err(unreadable(
            "a key in it is encrypted with another key than OH_SECRET_KEY".to_owned(),
        ));
    }
    Ok(connections)
}

/// There is no such connection.
pub(crate) fn not_found(id: &str) -> StoreError {
    StoreError::NotFound(format!("Provider connection '{id}' not found"))
}
