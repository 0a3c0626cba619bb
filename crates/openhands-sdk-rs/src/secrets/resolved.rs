//! What is known about the value of one secret.

use std::collections::VecDeque;
use std::time::Duration;

use openhands_protocol::Secret;
use openhands_protocol::secrets::SecretSource;
use tokio::time::Instant;

/// How long a fetched value is used before it is fetched anew: tokens that are kept elsewhere change now and then.
const FRESH: Duration = Duration::from_mins(1);
/// How long is waited after a fetch that failed.
const RETRY_AFTER: Duration = Duration::from_mins(1);
/// How many earlier values of a secret stay hidden.
const EARLIER_VALUES: usize = 16;

/// One secret and what is known about its value.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) source: SecretSource,
    /// In lower case, to be found in commands.
    pub(super) folded_name: String,
    value: Option<Secret>,
    fetched: Option<Instant>,
    failed: Option<Instant>,
    /// Values that it had before, the latest last. They may still be in files and outputs.
    earlier: VecDeque<Secret>,
}

impl Entry {
    pub(super) fn new(name: &str, source: SecretSource) -> Self {
        let mut entry = Self {
            source: SecretSource::Static(openhands_protocol::secrets::StaticSecret::default()),
            folded_name: name.to_lowercase(),
            value: None,
            fetched: None,
            failed: None,
            earlier: VecDeque::new(),
        };
        entry.replace(source);
        entry
    }

    /// Takes another source for the same name.
    pub(super) fn replace(&mut self, source: SecretSource) {
        let value = match &source {
            SecretSource::Static(secret) => secret.value.clone().filter(says_something),
            SecretSource::Lookup(_) | SecretSource::Unknown(_) => None,
        };
        self.source = source;
        (self.fetched, self.failed) = (None, None);
        self.set(value);
    }

    /// What to hide.
    pub(super) fn values(&self) -> impl Iterator<Item = &str> {
        let all = self.earlier.iter().chain(&self.value);
        all.filter_map(Secret::expose)
    }

    /// The last known value.
    pub(super) fn value(&self) -> Option<&Secret> {
        self.value.as_ref()
    }

    /// Whether nothing is known about the value and it is time to ask.
    pub(super) fn is_unknown(&self) -> bool {
        self.value.is_none() && self.may_ask()
    }

    /// Whether it is time to ask because the value is unknown or old.
    pub(super) fn is_due(&self) -> bool {
        let fresh = self.fetched.is_some_and(|at| at.elapsed() < FRESH);
        !fresh && self.may_ask()
    }

    fn may_ask(&self) -> bool {
        matches!(self.source, SecretSource::Lookup(_))
            && self.failed.is_none_or(|at| at.elapsed() >= RETRY_AFTER)
    }

    /// Takes what a fetch gave. Tells whether something new is to be hidden.
    pub(super) fn learn(&mut self, value: Option<Secret>) -> bool {
        let Some(value) = value.filter(says_something) else {
            self.failed = Some(Instant::now());
            return false;
        };
        (self.fetched, self.failed) = (Some(Instant::now()), None);
        let new = self.value.as_ref() != Some(&value);
        if new {
            self.set(Some(value));
        }
        new
    }

    fn set(&mut self, value: Option<Secret>) {
        if let Some(old) = std::mem::replace(&mut self.value, value) {
            self.earlier.push_back(old);
            if self.earlier.len() > EARLIER_VALUES {
                self.earlier.pop_front();
            }
        }
    }
}

fn says_something(secret: &Secret) -> bool {
    secret.expose().is_some_and(|text| !text.is_empty())
}
