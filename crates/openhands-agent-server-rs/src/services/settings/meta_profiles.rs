//! `meta-profiles/`: rules for choosing a saved model by the task. They are only read here.

use std::path::{Path, PathBuf};

use openhands_protocol::agent::MetaProfile;

use crate::services::settings::error::StoreError;
use crate::services::settings::llm_profiles::syntax;
use crate::services::settings::locked::read_if_there;
use crate::services::settings::names::{ProfileName, is_profile_name};

const DIRECTORY: &str = "meta-profiles";

/// The rules of this server. All methods block. Files are replaced whole, so that readers need no lock.
#[derive(Debug)]
pub(crate) struct MetaProfiles(PathBuf);

impl MetaProfiles {
    /// Rules below a directory.
    pub(crate) fn new(root: &Path) -> Self {
        Self(root.join(DIRECTORY))
    }

    /// The names of all rules, sorted.
    pub(crate) fn names(&self) -> Result<Vec<String>, StoreError> {
        let entries = match std::fs::read_dir(&self.0) {
            Ok(entries) => entries,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(error.into()),
        };
        let mut names = Vec::new();
        for entry in entries {
            let file = entry?.file_name();
            let name = file.to_str().and_then(|file| file.strip_suffix(".json"));
            names.extend(name.filter(|name| is_profile_name(name)).map(str::to_owned));
        }
        names.sort();
        Ok(names)
    }

    /// The rules of this name; none if there are none.
    pub(crate) fn load(&self, name: &str) -> Result<Option<MetaProfile>, StoreError> {
        let key = ProfileName::parse(name)?;
        let Some(text) = read_if_there(&self.0.join(key.file()))? else {
            return Ok(None);
        };
        serde_json::from_slice(&text).map(Some).map_err(|error| {
            StoreError::Unreadable(format!(
                "Failed to load meta-profile `{name}`: {}",
                syntax(error)
            ))
        })
    }
}
