//! `secrets.json`: values that conversations may use, by name.

use std::path::Path;

use indexmap::IndexMap;
use openhands_protocol::secrets::{StoredSecret, StoredSecrets};
use openhands_protocol::{Nulls, Reading, Secret};
use serde_json::{Map, Value};
use uuid::Uuid;

use crate::services::settings::error::StoreError;
use crate::services::settings::locked::{LockedDirectory, read_if_there};
use crate::services::settings::sealing::Sealing;

const FILE: &str = "secrets.json";
const LOCK: &str = ".secrets.lock";
const TITLE: &str = "Secrets";

/// The secrets of this server. All methods block.
#[derive(Debug)]
pub(crate) struct SecretsStore {
    directory: LockedDirectory,
    sealing: Sealing,
}

impl SecretsStore {
    /// Secrets in a directory.
    pub(crate) fn new(directory: &Path, sealing: Sealing) -> Self {
        Self {
            directory: LockedDirectory::new(directory.to_owned(), LOCK, "Secrets store"),
            sealing,
        }
    }

    /// Names and descriptions, in the order in which they were added.
    pub(crate) fn list(&self) -> Result<Vec<(String, Option<String>)>, StoreError> {
        let secrets = self.load()?.custom_secrets.into_iter();
        Ok(secrets
            .map(|(name, secret)| (name, secret.description))
            .collect())
    }

    /// A value.
    pub(crate) fn value(&self, name: &str) -> Result<Option<Secret>, StoreError> {
        let secret = self.load()?.custom_secrets.swap_remove(name);
        let value = secret.and_then(|secret| secret.secret);
        Ok(value.filter(|value| value.expose().is_some()))
    }

    /// Adds a secret or replaces it, with its description.
    pub(crate) fn put(
        &self,
        name: &str,
        value: Secret,
        description: Option<String>,
    ) -> Result<(), StoreError> {
        self.update(|secrets| {
            let secret = StoredSecret {
                name: name.to_owned(),
                secret: Some(value),
                description,
                ..StoredSecret::default()
            };
            secrets.custom_secrets.insert(name.to_owned(), secret);
            // Who holds the version of before must see that it is gone.
            if let Some(version) = versions(secrets).get_mut(name) {
                *version = fresh_version();
            }
            true
        })?;
        Ok(())
    }

    /// Removes a secret. Tells whether it was there.
    pub(crate) fn delete(&self, name: &str) -> Result<bool, StoreError> {
        self.update(|secrets| {
            versions(secrets).shift_remove(name);
            secrets.custom_secrets.shift_remove(name).is_some()
        })
    }

    /// Seals with the current key what an earlier one sealed. Tells whether there was any.
    pub(crate) fn reseal(&self) -> Result<bool, StoreError> {
        let held = self.directory.lock()?;
        let Some(text) = held.read(FILE)? else {
            return Ok(false);
        };
        let is_stale = serde_json::from_slice(&text).is_ok_and(|file| self.sealing.is_stale(&file));
        match self.parse(&text) {
            Ok((secrets, false)) if is_stale => {
                held.write(FILE, &self.to_file(&secrets)?)?;
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    /// The secrets. A file that cannot be used holds none; only the disk itself can fail.
    fn load(&self) -> Result<StoredSecrets, StoreError> {
        let Some(text) = read_if_there(&self.directory.path().join(FILE))? else {
            return Ok(StoredSecrets::default());
        };
        Ok(self.parse(&text).map_or_else(
            |problem| {
                tracing::error!(problem, "the file of secrets cannot be used");
                StoredSecrets::default()
            },
            |(secrets, _)| secrets,
        ))
    }

    /// Changes the secrets under the lock, if there is a change to write.
    fn update(&self, change: impl FnOnce(&mut StoredSecrets) -> bool) -> Result<bool, StoreError> {
        let held = self.directory.lock()?;
        let mut secrets = match held.read(FILE)? {
            None => StoredSecrets::default(),
            Some(text) => match self.parse(&text) {
                Ok((secrets, false)) => secrets,
                Ok((_, true)) | Err(_) => return Err(StoreError::Corrupt(TITLE)),
            },
        };
        let is_changed = change(&mut secrets);
        if is_changed {
            held.write(FILE, &self.to_file(&secrets)?)?;
        }
        Ok(is_changed)
    }

    fn to_file(&self, secrets: &StoredSecrets) -> Result<Value, StoreError> {
        let mut secrets = secrets.clone();
        if secrets
            .credential_versions
            .as_ref()
            .is_some_and(IndexMap::is_empty)
        {
            secrets.credential_versions = None;
        }
        let file = self.sealing.to_file(Nulls::Keep, &secrets);
        file.map_err(|error| std::io::Error::other(error).into())
    }

    /// The secrets in a text, and whether one of them could not be opened. The error is for the log.
    fn parse(&self, text: &[u8]) -> Result<(StoredSecrets, bool), String> {
        let mut file: Map<String, Value> =
            serde_json::from_slice(text).map_err(|error| error.to_string())?;
        if let Some(Value::Object(secrets)) = file.get_mut("custom_secrets") {
            for (name, secret) in secrets {
                // Hand-written files may have bare values; the name is that of the member in any case.
                if let Value::String(value) = secret {
                    *secret = serde_json::json!({"secret": std::mem::take(value)});
                }
                if let Value::Object(secret) = secret {
                    secret.insert("name".to_owned(), name.clone().into());
                }
            }
        }
        let opening = self.sealing.opening(Reading::lenient());
        let secrets = opening.reading.from_value(Value::Object(file));
        let secrets: StoredSecrets = secrets.map_err(|error| error.to_string())?;
        Ok((secrets, opening.lost_any()))
    }
}

fn versions(secrets: &mut StoredSecrets) -> &mut IndexMap<String, String> {
    secrets.credential_versions.get_or_insert_default()
}

fn fresh_version() -> String {
    Uuid::new_v4().simple().to_string()
}

#[cfg(test)]
#[path = "secrets_store_tests.rs"]
mod tests;
