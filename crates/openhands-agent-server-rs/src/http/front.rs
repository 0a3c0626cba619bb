//! What every request goes through, whatever route it wants: its id and span, the path of the public address, CORS,
//! and the count of it.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Router;
use axum::extract::Request;
use axum::http::uri::{PathAndQuery, Uri};
use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use axum::response::Response;
use tower::ServiceExt as _;
use uuid::Uuid;

use crate::config::Config;
use crate::http::access::{Access, has_key};
use crate::http::cors::Cors;
use crate::http::dispatch::Route;
use crate::http::{Dispatch, paths};
use crate::telemetry::metrics::Metrics;
use crate::telemetry::request::{Answered, Asked};

/// The name by which a request is found in the log.
const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
const MAX_REQUEST_ID: usize = 64;

/// A request that took longer is worth a line at the usual level.
const SLOW: Duration = Duration::from_secs(1);

/// Container engines ask for it by themselves, so it is no sign that someone is there.
const HEALTH: &str = "/health";

/// The routes of a server, and what lies before them.
pub struct Front {
    behind: Behind,
    keys: Vec<String>,
    cors: Cors,
    root: String,
    metrics: Arc<Metrics>,
}

/// What answers.
pub(crate) enum Behind {
    /// The operations of a server.
    Operations(Dispatch),
    /// A server that waits to be set up.
    Waiting(Router),
}

impl Behind {
    async fn answer(&self, request: Request) -> (Response, Option<&Route>) {
        match self {
            Self::Operations(operations) => operations.answer(request).await,
            Self::Waiting(router) => {
                let Ok(response) = router.clone().oneshot(request).await;
                (response, None)
            }
        }
    }
}

impl Front {
    /// These routes, with the CORS and the public address of a configuration.
    pub(crate) fn new(behind: Behind, config: &Config, metrics: Arc<Metrics>) -> Self {
        Self {
            behind,
            keys: config.session_api_keys.clone(),
            cors: Cors::new(config),
            root: paths::root_of(config.web_url.as_deref()),
            metrics,
        }
    }

    /// Whether a request shows that someone is there who wants this server. Where there are keys it must have one: what
    /// runs beside the server, in a container, may ask it for something now and then as well.
    pub(crate) fn is_sign_of_life(&self, request: &Request) -> bool {
        let has_key = |access| has_key(&self.keys, access, request.headers());
        request.uri().path() != HEALTH
            && (self.keys.is_empty()
                || has_key(Access::KeyOrBearer)
                || has_key(Access::KeyOrCookie))
    }

    /// Answers a request.
    pub(crate) async fn answer(&self, mut request: Request) -> Response {
        let began = Instant::now();
        self.enter(&mut request);
        let id = request_id(request.headers());
        let origin = request.headers().get(header::ORIGIN).cloned();
        // The query is not logged: it may hold a key.
        let asked = Asked::new(id.clone(), request.method(), request.uri().path());
        let (mut response, route) = if let Some(response) = self.cors.preflight(&request) {
            (response, None)
        } else {
            let answering = self.behind.answer(request);
            let (mut response, route) = asked.while_answering(answering).await;
            self.cors
                .mark(asked.path(), origin.as_ref(), response.headers_mut());
            (response, route)
        };
        let (status, took) = (response.status().as_u16(), began.elapsed());
        match route {
            Some(route) => route.count(&self.metrics, asked.method(), status, took),
            None => self.metrics.answered(asked.method(), None, status, took),
        }
        asked.tell(&Answered {
            route: route.map(Route::path),
            status,
            took,
            // A line for each of thousands of polls a second would cost more than the polls, and hide the rest.
            is_noteworthy: status >= 400 || took >= SLOW,
        });
        response.headers_mut().insert(REQUEST_ID, id);
        response
    }

    /// Takes the path of the public address off: a proxy may pass it on.
    fn enter(&self, request: &mut Request) {
        let path = request.uri().path();
        let inside = paths::below(&self.root, path);
        if inside.len() == path.len() {
            return;
        }
        let query = request.uri().query().map(|query| format!("?{query}"));
        let text = format!("{inside}{}", query.unwrap_or_default());
        if let Ok(inside) = PathAndQuery::try_from(text) {
            *request.uri_mut() = Uri::from(inside);
        }
    }
}

impl fmt::Debug for Front {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Front")
            .field("root", &self.root)
            .finish_non_exhaustive()
    }
}

/// The id that a proxy gave the request, if it is one that can be shown; else a new one.
fn request_id(headers: &HeaderMap) -> HeaderValue {
    let is_fit = |id: &&HeaderValue| {
        !id.is_empty()
            && id.len() <= MAX_REQUEST_ID
            && id
                .as_bytes()
                .iter()
                .all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(byte))
    };
    if let Some(given) = headers.get(REQUEST_ID).filter(is_fit) {
        return given.clone();
    }
    let mut room = Uuid::encode_buffer();
    let made = Uuid::new_v4().simple().encode_lower(&mut room);
    HeaderValue::from_str(made).unwrap_or_else(|_| HeaderValue::from_static("-"))
}
