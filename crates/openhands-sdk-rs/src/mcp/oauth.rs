//! The tokens of a server that asks for OAuth: stored ones are used and refreshed.
//!
//! Nobody is asked for anything here: without a usable token the server says that it must be authorized again.

use std::fmt::{self, Write as _};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use openhands_protocol::StarredSecret;
use openhands_protocol::mcp::{McpOauthAuth, McpOauthState};
use parking_lot::Mutex;
use reqwest::Url;
use serde::Deserialize;
use serde_json::Value;
use tokio::sync::{Semaphore, SemaphorePermit};

use super::auth;
use super::config::Remote;
use super::oauth_discovery::{self, TokenEndpoint};

/// For each request to the server that gives tokens.
const REQUEST_LIMIT: Duration = Duration::from_secs(10);

/// Called with a server's name and its new state whenever its tokens were refreshed, so that they can be stored.
pub type SaveTokens = Arc<dyn Fn(&str, &McpOauthState) + Send + Sync>;

/// There is no usable token.
#[derive(Debug, thiserror::Error)]
pub(super) enum OauthError {
    #[error(
        "the MCP server {url} must be authorized again: its tokens are missing, or have expired and cannot be refreshed"
    )]
    Unauthorized { url: Url },
    #[error("the token of the MCP server {url} was not refreshed: {reason}")]
    Refused { url: Url, reason: String },
    #[error("the token of the MCP server {url} was not refreshed")]
    Request {
        url: Url,
        #[source]
        source: reqwest::Error,
    },
}

/// The tokens of one server.
pub(super) struct Tokens {
    client: reqwest::Client,
    server: String,
    url: Url,
    auth: McpOauthAuth,
    state: Mutex<State>,
    /// One refresh at a time; the others wait for it and use what it brought.
    turn: Semaphore,
    save: Option<SaveTokens>,
}

#[derive(Debug)]
struct State {
    stored: McpOauthState,
    endpoint: Option<TokenEndpoint>,
}

impl fmt::Debug for Tokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tokens")
            .field("server", &self.server)
            .finish_non_exhaustive()
    }
}

/// What a server of tokens answers.
#[derive(Deserialize)]
struct Granted {
    access_token: String,
    refresh_token: Option<String>,
    expires_in: Option<f64>,
    scope: Option<String>,
    token_type: Option<String>,
}

impl Tokens {
    pub(super) fn new(
        client: reqwest::Client,
        remote: &Remote,
        auth: &McpOauthAuth,
        server: &str,
        save: Option<&SaveTokens>,
    ) -> Self {
        Self {
            client,
            server: server.to_owned(),
            url: remote.url.clone(),
            state: Mutex::new(State {
                stored: auth.state.clone().unwrap_or_default(),
                endpoint: None,
            }),
            auth: auth.clone(),
            turn: Semaphore::new(1),
            save: save.cloned(),
        }
    }

    /// A token that has not expired.
    pub(super) async fn current(&self) -> Result<String, OauthError> {
        if let Some(token) = self.valid() {
            return Ok(token);
        }
        let _turn = self.turn().await;
        match self.valid() {
            Some(token) => Ok(token),
            None => self.refresh().await,
        }
    }

    /// Another token than the one that the server refused.
    pub(super) async fn replace(&self, refused: &str) -> Result<String, OauthError> {
        let _turn = self.turn().await;
        match self.valid() {
            Some(token) if token != refused => Ok(token),
            Some(_) | None => self.refresh().await,
        }
    }

