//! A web site of the tests' own, on a port of this machine.

use axum::Router;
use axum::body::Body;
use axum::extract::Path;
use axum::http::{StatusCode, header};
use axum::response::{Html, IntoResponse, Redirect, Response};
use axum::routing::get;
use std::net::SocketAddr;
use tokio_util::task::AbortOnDropHandle;

/// Serves pages until it is dropped.
#[derive(Debug)]
pub(crate) struct Site {
    address: SocketAddr,
    _serving: AbortOnDropHandle<()>,
}

impl Site {
    /// A site with these pages, by path (without the slash), besides the usual ones.
    pub(crate) async fn with(pages: &[(&str, &str)]) -> Self {
        let pages: Vec<(String, String)> = pages
            .iter()
            .map(|(path, html)| ((*path).to_owned(), (*html).to_owned()))
            .collect();
        let unending = pages.clone();
        let router = Router::new()
            .route("/file/{name}", get(file))
            .route("/loop", get(|| async { Redirect::temporary("/loop") }))
            .route("/file/endless/{name}", get(endless_file))
            .route(
                "/endless",
                get(|| async { endless("<title>endless</title><h1>Begun</h1>") }),
            )
            .route(
                "/endless/{name}",
                get(move |Path(name): Path<String>| async move {
                    let known = unending.iter().find(|(path, _)| *path == name);
                    endless(known.map(|(_, html)| html.clone()).unwrap_or_default())
                }),
            )
            .route("/hanging", get(std::future::pending::<()>))
            .route(
                "/",
                get(|| async { Html("<title>home</title><h1>Home</h1>") }),
            )
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

    /// The address of a page on what a browser takes for another site.
    pub(crate) fn elsewhere(&self, path: &str) -> String {
        format!("http://localhost:{}/{path}", self.address.port())
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

/// A file whose end never comes.
async fn endless_file(Path(name): Path<String>) -> Response {
    let headers = [
        (header::CONTENT_TYPE, "application/octet-stream".to_owned()),
        (
            header::CONTENT_DISPOSITION,
            format!("attachment; filename=\"{name}\""),
        ),
    ];
    (headers, unending("its beginning")).into_response()
}

/// A page whose end never comes.
fn endless(html: impl Into<String>) -> Response {
    ([(header::CONTENT_TYPE, "text/html")], unending(html)).into_response()
}

fn unending(begin: impl Into<String>) -> Body {
    let begin = begin.into();
    let begin = futures_util::stream::once(async { Ok::<_, std::io::Error>(begin) });
    let never = futures_util::stream::pending();
    Body::from_stream(futures_util::StreamExt::chain(begin, never))
}
