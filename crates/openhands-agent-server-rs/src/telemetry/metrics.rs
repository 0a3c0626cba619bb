//! Metrics for Prometheus.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use axum::http::Method;
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::{Registry, Unit};

/// The form in which metrics are written.
pub(crate) const CONTENT_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// Upper bounds of the latencies, in seconds.
const BUCKETS: [f64; 12] = [
    0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0, 30.0,
];

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Answered {
    method: &'static str,
    route: &'static str,
    status: u32,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Route {
    method: &'static str,
    route: &'static str,
}

/// What is counted. Labels come from the table of routes, so there are only so many.
#[derive(Debug)]
pub(crate) struct Metrics {
    registry: Registry,
    requests: Family<Answered, Counter>,
    latency: Family<Route, Histogram>,
    sockets: Gauge,
    events: Counter,
    now: Gauges,
}

/// The counts of one route and one status, which need not be looked up for each answer.
#[derive(Debug)]
pub(crate) struct RouteCounts {
    requests: Counter,
    latency: Histogram,
}

impl RouteCounts {
    /// A request was answered.
    pub(crate) fn answered(&self, took: Duration) {
        self.requests.inc();
        self.latency.observe(took.as_secs_f64());
    }
}

/// What is looked up when somebody asks.
#[derive(Debug, Default)]
struct Gauges {
    loaded: Gauge,
    running: Gauge,
    commands: Gauge,
    waiting: Gauge,
    dropped: Gauge,
    memory: Gauge,
    cpu: Gauge<f64, AtomicU64>,
    files: Gauge,
    uptime: Gauge<f64, AtomicU64>,
}

/// How it stands at the moment.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Snapshot {
    pub(crate) conversations_loaded: usize,
    pub(crate) conversations_running: usize,
    pub(crate) commands_running: usize,
    pub(crate) webhooks_waiting: usize,
    pub(crate) webhooks_dropped: u64,
    pub(crate) resident_bytes: u64,
    pub(crate) cpu_seconds: f64,
    pub(crate) open_files: u64,
    pub(crate) uptime_seconds: f64,
}

/// Counts an open socket for as long as it lives.
#[derive(Debug)]
pub(crate) struct OpenSocket(Gauge);

impl Drop for OpenSocket {
    fn drop(&mut self) {
        self.0.dec();
    }
}

impl Metrics {
    pub(crate) fn new() -> Arc<Self> {
        let requests = Family::<Answered, Counter>::default();
        let latency = Family::<Route, Histogram>::new_with_constructor(|| Histogram::new(BUCKETS));
        let (sockets, events) = (Gauge::default(), Counter::default());
        let now = Gauges::default();
        let mut registry = Registry::with_prefix("openhands");
        registry.register("http_requests", "Requests answered", requests.clone());
        registry.register_with_unit(
            "http_request_duration",
            "Time until the head of an answer is there",
            Unit::Seconds,
            latency.clone(),
        );
        registry.register("sockets_open", "WebSockets that are open", sockets.clone());
        registry.register(
            "events_appended",
            "Events written to conversations",
            events.clone(),
        );
        now.register(&mut registry);
        Arc::new(Self {
            registry,
            requests,
            latency,
            sockets,
            events,
            now,
        })
    }

    /// A request was answered. Requests to no route share one label.
    pub(crate) fn answered(
        &self,
        method: &Method,
        route: Option<&'static str>,
        status: u16,
        took: Duration,
    ) {
        let route = route.unwrap_or("other");
        self.counts_of(method, route, status).answered(took);
    }

    /// The counts of one route and one status, for whoever counts them often.
    pub(crate) fn counts_of(
        &self,
        method: &Method,
        route: &'static str,
        status: u16,
    ) -> RouteCounts {
        let method = name(method);
        let answered = Answered {
            method,
            route,
            status: u32::from(status),
        };
        RouteCounts {
            requests: self.requests.get_or_create(&answered).clone(),
            latency: self.latency.get_or_create(&Route { method, route }).clone(),
        }
    }

    /// A socket is open while the answer lives.
    pub(crate) fn socket(&self) -> OpenSocket {
        self.sockets.inc();
        OpenSocket(self.sockets.clone())
    }

    /// An event was written.
    pub(crate) fn event(&self) {
        self.events.inc();
    }

    /// All metrics as text.
    pub(crate) fn text(&self, snapshot: &Snapshot) -> Result<String, std::fmt::Error> {
        self.now.set(snapshot);
        let mut text = String::new();
        encode(&mut text, &self.registry)?;
        Ok(text)
    }
}

impl Gauges {
    fn register(&self, registry: &mut Registry) {
        let mut gauge = |name: &str, help: &str, gauge: &Gauge| {
            registry.register(name, help, gauge.clone());
        };
        gauge(
            "conversations_loaded",
            "Conversations in memory",
            &self.loaded,
        );
        gauge(
            "conversations_running",
            "Conversations that run",
            &self.running,
        );
        gauge(
            "bash_commands_running",
            "Commands of the bash routes that run",
            &self.commands,
        );
        gauge(
            "webhook_reports_waiting",
            "Reports that wait for a webhook",
            &self.waiting,
        );
        gauge(
            "webhook_reports_dropped",
            "Reports that no webhook took in time",
            &self.dropped,
        );
        gauge(
            "process_resident_memory_bytes",
            "Memory of the server",
            &self.memory,
        );
        gauge(
            "process_open_files",
            "Files that the server has open",
            &self.files,
        );
        registry.register(
            "process_cpu_seconds",
            "Processor time of the server",
            self.cpu.clone(),
        );
        registry.register(
            "uptime_seconds",
            "Time since the server started",
            self.uptime.clone(),
        );
    }

    fn set(&self, now: &Snapshot) {
        let count = |number: usize| i64::try_from(number).unwrap_or(i64::MAX);
        let wide = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
        self.loaded.set(count(now.conversations_loaded));
        self.running.set(count(now.conversations_running));
        self.commands.set(count(now.commands_running));
        self.waiting.set(count(now.webhooks_waiting));
        self.dropped.set(wide(now.webhooks_dropped));
        self.memory.set(wide(now.resident_bytes));
        self.files.set(wide(now.open_files));
        self.cpu.set(now.cpu_seconds);
        self.uptime.set(now.uptime_seconds);
    }
}

/// The method as a label; methods of a client's own making share one.
fn name(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::POST => "POST",
        Method::PUT => "PUT",
        Method::PATCH => "PATCH",
        Method::DELETE => "DELETE",
        Method::HEAD => "HEAD",
        Method::OPTIONS => "OPTIONS",
        _ => "OTHER",
    }
}

#[cfg(test)]
#[path = "metrics_tests.rs"]
mod tests;
