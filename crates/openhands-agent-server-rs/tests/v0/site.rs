//! A web site of the tests' own, on a port of this machine.

use axum::Router;
use axum::extract::Path;
use axum::http::{StatusCode, header};
use axum::response::{Html, IntoResponse, Redirect, Response};
use axum::routing::get;
use std::net::SocketAddr;
use tokio_util::task::AbortOnDropHandle;

/// Serves pages until it is dropped.
#[derive(Debug)]
pub(crate) struct Site {
    pub(crate) address: SocketAddr,
    _serving: AbortOnDropHandle<()>,
}

impl Site {
    /// A site with these pages, by path (without the slash).
    pub(crate) async fn with(pages: &[(&str, &str)]) -> Self {
        let pages: Vec<(String, String)> = pages
            .iter()
            .map(|(path, html)| ((*path).to_owned(), (*html).to_owned()))
            .collect();
        let home = pages.clone();
        let router = Router::new()
            .route("/file/{name}", get(file))
            .route("/loop", get(|| async { Redirect::temporary("/loop") }))
            .route("/", get(move || async move { page(&home, "") }))
            .route(
                "/{*path}",
                get(move |Path(path): Path<String>| async move { page(&pages, &path) }),
            );
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let serving = tokio::spawn(async move {
            axum::serve(listener, router).await.unwrap();
        });
        Self {
            address,
            _serving: AbortOnDropHandle::new(serving),
        }
    }

    /// The address of a page.
    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}/{path}", self.address)
    }
}

fn page(pages: &[(String, String)], path: &str) -> Response {
    match pages.iter().find(|(known, _)| known == path) {
        Some((_, html)) => Html(html.clone()).into_response(),
        None => (StatusCode::NOT_FOUND, Html("<h1>Nothing here</h1>")).into_response(),
    }
}

async fn file(Path(name): Path<String>) -> Response {
    let headers = [
        (header::CONTENT_TYPE, "application/octet-stream".to_owned()),
        (
            header::CONTENT_DISPOSITION,
            format!("attachment; filename=\"{name}\""),
        ),
    ];
    (headers, "what the file holds").into_response()
}
