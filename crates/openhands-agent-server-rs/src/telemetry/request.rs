//! The request that is being answered, for the lines that are logged meanwhile.
//!
//! Where traces are sent a request is a span of `tracing`. Else it is only remembered, and is written into a line when there is one: a span is
//! made into text when it begins, and most requests are answered without a line, thousands of them in a second.

use std::sync::Arc;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::http::{HeaderValue, Method};
use serde_json::{Value, json};
use tracing::{Instrument as _, Level, Span};

tokio::task_local! {
    static CURRENT: Arc<Request>;
}

/// Whether requests are spans: set once, when the logs start.
static ARE_SPANS: AtomicBool = AtomicBool::new(false);

/// From now on requests are spans.
pub(crate) fn make_spans() {
    ARE_SPANS.store(true, Ordering::Relaxed);
}

#[derive(Debug)]
struct Request {
    id: HeaderValue,
    method: Method,
    path: String,
    route: OnceLock<&'static str>,
}

impl Request {
    fn id(&self) -> &str {
        self.id.to_str().unwrap_or("-")
    }
}

/// A request that came in.
#[derive(Debug)]
pub(crate) struct Asked {
    request: Arc<Request>,
    span: Option<Span>,
}

/// How it was answered.
#[derive(Debug)]
pub(crate) struct Answered {
    pub(crate) route: Option<&'static str>,
    pub(crate) status: u16,
    pub(crate) took: Duration,
    pub(crate) is_noteworthy: bool,
}

impl Asked {
    pub(crate) fn new(id: HeaderValue, method: &Method, path: &str) -> Self {
        let request = Arc::new(Request {
            id,
            method: method.clone(),
            path: path.to_owned(),
            route: OnceLock::new(),
        });
        let span = ARE_SPANS.load(Ordering::Relaxed).then(|| {
            let (id, path) = (request.id(), request.path.as_str());
            tracing::info_span!("request", id, %method, path, route = tracing::field::Empty)
        });
        Self { request, span }
    }

    pub(crate) fn method(&self) -> &Method {
        &self.request.method
    }

    pub(crate) fn path(&self) -> &str {
        &self.request.path
    }

    /// Lines that are logged by this work are of this request.
    pub(crate) async fn while_answering<T>(&self, work: impl Future<Output = T>) -> T {
        match &self.span {
            Some(span) => work.instrument(span.clone()).await,
            None => CURRENT.scope(Arc::clone(&self.request), work).await,
        }
    }

    /// Says how it was answered.
    pub(crate) fn tell(&self, answered: &Answered) {
        if let Some(span) = &self.span {
            span.record("route", answered.route);
            span.in_scope(|| answered.log());
        } else if answered.is_noteworthy || tracing::enabled!(Level::DEBUG) {
            if let Some(route) = answered.route {
                let _ = self.request.route.set(route);
            }
            CURRENT.sync_scope(Arc::clone(&self.request), || answered.log());
        }
    }
}

impl Answered {
    fn log(&self) {
        let (status, milliseconds) = (self.status, self.took.as_millis());
        if self.is_noteworthy {
            tracing::info!(status, milliseconds, "answered");
        } else {
            tracing::debug!(status, milliseconds, "answered");
        }
    }
}

/// The request of the moment as the name and the fields of a span, for a line of text.
pub(super) fn current_text() -> Option<String> {
    let text = CURRENT.try_with(|request| {
        let (id, method, path) = (request.id(), &request.method, &request.path);
        let route = request.route.get();
        let route = route.map_or_else(String::new, |route| format!(" route={route:?}"));
        format!("request{{id={id:?} method={method} path={path:?}{route}}}: ")
    });
    text.ok()
}

/// The same for a line of JSON.
pub(super) fn current_json() -> Option<Value> {
    let value = CURRENT.try_with(|request| {
        let mut value = json!({
            "id": request.id(),
            "method": request.method.as_str(),
            "path": request.path,
            "name": "request",
        });
        if let (Some(route), Value::Object(members)) = (request.route.get(), &mut value) {
            members.insert("route".to_owned(), json!(route));
        }
        value
    });
    value.ok()
}
