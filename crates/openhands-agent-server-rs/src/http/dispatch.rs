//! From a request to the handler of its operation: which path, which method, and whether it may go on.
//!
//! A table of our own and one call: layers of services around each route would each hand on the request in memory of its own, which costs
//! more than most answers.

use std::any::Any;
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use axum::body::{Body, HttpBody as _};
use axum::extract::Request;
use axum::http::{HeaderValue, Method, header};
use axum::response::{IntoResponse as _, Response};
use futures_util::FutureExt as _;

use crate::app::App;
use crate::http::path::Parameters;
use crate::http::routes::Endpoint;
use crate::http::{ApiError, Operation, Routes, access, input};
use crate::telemetry::metrics::{Metrics, RouteCounts};
use crate::v1;
use crate::v1::forward::{self, Passed};

/// All operations of a server, by path and method.
#[derive(Debug)]
pub(crate) struct Dispatch {
    app: Arc<App>,
    /// Where the routes of a path are.
    paths: matchit::Router<usize>,
    routes: Vec<Vec<Route>>,
}

/// An operation, what answers it, and how often it did.
#[derive(Debug)]
pub(crate) struct Route {
    operation: Arc<Operation>,
    endpoint: Endpoint,
    counts: OnceLock<RouteCounts>,
}

/// Two routes want the same place, or one is written wrongly.
#[derive(Debug, thiserror::Error)]
#[error("the route {path} cannot be served: {problem}")]
pub(crate) struct WrongRoute {
    path: &'static str,
    problem: matchit::InsertError,
}

impl Route {
    /// Its path, with its parameters in braces.
    pub(crate) fn path(&self) -> &'static str {
        self.operation.path
    }

    /// Counts an answer.
    pub(crate) fn count(&self, metrics: &Metrics, method: &Method, status: u16, took: Duration) {
        if *method == self.operation.method && status == self.operation.status {
            let counts = self
                .counts
                .get_or_init(|| metrics.counts_of(method, self.path(), status));
            counts.answered(took);
        } else {
            metrics.answered(method, Some(self.path()), status, took);
        }
    }
}

impl Dispatch {
    pub(crate) fn new(routes: Routes, app: &Arc<App>) -> Result<Self, WrongRoute> {
        let mut dispatch = Self {
            app: Arc::clone(app),
            paths: matchit::Router::new(),
            routes: Vec::new(),
        };
        let mut patterns = std::collections::HashMap::new();
        for (operation, endpoint) in routes.into_parts() {
            let pattern = operation.pattern();
            let place = if let Some(place) = patterns.get(&pattern) {
                *place
            } else {
                let place = dispatch.routes.len();
                let inserted = dispatch.paths.insert(pattern.clone(), place);
                inserted.map_err(|problem| WrongRoute {
                    path: operation.path,
                    problem,
                })?;
                dispatch.routes.push(Vec::new());
                patterns.insert(pattern, place);
                place
            };
            if let Some(routes) = dispatch.routes.get_mut(place) {
                routes.push(Route {
                    operation: Arc::new(operation),
                    endpoint,
                    counts: OnceLock::new(),
                });
            }
        }
        Ok(dispatch)
    }

    /// Answers a request, and says which route it was.
    pub(crate) async fn answer(&self, request: Request) -> (Response, Option<&Route>) {
        let mut route = None;
        let is_head = request.method() == Method::HEAD;
        let answering = AssertUnwindSafe(self.dispatch(request, &mut route));
        let mut response = match answering.catch_unwind().await {
            Ok(response) => response,
            Err(panic) => panicked(&*panic),
        };
        if is_head {
            take_body(&mut response);
        }
        (response, route)
    }

    async fn dispatch<'a>(&'a self, request: Request, taken: &mut Option<&'a Route>) -> Response {
        let path = request.uri().path();
        let Ok(found) = self.paths.at(path) else {
            return v1::not_found(request).await;
        };
        let routes = self.routes.get(*found.value).map_or(&[][..], Vec::as_slice);
        // What a client may read it may also ask the size of; which operations say so is looked at below.
        let wanted = match request.method() {
            &Method::HEAD => &Method::GET,
            method => method,
        };
        let Some(route) = routes.iter().find(|r| r.operation.method == *wanted) else {
            return v1::method_not_allowed(request).await.into_response();
        };
        *taken = Some(route);
        let parameters = Parameters::of(&found.params, &route.operation);
        match self.enter(route, parameters, request).await {
            Ok(Passed::Here(request)) => {
                route.endpoint.answer(request, Arc::clone(&self.app)).await
            }
            Ok(Passed::Answered(response)) => response,
            Err(error) => error.into_response(),
        }
    }

    /// Lets a request go on to its handler. compat: the method counts before the key, the key before the parameters.
    async fn enter(
        &self,
        route: &Route,
        parameters: Parameters,
        request: Request,
    ) -> Result<Passed, ApiError> {
        let operation = &route.operation;
        if request.method() == Method::HEAD && !operation.takes_head {
            return Err(ApiError::method_not_allowed(&operation.method));
        }
        access::check(&self.app, operation.access, request.headers())?;
        let mut request = request;
        if operation.is_of_runtime {
            // What a container is to answer is checked there. In a box: the others would carry room for it along.
            match Box::pin(forward::pass_on(&self.app, request)).await {
                Passed::Here(passed) => request = passed,
                answered @ Passed::Answered(_) => return Ok(answered),
            }
        }
        let request = input::check_parameters(operation, parameters, request).await?;
        Ok(Passed::Here(request))
    }
}

/// A handler panicked: the request fails, and no more.
fn panicked(panic: &(dyn Any + Send)) -> Response {
    let said = panic
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned())
        .or_else(|| panic.downcast_ref::<String>().cloned());
    ApiError::internal(said.unwrap_or_else(|| "a handler panicked".to_owned())).into_response()
}

/// Leaves of an answer what is said before its body, and the size that this has.
fn take_body(response: &mut Response) {
    let size = response.body().size_hint().exact();
    let headers = response.headers_mut();
    if let Some(size) = size
        && !headers.contains_key(header::CONTENT_LENGTH)
    {
        headers.insert(header::CONTENT_LENGTH, HeaderValue::from(size));
    }
    *response.body_mut() = Body::empty();
}

#[cfg(test)]
#[path = "dispatch_tests.rs"]
mod tests;
