//! The door: where all requests come in, whatever is behind it at the moment.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use axum::extract::Request;
use axum::response::Response;
use parking_lot::RwLock;

use crate::http::Front;

/// Hands each request to the routes of the moment. A server that is set up later gets other routes then.
#[derive(Debug, Clone)]
pub struct Door(Arc<Behind>);

#[derive(Debug)]
struct Behind {
    front: RwLock<Arc<Front>>,
    asked: AtomicU64,
}

impl Door {
    /// A door with this behind it.
    pub fn new(front: Front) -> Self {
        Self(Arc::new(Behind {
            front: RwLock::new(Arc::new(front)),
            asked: AtomicU64::new(0),
        }))
    }

    /// From now on, requests go there.
    pub fn lead_to(&self, front: Front) {
        *self.0.front.write() = Arc::new(front);
    }

    /// How many requests have come in that show that someone wants this server.
    pub fn asked(&self) -> u64 {
        self.0.asked.load(Ordering::Relaxed)
    }

    /// Answers a request.
    pub(crate) async fn answer(&self, request: Request) -> Response {
        let front = Arc::clone(&self.0.front.read());
        if front.is_sign_of_life(&request) {
            self.0.asked.fetch_add(1, Ordering::Relaxed);
        }
        front.answer(request).await
    }
}
