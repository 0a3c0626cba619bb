//! Secrets: where their values come from, who gets them, how they are hidden and sealed.
//!
//! ```text
//! Registry   the secrets of a conversation: names for the prompt, values for commands
//! Lookup     how a value is fetched that is kept elsewhere
//! Masker     hides values in texts, messages and observations; StreamMasker in a text that arrives in pieces
//! Cipher     seals values on disk
//! ```

mod cipher;
mod lookup;
mod mask;
mod registry;
mod resolved;
mod stream_mask;

pub use cipher::{Cipher, TOKEN_PREFIX};
pub use lookup::{HttpLookup, Lookup, LookupError};
pub use mask::{HIDDEN, Masker};
pub use registry::{Registry, SecretInfo};
pub use stream_mask::StreamMasker;
