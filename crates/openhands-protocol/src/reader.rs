//! How JSON is read: leniently from disk and peers, strictly at an API edge; secrets opened on the way.
//!
//! Reading is lenient unless [`strictly`] or a [`Reading`] says otherwise: a union body that does not
//! fit any known kind is kept raw. The choice holds for one synchronous read, nested values included.

use std::cell::RefCell;
use std::fmt;
use std::sync::Arc;

use serde::de::DeserializeOwned;

/// Opens one sealed secret; `None` when it cannot be opened.
pub type Opener = Arc<dyn Fn(&str) -> Option<String> + Send + Sync>;

/// What a read does with misfits and with sealed secrets.
#[derive(Clone, Default)]
pub struct Reading {
    strict: bool,
    known_members_only: bool,
    opener: Option<Opener>,
}

thread_local! {
    static ACTIVE: RefCell<Reading> = const {
        RefCell::new(Reading { strict: false, known_members_only: false, opener: None })
    };
}

/// Restores the previous way of reading when a scope ends, also by unwinding.
struct Restore(Option<Reading>);

impl Drop for Restore {
    fn drop(&mut self) {
        if let Some(previous) = self.0.take() {
            ACTIVE.with(|active| active.replace(previous));
        }
    }
}

impl Reading {
    /// Keeps unknown and malformed union bodies raw.
    pub fn lenient() -> Self {
        Self::default()
    }

    /// Refuses union bodies of unknown kind or wrong shape.
    pub fn strict() -> Self {
        Self {
            strict: true,
            ..Self::default()
        }
    }

    /// Refuses members that a type does not know, instead of keeping them.
    #[must_use]
    pub fn known_members_only(mut self) -> Self {
        self.known_members_only = true;
        self
    }

    /// Opens each secret on the way in; one that cannot be opened reads as lost.
    #[must_use]
    pub fn opening(mut self, opener: Opener) -> Self {
        self.opener = Some(opener);
        self
    }

    /// Runs `read` with this way of reading in force on this thread.
    pub fn scope<R>(&self, read: impl FnOnce() -> R) -> R {
        let previous = ACTIVE.with(|active| active.replace(self.clone()));
        let _restore = Restore(Some(previous));
        read()
    }

    /// Reads a value from JSON text.
    pub fn from_slice<T: DeserializeOwned>(&self, json: &[u8]) -> Result<T, serde_json::Error> {
        self.scope(|| serde_json::from_slice(json))
    }

    /// Reads a value from a JSON tree.
    pub fn from_value<T: DeserializeOwned>(
        &self,
        json: serde_json::Value,
    ) -> Result<T, serde_json::Error> {
        self.scope(|| serde_json::from_value(json))
    }
}

impl fmt::Debug for Reading {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reading")
            .field("strict", &self.strict)
            .field("known_members_only", &self.known_members_only)
            .field("opens_secrets", &self.opener.is_some())
            .finish()
    }
}

/// Runs `read` so that unions refuse unknown kinds and malformed bodies instead of keeping them raw.
pub fn strictly<R>(read: impl FnOnce() -> R) -> R {
    let mut reading = ACTIVE.with(|active| active.borrow().clone());
    reading.strict = true;
    reading.scope(read)
}

/// Whether a strict read is in force on this thread.
pub(crate) fn is_strict() -> bool {
    ACTIVE.with(|active| active.borrow().strict)
}

/// Refuses an unknown member if the read in force on this thread does.
pub(crate) fn check_member<E: serde::de::Error>(
    name: &str,
    known: &'static [&'static str],
) -> Result<(), E> {
    if ACTIVE.with(|active| active.borrow().known_members_only) {
        Err(E::unknown_field(name, known))
    } else {
        Ok(())
    }
}

/// The opener of the read in force on this thread.
pub(crate) fn opener() -> Option<Opener> {
    ACTIVE.with(|active| active.borrow().opener.clone())
}
