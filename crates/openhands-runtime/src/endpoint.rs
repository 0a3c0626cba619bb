//! Where the server of a sandbox is.

use futures_util::future::BoxFuture;
use openhands_protocol::Secret;

use crate::runtime::RuntimeError;

/// The address of an inner server, and the key that it asks for.
#[derive(Debug, Clone)]
pub struct Endpoint {
    /// Its address, as in `http://127.0.0.1:41234`.
    pub url: String,
    /// Its session key.
    pub key: Secret,
}

/// Where an inner server is now.
///
/// It is asked at each connection, so that a sandbox that was replaced or moved to another port is found again. An
/// implementer may take its time to start one. An error is final for the call that needs it: whatever may pass by itself
/// is waited for here.
pub trait Endpoints: Send + Sync {
    /// Where the server is at this moment.
    fn endpoint(&self) -> BoxFuture<'_, Result<Endpoint, RuntimeError>>;
}

/// A server that stays where it is.
impl Endpoints for Endpoint {
    fn endpoint(&self) -> BoxFuture<'_, Result<Endpoint, RuntimeError>> {
        Box::pin(async { Ok(self.clone()) })
    }
}
