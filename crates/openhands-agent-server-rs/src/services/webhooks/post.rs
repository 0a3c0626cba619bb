//! Requests to a webhook, with its tries.

use std::time::Duration;

use anyhow::Context;
use bytes::Bytes;
use openhands_protocol::server::WebhookSpec;
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use tokio_util::sync::CancellationToken;

use super::Channel;

/// How long a webhook may take to answer.
const TIMEOUT: Duration = Duration::from_secs(30);

/// How one webhook is reached.
#[derive(Debug)]
pub(super) struct Post {
    client: reqwest::Client,
    base: String,
    headers: HeaderMap,
    retries: i64,
    delay: Duration,
}

impl Post {
    pub(super) fn new(spec: &WebhookSpec, session_key: Option<&str>) -> anyhow::Result<Self> {
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        let key = session_key.map(|key| ("X-Session-API-Key", key));
        let given = spec
            .headers
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()));
        for (name, value) in given.chain(key) {
            let place = || format!("header {name:?} of the webhook {}", spec.base_url);
            let header = HeaderName::try_from(name).with_context(place)?;
            let mut value = HeaderValue::try_from(value).with_context(place)?;
            value.set_sensitive(true);
            headers.insert(header, value);
        }
        reqwest::Url::parse(&spec.base_url)
            .with_context(|| format!("base_url of a webhook: {:?}", spec.base_url))?;
        let client = reqwest::Client::builder()
            .timeout(TIMEOUT)
            // compat: a redirect is a failure.
            .redirect(reqwest::redirect::Policy::none())
            .build()
            .context("a client for webhooks")?;
        Ok(Self {
            client,
            base: spec.base_url.trim_end_matches('/').to_owned(),
            headers,
            retries: spec.num_retries,
            delay: Duration::from_secs(u64::try_from(spec.retry_delay).unwrap_or(0)),
        })
    }

    /// Where reports of a channel go.
    pub(super) fn url(&self, channel: Channel) -> String {
        match channel {
            Channel::Events(id) => format!("{}/events/{}", self.base, id.hex()),
            Channel::Conversation(_) => format!("{}/conversations", self.base),
        }
    }

    /// Sends a body, with all tries; only the one under way when the server ends. False if none succeeded.
    pub(super) async fn send(&self, url: &str, body: Bytes, hurry: &CancellationToken) -> bool {
        let mut tries = 0;
        loop {
            tries += 1;
            match self.attempt(url, body.clone()).await {
                Ok(()) => return true,
                Err(reason) if tries > self.retries => {
                    tracing::error!(url, tries, reason, "a webhook does not take a report");
                    return false;
                }
                Err(reason) => tracing::warn!(url, tries, reason, "a webhook failed"),
            }
            tokio::select! {
                () = tokio::time::sleep(self.delay) => {}
                () = hurry.cancelled() => return false,
            }
        }
    }

    async fn attempt(&self, url: &str, body: Bytes) -> Result<(), String> {
        let request = self.client.post(url).headers(self.headers.clone());
        let answer = request.body(body).send().await;
        // The address is logged beside the reason; it is not repeated inside of it.
        let status = answer
            .map_err(|error| error.without_url().to_string())?
            .status();
        if status.is_success() {
            Ok(())
        } else {
            Err(format!("it answered {status}"))
        }
    }
}
