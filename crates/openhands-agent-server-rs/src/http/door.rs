//! The door: what all requests go through, whatever is behind it at the moment.

use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use axum::Router;
use axum::extract::Request;
use axum::response::Response;
use parking_lot::RwLock;
use tower::{Service, ServiceExt};

/// Hands each request to the router of the moment. A server that is set up later gets another router then.
#[derive(Debug, Clone)]
pub struct Door(Arc<RwLock<Router>>);

impl Door {
    /// A door with this behind it.
    pub fn new(router: Router) -> Self {
        Self(Arc::new(RwLock::new(router)))
    }

    /// From now on, requests go there.
    pub fn lead_to(&self, router: Router) {
        *self.0.write() = router;
    }
}

impl Service<Request> for Door {
    type Response = Response;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Response, Infallible>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request) -> Self::Future {
        let router = self.0.read().clone();
        Box::pin(router.oneshot(request))
    }
}
