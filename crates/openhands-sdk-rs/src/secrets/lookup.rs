//! Fetching the value of a secret that is kept elsewhere.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use futures_util::future::BoxFuture;
use openhands_protocol::Secret;
use openhands_protocol::secrets::LookupSecret;
use reqwest::{Client, StatusCode, Url, redirect};

/// How long a value may take to come.
const TIMEOUT: Duration = Duration::from_secs(30);
/// Far above any key or certificate; a larger answer is a page, not a secret.
const MAX_VALUE_BYTES: usize = 1 << 20;

/// Fetches values. Implemented over HTTP here, and by a server for the addresses that it serves itself.
pub trait Lookup: Send + Sync {
    /// The value, with the headers that the secret says. Bounded in time and size.
    fn fetch<'a>(&'a self, secret: &'a LookupSecret) -> BoxFuture<'a, Result<Secret, LookupError>>;
}

/// Why a value could not be fetched. The text shows neither the value nor a header.
#[derive(Debug, thiserror::Error)]
pub enum LookupError {
    /// The address is none.
    #[error("the address is not usable")]
    Address,
    /// The request failed.
    #[error("{0}")]
    Request(#[source] reqwest::Error),
    /// The server did not give the value.
    #[error("the server answered {0}")]
    Status(StatusCode),
    /// The answer is too long for a secret.
    #[error("the answer has more than {MAX_VALUE_BYTES} bytes")]
    TooLarge,
    /// Nobody is there to fetch it.
    #[error("values that are kept elsewhere cannot be fetched here")]
    Unavailable,
}

/// Fetches values by GET.
#[derive(Debug, Clone)]
pub struct HttpLookup {
    /// Made when the first value is fetched.
    client: Arc<OnceLock<Client>>,
    base: Option<Url>,
}

impl HttpLookup {
    /// Fetches over the network. An address without a host is one below `base`: that of the server itself.
    pub fn new(base: Option<&str>) -> Result<Self, LookupError> {
        let base = match base {
            // A base without the last slash would lose its last word when it is joined.
            Some(base) => Some(
                Url::parse(&format!("{}/", base.trim_end_matches('/')))
                    .map_err(|_| LookupError::Address)?,
            ),
            None => None,
        };
        Ok(Self {
            client: Arc::default(),
            base,
        })
    }

    fn client(&self) -> Result<&Client, LookupError> {
        if let Some(client) = self.client.get() {
            return Ok(client);
        }
        // A redirect would carry the headers to whom they were not meant for.
        let client = Client::builder()
            .redirect(redirect::Policy::none())
            .timeout(TIMEOUT)
            .build()
            .map_err(request_failed)?;
        Ok(self.client.get_or_init(|| client))
    }

    fn address(&self, url: &str) -> Result<Url, LookupError> {
        match (Url::parse(url), &self.base) {
            (Ok(url), _) => Ok(url),
            (Err(_), Some(base)) => base.join(url).map_err(|_| LookupError::Address),
            (Err(_), None) => Err(LookupError::Address),
        }
    }

    async fn get(&self, secret: &LookupSecret) -> Result<Secret, LookupError> {
        let mut request = self.client()?.get(self.address(&secret.url)?);
        for (name, value) in secret.headers.iter() {
            if let Some(value) = value.expose() {
                request = request.header(name, value);
            }
        }
        let mut response = request.send().await.map_err(request_failed)?;
        let status = response.status();
        if !status.is_success() {
            return Err(LookupError::Status(status));
        }
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(request_failed)? {
            body.extend_from_slice(&chunk);
            if body.len() > MAX_VALUE_BYTES {
                return Err(LookupError::TooLarge);
            }
        }
        Ok(Secret::new(String::from_utf8_lossy(&body)))
    }
}

/// Addresses may hold keys, too.
fn request_failed(error: reqwest::Error) -> LookupError {
    LookupError::Request(error.without_url())
}

impl Lookup for HttpLookup {
    fn fetch<'a>(&'a self, secret: &'a LookupSecret) -> BoxFuture<'a, Result<Secret, LookupError>> {
        Box::pin(self.get(secret))
    }
}

#[cfg(test)]
#[path = "lookup_tests.rs"]
mod tests;
