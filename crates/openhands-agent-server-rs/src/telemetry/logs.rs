//! Log lines: for people or as JSON, to standard error and to a file that changes each day.

use anyhow::Context;
use tracing_appender::non_blocking::{NonBlocking, NonBlockingBuilder, WorkerGuard};
use tracing_appender::rolling::{RollingFileAppender, Rotation};
use tracing_subscriber::fmt::format::JsonFields;
use tracing_subscriber::layer::{Layer, SubscriberExt as _};
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{EnvFilter, Registry};

use crate::config::{Config, LogFormat};
use crate::telemetry::formats::{JsonLines, TextLines};
use crate::telemetry::lines::OneLine;

/// How many lines may wait to be written. The place for them is taken at the start: the library's own 128,000 would be
/// 4 MB of every server, which is more than all else that it has in memory when it is idle.
const WAITING_LINES: usize = 4_000;

/// What keeps logs and traces going. Dropping it writes what is not written yet.
#[derive(Debug)]
pub struct Logs {
    #[cfg(feature = "otel")]
    traces: Option<super::traces::Traces>,
    _writers: Vec<WorkerGuard>,
}

type BoxedLayer = Box<dyn Layer<Registry> + Send + Sync>;

impl Logs {
    /// Starts logs and traces for the whole process, once and before anything runs.
    pub fn start(config: &Config) -> anyhow::Result<Self> {
        let mut writers = Vec::new();
        let mut layers = Vec::new();
        let (writer, guard) = not_waiting(std::io::stderr());
        writers.push(guard);
        layers.push(layer(config, writer)?);
        if let Some(directory) = &config.surroundings.log_dir {
            let file = RollingFileAppender::builder()
                .rotation(Rotation::DAILY)
                .filename_prefix("agent-server")
                .filename_suffix("log")
                .max_log_files(config.surroundings.log_files.max(1))
                .build(directory)
                .with_context(|| format!("log files in {}", directory.display()))?;
            let (writer, guard) = not_waiting(file);
            writers.push(guard);
            layers.push(layer(config, writer)?);
        }
        #[cfg(feature = "otel")]
        let traces = super::traces::Traces::start(config)?;
        #[cfg(feature = "otel")]
        if let Some(traces) = &traces {
            super::request::make_spans();
            layers.push(traces.layer());
        }
        tracing_subscriber::registry().with(layers).try_init()?;
        Ok(Self {
            #[cfg(feature = "otel")]
            traces,
            _writers: writers,
        })
    }

    /// Sends the traces that are not sent yet.
    pub fn finish(self) {
        #[cfg(feature = "otel")]
        if let Some(traces) = self.traces {
            traces.finish();
        }
    }
}

/// Writes by a thread of its own. A reader that is too slow loses lines rather than slowing the server.
fn not_waiting(to: impl std::io::Write + Send + 'static) -> (NonBlocking, WorkerGuard) {
    NonBlockingBuilder::default()
        .buffered_lines_limit(WAITING_LINES)
        .finish(to)
}

fn layer(config: &Config, writer: NonBlocking) -> anyhow::Result<BoxedLayer> {
    // The library of MCP tells of every notification with what is in it. Who wants that names it: `info,rmcp=info`.
    // Whole messages stay out of the log even then: calls of tools carry secrets.
    let limit = if config.surroundings.log_filter.contains("rmcp") {
        ",rmcp::service=info,rmcp::transport=info"
    } else {
        ""
    };
    let wanted = format!("rmcp=warn,{}{limit}", config.surroundings.log_filter);
    let filter = EnvFilter::try_new(wanted).context("LOG_LEVEL")?;
    let layer = tracing_subscriber::fmt::layer()
        .with_ansi(false)
        .with_writer(OneLine(writer));
    Ok(match config.log_format() {
        LogFormat::Text => layer
            .event_format(TextLines::default())
            .with_filter(filter)
            .boxed(),
        LogFormat::Json => layer
            .fmt_fields(JsonFields::new())
            .event_format(JsonLines::default())
            .with_filter(filter)
            .boxed(),
    })
}
