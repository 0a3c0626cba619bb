//! How JSON is written: with or without nulls, and what becomes of secrets, chosen per channel.
//!
//! | channel | nulls | secrets | names |
//! |---|---|---|---|
//! | REST answers | kept | null | public |
//! | webhooks | kept | stars | internal |
//! | sockets, event search | omitted | stars | internal |
//! | `base_state.json`, event files | omitted | sealed (stars without a key) | internal |
//! | `meta.json` | kept | sealed (stars without a key) | internal |
//! | requests to a peer | kept | plain | public |

mod omit_nulls;
mod probe;

use std::cell::{Cell, RefCell};
use std::fmt;
use std::sync::Arc;

use serde::Serialize;
use serde_json::Value;

use omit_nulls::OmitNulls;

/// Seals one secret text for storage.
pub type Sealer = Arc<dyn Fn(&str) -> String + Send + Sync>;

/// Whether absent optional fields are written as null or left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Nulls {
    /// Written as `null`.
    Keep,
    /// Left out. Nulls inside free-form JSON stay.
    Omit,
}

/// What becomes of secrets.
#[derive(Clone)]
pub enum Secrets {
    /// Written as `null`.
    Null,
    /// Written as `**********`.
    Stars,
    /// Written in clear: only for a peer that must use them.
    Plain,
    /// Written as a sealed token.
    Sealed(Sealer),
}

impl fmt::Debug for Secrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Null => "Null",
            Self::Stars => "Stars",
            Self::Plain => "Plain",
            Self::Sealed(_) => "Sealed",
        })
    }
}

/// Which name a member has that has two, such as `async` and `async_`. Both are read everywhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Names {
    /// The name of the REST API.
    Public,
    /// The name inside the reference's own state.
    Internal,
}

/// One of the JSON forms of the same value.
#[derive(Debug, Clone)]
pub struct Form {
    /// What becomes of absent optional fields.
    pub nulls: Nulls,
    /// What becomes of secrets.
    pub secrets: Secrets,
    /// Which name is used where there are two.
    pub names: Names,
}

thread_local! {
    static SECRETS: RefCell<Secrets> = const { RefCell::new(Secrets::Stars) };
    static NAMES: Cell<Names> = const { Cell::new(Names::Public) };
}

/// Restores the previous choices when a write ends, also by unwinding.
struct Restore(Option<Secrets>, Names);

impl Drop for Restore {
    fn drop(&mut self) {
        if let Some(previous) = self.0.take() {
            SECRETS.with(|secrets| secrets.replace(previous));
        }
        NAMES.set(self.1);
    }
}

/// The treatment of secrets that the write on this thread asks for.
pub(crate) fn secrets_in_force() -> Secrets {
    SECRETS.with(|secrets| secrets.borrow().clone())
}

/// Whether the write on this thread nulls secrets.
pub(crate) fn nulls_secrets() -> bool {
    SECRETS.with(|secrets| matches!(*secrets.borrow(), Secrets::Null))
}

/// The name of a member that has two, as the write on this thread wants it.
pub(crate) fn choose_name(public: &'static str, internal: &'static str) -> &'static str {
    match NAMES.get() {
        Names::Public => public,
        Names::Internal => internal,
    }
}

impl Form {
    /// Answers of the REST API to single reads and commands.
    pub const REST: Self = Self::new(Nulls::Keep, Secrets::Null, Names::Public);
    /// Bodies sent to webhooks.
    pub const WEBHOOK: Self = Self::new(Nulls::Keep, Secrets::Stars, Names::Internal);
    /// Frames of the event sockets.
    pub const SOCKET: Self = Self::new(Nulls::Omit, Secrets::Stars, Names::Internal);
    /// Pages of the event search.
    pub const SEARCH: Self = Self::new(Nulls::Omit, Secrets::Stars, Names::Internal);
    /// Event files and `base_state.json` on a server without a secret key.
    pub const DISK_UNSEALED: Self = Self::new(Nulls::Omit, Secrets::Stars, Names::Internal);
    /// `meta.json` on a server without a secret key.
    pub const META_UNSEALED: Self = Self::new(Nulls::Keep, Secrets::Stars, Names::Internal);
    /// Requests to a peer that must use the secrets in them.
    pub const PEER: Self = Self::new(Nulls::Keep, Secrets::Plain, Names::Public);

    /// A form with all choices given.
    pub const fn new(nulls: Nulls, secrets: Secrets, names: Names) -> Self {
        Self {
            nulls,
            secrets,
            names,
        }
    }

    /// Event files and `base_state.json`.
    pub fn disk(sealer: Sealer) -> Self {
        Self::new(Nulls::Omit, Secrets::Sealed(sealer), Names::Internal)
    }

    /// `meta.json`.
    pub fn meta(sealer: Sealer) -> Self {
        Self::new(Nulls::Keep, Secrets::Sealed(sealer), Names::Internal)
    }

    /// Writes a value as compact JSON text.
    pub fn to_vec<T: Serialize + ?Sized>(&self, value: &T) -> Result<Vec<u8>, serde_json::Error> {
        let mut out = Vec::with_capacity(256);
        self.write(&mut out, value)?;
        Ok(out)
    }

    /// Writes a value as compact JSON text.
    pub fn to_string<T: Serialize + ?Sized>(&self, value: &T) -> Result<String, serde_json::Error> {
        String::from_utf8(self.to_vec(value)?).map_err(serde::ser::Error::custom)
    }

    /// Writes a value as a JSON tree.
    pub fn to_value<T: Serialize + ?Sized>(&self, value: &T) -> Result<Value, serde_json::Error> {
        self.scope(|| match self.nulls {
            Nulls::Keep => value.serialize(serde_json::value::Serializer),
            Nulls::Omit => value.serialize(OmitNulls(serde_json::value::Serializer)),
        })
    }

    /// Appends a value as compact JSON text.
    pub fn write<T: Serialize + ?Sized>(
        &self,
        out: &mut Vec<u8>,
        value: &T,
    ) -> Result<(), serde_json::Error> {
        let mut json = serde_json::Serializer::new(out);
        self.scope(|| match self.nulls {
            Nulls::Keep => value.serialize(&mut json),
            Nulls::Omit => value.serialize(OmitNulls(&mut json)),
        })
    }

    fn scope<R>(&self, write: impl FnOnce() -> R) -> R {
        let previous = SECRETS.with(|secrets| secrets.replace(self.secrets.clone()));
        let _restore = Restore(Some(previous), NAMES.replace(self.names));
        write()
    }
}

#[cfg(test)]
#[path = "writer_tests.rs"]
mod tests;
