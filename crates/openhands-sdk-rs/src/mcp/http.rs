//! Requests to a server of the web, with its headers and a token that stays fresh.

use std::collections::HashMap;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use futures_util::stream::BoxStream;
use reqwest::header::{HeaderName, HeaderValue};
use reqwest::redirect::{Attempt, Policy};
use reqwest::{StatusCode, Url};
use rmcp::model::ClientJsonRpcMessage;
use rmcp::transport::streamable_http_client::{
    SseError, StreamableHttpClient, StreamableHttpError, StreamableHttpPostResponse,
};
use sse_stream::Sse;

use super::config::Remote;
use super::error::ServerError;
use super::oauth::{SaveTokens, Tokens};

const CONNECT_LIMIT: Duration = Duration::from_secs(30);
/// Hops of a redirected request.
const MAX_REDIRECTS: usize = 10;
/// Of one event: what a tool may answer over standard output, too.
pub(super) const MAX_EVENT_BYTES: usize = 16 << 20;

type Failure = StreamableHttpError<reqwest::Error>;
type Headers = HashMap<HeaderName, HeaderValue>;
type Events = BoxStream<'static, Result<Sse, SseError>>;

/// Sends requests to one server.
#[derive(Debug, Clone)]
pub(super) struct Http {
    client: reqwest::Client,
    tokens: Option<Arc<Tokens>>,
}

impl Http {
    pub(super) fn new(
        remote: &Remote,
        server: &str,
        save: Option<&SaveTokens>,
    ) -> Result<Self, ServerError> {
        let builder = || reqwest::Client::builder().connect_timeout(CONNECT_LIMIT);
        let redirects = if remote.headers.is_empty() && remote.oauth.is_none() {
            Policy::limited(MAX_REDIRECTS)
        } else {
            Policy::custom(stay_at_home)
        };
        let client = builder()
            // As defaults, so that the protocol's own headers win over those of the settings.
            .default_headers(remote.headers.clone())
            .redirect(redirects)
            .build()
            .map_err(ServerError::connection)?;
        let tokens = match &remote.oauth {
            None => None,
            Some(oauth) => {
                let plain = builder().build().map_err(ServerError::connection)?;
                Some(Arc::new(Tokens::new(plain, remote, oauth, server, save)))
            }
        };
        Ok(Self { client, tokens })
    }

    /// Sends a message to the address that an older server named for it.
    pub(super) async fn post(
        &self,
        url: Arc<str>,
        message: ClientJsonRpcMessage,
    ) -> Result<(), Failure> {
        self.authorized(|token| {
            let mut request = self.client.post(url.as_ref()).json(&message);
            if let Some(token) = token {
                request = request.bearer_auth(token);
            }
            async move {
                let response = request.send().await?;
                if response.status() == StatusCode::UNAUTHORIZED {
                    return Err(unauthorized(&response));
                }
                response.error_for_status()?;
                Ok(())
            }
        })
        .await
    }

    /// Calls with a token, if there is one; once more with a fresh one if the server refuses it.
    async fn authorized<T, F: Future<Output = Result<T, Failure>>>(
        &self,
        call: impl Fn(Option<String>) -> F,
    ) -> Result<T, Failure> {
        let Some(tokens) = &self.tokens else {
            return call(None).await;
        };
        let sent = tokens.current().await.map_err(std::io::Error::other)?;
        match call(Some(sent.clone())).await {
            Err(StreamableHttpError::AuthRequired(_)) => {
                let fresh = tokens.replace(&sent).await.map_err(std::io::Error::other)?;
                call(Some(fresh)).await
            }
            answer => answer,
        }
    }
}

/// A refusal in the form that the protocol's library gives it.
fn unauthorized(response: &reqwest::Response) -> Failure {
    let challenge = response
        .headers()
        .get(reqwest::header::WWW_AUTHENTICATE)
        .and_then(|value| value.to_str().ok())
        .unwrap_or("Bearer");
    StreamableHttpError::AuthRequired(
        rmcp::transport::streamable_http_client::AuthRequiredError::new(challenge.to_owned()),
    )
}

/// Follows redirects on the same host only: a foreign one must not get our headers.
fn stay_at_home(attempt: Attempt<'_>) -> reqwest::redirect::Action {
    let at_home = attempt
        .previous()
        .first()
        .is_some_and(|first| is_home(first, attempt.url()));
    if attempt.previous().len() > MAX_REDIRECTS {
        attempt.error("too many redirects")
    } else if at_home {
        attempt.follow()
    } else {
        attempt.stop()
    }
}

/// The same origin, or the same host made safe.
fn is_home(first: &Url, next: &Url) -> bool {
    first.origin() == next.origin()
        || (first.host() == next.host()
            && first.scheme() == "http"
            && next.scheme() == "https"
            && first.port().is_none()
            && next.port().is_none())
}

impl StreamableHttpClient for Http {
    type Error = reqwest::Error;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session: Option<Arc<str>>,
        token: Option<String>,
        headers: Headers,
    ) -> Result<StreamableHttpPostResponse, Failure> {
        self.post_message_with_max_sse_event_size(
            uri,
            message,
            session,
            token,
            headers,
            MAX_EVENT_BYTES,
        )
        .await
    }

    async fn post_message_with_max_sse_event_size(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session: Option<Arc<str>>,
        _: Option<String>,
        headers: Headers,
        max_bytes: usize,
    ) -> Result<StreamableHttpPostResponse, Failure> {
        self.authorized(|token| {
            self.client.post_message_with_max_sse_event_size(
                Arc::clone(&uri),
                message.clone(),
                session.clone(),
                token,
                headers.clone(),
                max_bytes,
            )
        })
        .await
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session: Arc<str>,
        _: Option<String>,
        headers: Headers,
    ) -> Result<(), Failure> {
        self.authorized(|token| {
            self.client.delete_session(
                Arc::clone(&uri),
                Arc::clone(&session),
                token,
                headers.clone(),
            )
        })
        .await
    }

    async fn get_stream(
        &self,
        uri: Arc<str>,
        session: Option<Arc<str>>,
        last_event: Option<String>,
        token: Option<String>,
        headers: Headers,
    ) -> Result<Events, Failure> {
        self.get_stream_with_max_sse_event_size(
            uri,
            session,
            last_event,
            token,
            headers,
            MAX_EVENT_BYTES,
        )
        .await
    }

    async fn get_stream_with_max_sse_event_size(
        &self,
        uri: Arc<str>,
        session: Option<Arc<str>>,
        last_event: Option<String>,
        _: Option<String>,
        headers: Headers,
        max_bytes: usize,
    ) -> Result<Events, Failure> {
        self.authorized(|token| {
            self.client.get_stream_with_max_sse_event_size(
                Arc::clone(&uri),
                session.clone(),
                last_event.clone(),
                token,
                headers.clone(),
                max_bytes,
            )
        })
        .await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn home_is_the_same_origin_or_the_same_host_made_safe() {
        let home = |first: &str, next: &str| {
            is_home(&Url::parse(first).unwrap(), &Url::parse(next).unwrap())
        };
        assert!(home("http://a.org/x", "http://a.org/y"));
        assert!(home("http://a.org/x", "https://a.org/x"));
        assert!(!home("https://a.org/x", "http://a.org/x"));
        assert!(!home("http://a.org/x", "http://b.org/x"));
        assert!(!home("http://a.org:80/x", "http://a.org:81/x"));
        assert!(!home("http://a.org:8080/x", "https://a.org/x"));
    }
}
