//! How JSON is read: leniently from disk and peers, strictly at an API edge; secrets opened on the way.
//!
//! Reading is lenient unless [`strictly`] or a [`Reading`] says otherwise: a union body that does not
//! fit any known kind is kept raw. The choice holds for one synchronous read, nested values included.

use std::cell::{Cell, RefCell};
use std::fmt;
use std::sync::Arc;

use serde::de::DeserializeOwned;

use crate::tree;

/// Opens one sealed secret; `None` when it cannot be opened.
pub type Opener = Arc<dyn Fn(&str) -> Option<String> + Send + Sync>;

/// What a read does with misfits and with sealed secrets.
#[derive(Clone, Default)]
pub struct Reading {
    strict: bool,
    known_members_only: bool,
    coercing: bool,
    opener: Option<Opener>,
}

thread_local! {
    static ACTIVE: RefCell<Reading> = const {
        RefCell::new(Reading { strict: false, known_members_only: false, coercing: false, opener: None })
    };
}

thread_local! {
    /// Whether unions use up what they read, so that nothing is copied, and refuse misfits.
    static BY_VALUE: Cell<bool> = const { Cell::new(false) };
}

/// Restores the previous value of [`BY_VALUE`], also when unwinding.
struct RestoreByValue(bool);

impl Drop for RestoreByValue {
    fn drop(&mut self) {
        BY_VALUE.set(self.0);
    }
}

/// Reads JSON text without copying what unions hold. Only if that fails, reads again with care, so that
/// a misfit deep inside is kept raw at its own place.
pub(crate) fn read_text<T: DeserializeOwned>(json: &[u8]) -> Result<T, serde_json::Error> {
    let quick = {
        let _restore = RestoreByValue(BY_VALUE.replace(true));
        serde_json::from_slice(json)
    };
    match quick {
        Err(_) if !is_strict() && !reads_by_value() => serde_json::from_slice(json),
        done => done,
    }
}

/// Whether unions use up what they read.
pub(crate) fn reads_by_value() -> bool {
    BY_VALUE.get()
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

    /// Takes numbers and booleans that are given as text, as the reference's API does.
    #[must_use]
    pub fn coercing(mut self) -> Self {
        self.coercing = true;
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
        if self.coercing {
            return self.from_value(serde_json::from_slice(json)?);
        }
        self.scope(|| read_text(json))
    }

    /// Reads a value from a JSON tree.
    pub fn from_value<T: DeserializeOwned>(
        &self,
        json: serde_json::Value,
    ) -> Result<T, serde_json::Error> {
        self.scope(|| tree::from_value(json))
    }
}

impl fmt::Debug for Reading {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reading")
            .field("strict", &self.strict)
            .field("known_members_only", &self.known_members_only)
            .field("coercing", &self.coercing)
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

/// Whether a body that does not fit its kind is an error in the read in force on this thread.
pub(crate) fn refuses_misfits() -> bool {
    is_strict() || reads_by_value()
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

/// Whether the read in force on this thread takes numbers and booleans as text.
pub(crate) fn is_coercing() -> bool {
    ACTIVE.with(|active| active.borrow().coercing)
}

/// The opener of the read in force on this thread.
pub(crate) fn opener() -> Option<Opener> {
    ACTIVE.with(|active| active.borrow().opener.clone())
}
