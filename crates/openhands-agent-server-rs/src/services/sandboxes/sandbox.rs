//! A container that runs, and how the server inside is reached.

use std::time::Duration;

use axum::http::StatusCode;
use openhands_sdk_rs::runtime::Endpoint;
use openhands_sdk_rs::runtime::docker::DockerSandbox;
use tokio_util::sync::CancellationToken;

use crate::http::KEY_HEADER;

/// How long the server inside may take to say that it is alive.
const PING: Duration = Duration::from_secs(5);

/// Cheap, and for those who have the key.
const PING_ROUTE: &str = "/api/conversations/count";

/// Who is where the server of a container should be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ping {
    /// The server that has the key of the container.
    Answered,
    /// Somebody who does not know the key.
    Refused,
    /// Nobody, or nobody who speaks sense.
    Silent,
}

/// A container that runs.
#[derive(Debug)]
pub(crate) struct Sandbox {
    container: DockerSandbox,
    endpoint: Endpoint,
    gone: CancellationToken,
}

impl Sandbox {
    pub(super) fn new(container: DockerSandbox) -> Self {
        Self {
            endpoint: container.endpoint(),
            container,
            gone: CancellationToken::new(),
        }
    }

    /// Where the server inside is.
    pub(crate) fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    /// The container.
    pub(crate) fn container(&self) -> &DockerSandbox {
        &self.container
    }

    /// The key of the server inside.
    pub(crate) fn key(&self) -> &str {
        self.endpoint.key.expose().unwrap_or_default()
    }

    /// Host and port of the server inside.
    pub(crate) fn authority(&self) -> Result<String, String> {
        let url: axum::http::Uri = self
            .endpoint
            .url
            .parse()
            .map_err(|_| format!("{} is no address", self.endpoint.url))?;
        let host = url.host().unwrap_or_default();
        Ok(format!("{host}:{}", url.port_u16().unwrap_or(80)))
    }

    /// Where the editor inside is reached from this machine.
    pub(crate) fn editor_url(&self) -> String {
        let ports = self.container.ports();
        format!("http://{}:{}", ports.host, ports.vscode)
    }

    /// Resolves when the container is known to be gone.
    pub(crate) async fn gone(&self) {
        self.gone.cancelled().await;
    }

    /// It is gone: who waits for it need not wait any longer.
    pub(super) fn note_gone(&self) {
        self.gone.cancel();
    }

    /// Asks the server inside for something that only it answers: ports are handed out again, and another container may
    /// be where this one was. It also learns by this that somebody watches.
    pub(super) async fn ping(&self, web: &reqwest::Client) -> Ping {
        let asked = web
            .get(format!("{}{PING_ROUTE}", self.endpoint.url))
            .header(KEY_HEADER, self.key())
            .timeout(PING)
            .send()
            .await;
        match asked.map(|answer| answer.status()) {
            Ok(status) if status.is_success() => Ping::Answered,
            Ok(StatusCode::UNAUTHORIZED) => Ping::Refused,
            Ok(_) | Err(_) => Ping::Silent,
        }
    }

    /// Ends it and removes it.
    pub(super) async fn remove(&self) {
        self.note_gone();
        if let Err(error) = self.container.remove().await {
            tracing::warn!(%error, "a container could not be removed; it ends by itself");
        }
    }
}
