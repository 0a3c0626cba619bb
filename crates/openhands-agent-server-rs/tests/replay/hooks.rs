//! A receiver of webhooks that keeps what was posted.

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::State;
use axum::http::Uri;
use parking_lot::Mutex;
use serde_json::Value;
use tokio::net::TcpListener;
use tokio_util::task::AbortOnDropHandle;

type Posts = Arc<Mutex<Vec<(String, Value)>>>;

#[derive(Debug)]
pub(crate) struct Hooks {
    pub(crate) authority: String,
    posts: Posts,
    _task: AbortOnDropHandle<()>,
}

impl Hooks {
    pub(crate) async fn start() -> Self {
        let posts = Posts::default();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let authority = listener.local_addr().unwrap().to_string();
        let router = axum::Router::new()
            .fallback(take)
            .with_state(Arc::clone(&posts));
        let serve = async move { axum::serve(listener, router).await.unwrap() };
        Self {
            authority,
            posts,
            _task: AbortOnDropHandle::new(tokio::spawn(serve)),
        }
    }

    /// Path and body of each post so far.
    pub(crate) fn posts(&self) -> Vec<(String, Value)> {
        self.posts.lock().clone()
    }
}

async fn take(State(posts): State<Posts>, uri: Uri, body: Bytes) {
    let body = serde_json::from_slice(&body).unwrap_or_default();
    posts.lock().push((uri.path().to_owned(), body));
}
