//! Traces: spans of requests and of what they start, sent by OTLP over HTTP.

use std::time::Duration;

use anyhow::Context;
use opentelemetry::trace::TracerProvider as _;
use opentelemetry_otlp::{Protocol, SpanExporter, WithExportConfig as _, WithHttpConfig as _};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::SdkTracerProvider;
use tracing_subscriber::layer::Layer;
use tracing_subscriber::{EnvFilter, Registry};

use crate::config::Config;

/// How long the receiver may take; the end of the process waits no longer either.
const TIMEOUT: Duration = Duration::from_millis(500);
/// Spans of these crates are sent, from this level on: not those of the HTTP client that sends them.
const SPANS: &str = "off,openhands_agent_server_rs=info,openhands_sdk_rs=info,openhands_llm=info,openhands_tools=info,openhands_runtime=info";

/// What collects and sends spans.
#[derive(Debug)]
pub(crate) struct Traces {
    provider: SdkTracerProvider,
    filter: EnvFilter,
}

impl Traces {
    /// Starts to send, if the configuration names a receiver. Must not run inside of the async runtime: the sender
    /// has a thread and a blocking client of its own.
    pub(crate) fn start(config: &Config) -> anyhow::Result<Option<Self>> {
        let Some(endpoint) = config.otlp_traces_endpoint() else {
            return Ok(None);
        };
        let around = &config.surroundings;
        let headers = around.otlp_headers.iter().filter_map(|(name, value)| {
            let value = value.expose()?;
            Some((name.clone(), value.to_owned()))
        });
        let exporter = SpanExporter::builder()
            .with_http()
            .with_protocol(Protocol::HttpBinary)
            .with_endpoint(endpoint)
            .with_headers(headers.collect())
            .with_timeout(TIMEOUT)
            .build()
            .with_context(|| format!("traces to {endpoint}"))?;
        let resource = Resource::builder()
            .with_service_name(around.service_name.clone())
            .build();
        let provider = SdkTracerProvider::builder()
            .with_batch_exporter(exporter)
            .with_resource(resource)
            .build();
        Ok(Some(Self {
            provider,
            filter: EnvFilter::try_new(SPANS)?,
        }))
    }

    /// What gives spans to the sender.
    pub(crate) fn layer(&self) -> Box<dyn Layer<Registry> + Send + Sync> {
        let tracer = self.provider.tracer("openhands-agent-server");
        tracing_opentelemetry::layer()
            .with_tracer(tracer)
            .with_filter(self.filter.clone())
            .boxed()
    }

    /// Sends what is left.
    pub(crate) fn finish(self) {
        if let Err(error) = self.provider.shutdown_with_timeout(TIMEOUT) {
            tracing::warn!(%error, "not all traces were sent");
        }
    }
}
