//! The older transport of the web: the server speaks in an event stream and names an address for what we say.

use std::collections::HashMap;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::stream::BoxStream;
use reqwest::Url;
use rmcp::model::{ClientJsonRpcMessage, ServerJsonRpcMessage};
use rmcp::service::RoleClient;
use rmcp::transport::Transport;
use rmcp::transport::streamable_http_client::{
    SseError, StreamableHttpClient as _, StreamableHttpError,
};
use sse_stream::Sse;

use super::config::Remote;
use super::error::ServerError;
use super::http::{Http, MAX_EVENT_BYTES};

/// A connection whose server has named the address for our messages.
pub(super) struct SseTransport {
    http: Http,
    address: Arc<str>,
    /// None once it has ended.
    events: Option<BoxStream<'static, Result<Sse, SseError>>>,
    read_limit: Duration,
}

impl SseTransport {
    /// Opens the stream and waits for the address. The caller limits the time.
    pub(super) async fn open(http: Http, remote: &Remote) -> Result<Self, ServerError> {
        let mut events = http
            .get_stream_with_max_sse_event_size(
                Arc::from(remote.url.as_str()),
                None,
                None,
                None,
                HashMap::new(),
                MAX_EVENT_BYTES,
            )
            .await
            .map_err(|error| super::connection::unreachable(&error))?;
        let address = loop {
            match events.next().await {
                None => {
                    return Err(ServerError::connection(
                        "the event stream ended before it named an address for messages",
                    ));
                }
                Some(Err(error)) => return Err(ServerError::connection(error)),
                Some(Ok(event)) if event.event.as_deref() == Some("endpoint") => {
                    break address(&remote.url, event.data.as_deref().unwrap_or_default())?;
                }
                Some(Ok(_)) => {}
            }
        };
        Ok(Self {
            http,
            address,
            events: Some(events),
            read_limit: remote.read_limit,
        })
    }

    /// The next message; none when the stream has ended or was silent for too long.
    async fn next(&mut self) -> Option<ServerJsonRpcMessage> {
        loop {
            let events = self.events.as_mut()?;
            let event = tokio::time::timeout(self.read_limit, events.next()).await;
            let Ok(Some(Ok(event))) = event else {
                self.events = None;
                return None;
            };
            if !matches!(event.event.as_deref(), None | Some("message")) {
                continue;
            }
            let data = event.data.unwrap_or_default();
            match serde_json::from_str(&data) {
                Ok(message) => return Some(message),
                Err(_) if data.trim().is_empty() => {}
                Err(error) => tracing::debug!(%error, "a message of an MCP server cannot be read"),
            }
        }
    }
}

/// Where our messages go: on the same origin, so that our headers stay there.
fn address(stream: &Url, named: &str) -> Result<Arc<str>, ServerError> {
    let address = stream
        .join(named)
        .map_err(|_| ServerError::connection(format!("'{named}' is no address for messages")))?;
    if address.origin() != stream.origin() {
        return Err(ServerError::connection(format!(
            "Endpoint origin does not match connection origin: {address}"
        )));
    }
    Ok(Arc::from(address.as_str()))
}

impl Transport<RoleClient> for SseTransport {
    type Error = StreamableHttpError<reqwest::Error>;

    fn send(
        &mut self,
        message: ClientJsonRpcMessage,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        let http = self.http.clone();
        let address = Arc::clone(&self.address);
        async move { http.post(address, message).await }
    }

    async fn receive(&mut self) -> Option<ServerJsonRpcMessage> {
        self.next().await
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.events = None;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_for_messages_stays_on_the_origin_of_the_stream() {
        let stream = Url::parse("http://a.org:81/x/sse?k=1").unwrap();
        let named = |text| address(&stream, text).map(|found| found.to_string());
        assert_eq!(
            named("/messages?s=1").unwrap(),
            "http://a.org:81/messages?s=1"
        );
        assert_eq!(named("messages").unwrap(), "http://a.org:81/x/messages");
        assert_eq!(named("http://a.org:81/m").unwrap(), "http://a.org:81/m");
        for foreign in [
            "http://b.org:81/m",
            "https://a.org:81/m",
            "//b.org/m",
            "http://a.org/m",
        ] {
            assert!(named(foreign).is_err(), "{foreign}");
        }
    }
}
