//! Secrets of conversations and of the server.

mod headers;
mod input;
mod source;
mod stored;

pub use headers::{HeaderValue, SECRET_WORDS, SecretHeaders, is_secret_name};
pub use input::SecretInput;
pub(crate) use input::secrets_to_add;
pub use source::{LookupSecret, SecretRegistry, SecretSource, StaticSecret};
pub use stored::{
    SecretCreateRequest, SecretDeletedResponse, SecretItemResponse, SecretPath,
    SecretsListResponse, SecretsQuery, StoredSecret, StoredSecrets,
};
