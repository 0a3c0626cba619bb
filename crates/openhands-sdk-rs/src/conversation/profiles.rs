//! Models that the user saved by name, and going on with one of them.

use std::fmt;

use futures_util::future::BoxFuture;
use indexmap::IndexMap;
use openhands_protocol::agent::MetaProfile;
use openhands_protocol::llm::Llm;

use crate::conversation::{Conversation, ConversationError};

/// Models that the user saved by name, and rules for choosing among them.
///
/// Implementers read what is saved at the time of the call: names come and go while conversations live.
pub trait Profiles: Send + Sync {
    /// The names of the saved models, sorted.
    fn names(&self) -> BoxFuture<'_, Vec<String>>;

    /// The saved model of this name.
    fn load<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Result<Llm, ProfileError>>;

    /// The names of the saved rules, sorted.
    fn rule_names(&self) -> BoxFuture<'_, Vec<String>>;

    /// The saved rules of this name.
    fn load_rules<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Result<MetaProfile, ProfileError>>;
}

/// A saved model or saved rules cannot be had.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProfileError {
    /// Nothing is saved under this name.
    #[error("Profile '{0}' not found.")]
    NotFound(String),
    /// What is saved cannot be read.
    #[error("{0}")]
    Invalid(String),
}

/// Profiles that a program holds itself.
#[derive(Debug, Clone, Default)]
pub struct HeldProfiles {
    /// Models by name.
    pub models: IndexMap<String, Llm>,
    /// Rules by name.
    pub rules: IndexMap<String, MetaProfile>,
}

fn sorted<T>(held: &IndexMap<String, T>) -> Vec<String> {
    let mut names: Vec<String> = held.keys().cloned().collect();
    names.sort();
    names
}

fn named<T: Clone>(held: &IndexMap<String, T>, name: &str) -> Result<T, ProfileError> {
    held.get(name)
        .cloned()
        .ok_or_else(|| ProfileError::NotFound(name.to_owned()))
}

impl Profiles for HeldProfiles {
    fn names(&self) -> BoxFuture<'_, Vec<String>> {
        Box::pin(async { sorted(&self.models) })
    }

    fn load<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Result<Llm, ProfileError>> {
        Box::pin(async { named(&self.models, name) })
    }

    fn rule_names(&self) -> BoxFuture<'_, Vec<String>> {
        Box::pin(async { sorted(&self.rules) })
    }

    fn load_rules<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Result<MetaProfile, ProfileError>> {
        Box::pin(async { named(&self.rules, name) })
    }
}

impl fmt::Debug for dyn Profiles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Profiles")
    }
}

impl Conversation {
    /// Goes on with a saved model, from the agent's next step on. What it uses is booked under `profile:<name>`.
    pub async fn switch_profile(&self, name: &str) -> Result<(), ConversationError> {
        let profiles = self.inner.host.profiles.clone();
        let profiles = profiles.ok_or_else(|| ProfileError::NotFound(name.to_owned()))?;
        let llm = Llm {
            usage_id: format!("profile:{name}"),
            ..profiles.load(name).await?
        };
        self.switch_llm(llm).await
    }
}