    async fn turn(&self) -> Option<SemaphorePermit<'_>> {
        // It is never closed.
        self.turn.acquire().await.ok()
    }

    fn valid(&self) -> Option<String> {
        let state = self.state.lock();
        let expired = state
            .stored
            .token_expires_at
            .is_some_and(|expires_at| expires_at <= seconds_now());
        let token = state.stored.tokens.as_ref()?.access_token.as_ref()?;
        token.expose().filter(|_| !expired).map(str::to_owned)
    }

    /// The caller has the turn.
    async fn refresh(&self) -> Result<String, OauthError> {
        let refresh_token = {
            let state = self.state.lock();
            let tokens = state.stored.tokens.as_ref();
            tokens
                .and_then(|tokens| tokens.refresh_token.as_ref())
                .and_then(|token| token.expose())
                .map(str::to_owned)
        };
        let unauthorized = || OauthError::Unauthorized {
            url: self.url.clone(),
        };
        let refresh_token = refresh_token.ok_or_else(unauthorized)?;
        let client_id = self.client_id().ok_or_else(unauthorized)?;
        let endpoint = self.endpoint().await;
        let response = self
            .request(&endpoint, &refresh_token, &client_id)
            .timeout(REQUEST_LIMIT)
            .send()
            .await
            .map_err(|source| self.failed(source))?;
        let status = response.status();
        let body = response
            .bytes()
            .await
            .map_err(|source| self.failed(source))?;
        if !status.is_success() {
            return Err(self.refused(status, &body));
        }
        let granted: Granted = serde_json::from_slice(&body).map_err(|_| OauthError::Refused {
            url: self.url.clone(),
            reason: "the answer holds no token".to_owned(),
        })?;
        Ok(self.accept(granted))
    }

    fn failed(&self, source: reqwest::Error) -> OauthError {
        OauthError::Request {
            url: self.url.clone(),
            // The address of a request may hold secrets.
            source: source.without_url(),
        }
    }

    fn refused(&self, status: reqwest::StatusCode, body: &[u8]) -> OauthError {
        // Only the code of the standard: the rest of an answer may repeat what was sent.
        let code = serde_json::from_slice::<Value>(body)
            .ok()
            .and_then(|body| body.get("error")?.as_str().map(str::to_owned));
        OauthError::Refused {
            url: self.url.clone(),
            reason: match code {
                Some(code) => format!("{status}: {code}"),
                None => status.to_string(),
            },
        }
    }

    /// Where tokens come from; asked for once.
    async fn endpoint(&self) -> TokenEndpoint {
        let known = self.state.lock().endpoint.clone();
        if let Some(endpoint) = known {
            return endpoint;
        }
        let endpoint = oauth_discovery::discover(&self.client, &self.url, REQUEST_LIMIT).await;
        self.state.lock().endpoint = Some(endpoint.clone());
        endpoint
    }

    fn request(
        &self,
        endpoint: &TokenEndpoint,
        refresh_token: &str,
        client_id: &str,
    ) -> reqwest::RequestBuilder {
        let mut form = vec![
            ("grant_type", "refresh_token".to_owned()),
            ("refresh_token", refresh_token.to_owned()),
        ];
        if let Some(resource) = &endpoint.resource {
            form.push(("resource", resource.clone()));
        }
        let request = self.client.post(endpoint.url.clone());
        let secret = self.client_secret();
        match (self.method().as_deref(), secret) {
            (Some("client_secret_basic"), Some(secret)) => {
                // One way to authenticate only: the client's name is not repeated in the form.
                let header = auth::basic_value(&percent(client_id), &percent(&secret));
                return with_form(
                    request.header(reqwest::header::AUTHORIZATION, header),
                    &form,
                );
            }
            (Some("none"), _) | (_, None) => {}
            (_, Some(secret)) => form.push(("client_secret", secret)),
        }
        form.push(("client_id", client_id.to_owned()));
        with_form(request, &form)
    }

    fn client_id(&self) -> Option<String> {
        self.registered("client_id")
            .or_else(|| self.auth.authentication.as_ref()?.client_id.clone())
    }

    fn client_secret(&self) -> Option<String> {
        let state = self.state.lock();
        let registered = state
            .stored
            .client_info
            .as_ref()
            .and_then(|client| client.client_secret.as_ref());
        let configured = self
            .auth
            .authentication
            .as_ref()
            .and_then(|client| client.client_secret.as_ref());
        registered
            .or(configured)
            .and_then(|secret| secret.expose())
            .map(str::to_owned)
    }

    fn method(&self) -> Option<String> {
        self.auth
            .authentication
            .as_ref()
            .and_then(|client| client.client_auth_method.clone())
            .or_else(|| self.registered("token_endpoint_auth_method"))
    }

    /// A text that the server gave us when we were registered.
    fn registered(&self, member: &str) -> Option<String> {
        let state = self.state.lock();
        let value = state.stored.client_info.as_ref()?.extra.get(member)?;
        value.as_str().map(str::to_owned)
    }

    fn accept(&self, granted: Granted) -> String {
        let stored = {
            let mut state = self.state.lock();
            let tokens = state.stored.tokens.get_or_insert_default();
            tokens.access_token = Some(StarredSecret::new(granted.access_token.as_str()));
            // A server that sends no new one means the old one to go on.
            if let Some(refresh_token) = granted.refresh_token {
                tokens.refresh_token = Some(StarredSecret::new(refresh_token));
            }
            for (member, value) in [
                ("token_type", granted.token_type.map(Value::from)),
                ("expires_in", granted.expires_in.map(Value::from)),
                ("scope", granted.scope.map(Value::from)),
            ] {
                if let Some(value) = value {
                    tokens.extra.insert(member, value);
                }
            }
            state.stored.token_expires_at =
                granted.expires_in.map(|seconds| seconds_now() + seconds);
            state.stored.clone()
        };
        if let Some(save) = &self.save {
            save(&self.server, &stored);
        }
        granted.access_token
    }
}

fn seconds_now() -> f64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0.0, |since| since.as_secs_f64())
}

/// A form as browsers send it.
fn with_form(request: reqwest::RequestBuilder, form: &[(&str, String)]) -> reqwest::RequestBuilder {
    let body: Vec<String> = form
        .iter()
        .map(|(name, value)| format!("{name}={}", percent(value)))
        .collect();
    request
        .header(
            reqwest::header::CONTENT_TYPE,
            "application/x-www-form-urlencoded",
        )
        .body(body.join("&"))
}

/// Everything but the characters that no form changes is written as `%XX`.
fn percent(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}
