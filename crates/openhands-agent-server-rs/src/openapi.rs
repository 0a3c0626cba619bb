//! What the API is, for programs and for people: made from the routes and the types, so that it cannot be out of date.

mod components;
mod document;
mod operations;

use std::sync::OnceLock;

use axum::http::header;
use axum::response::IntoResponse;
use bytes::Bytes;

use crate::app::App;
use crate::http::Routes;

/// A page that shows the document. It needs nothing from elsewhere.
const PAGE: &str = include_str!("openapi/page.html");
/// The page may load the document and nothing else.
const POLICY: &str = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; \
                      connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'";

pub(crate) fn routes() -> Routes {
    Routes::new()
        .get("/openapi.json", json)
        .says("This description")
        .hidden()
        .takes_head()
        .get("/docs", page)
        .says("A page to read this description and to try the operations")
        .hidden()
        .takes_head()
        .get("/redoc", page)
        .says("A page to read this description and to try the operations")
        .hidden()
        .takes_head()
}

pub(crate) async fn json() -> impl IntoResponse {
    static DOCUMENT: OnceLock<Bytes> = OnceLock::new();
    let document = DOCUMENT.get_or_init(|| {
        let document = document::document(&App::operations());
        Bytes::from(document.to_string())
    });
    (
        [(header::CONTENT_TYPE, "application/json")],
        document.clone(),
    )
}

pub(crate) async fn page() -> impl IntoResponse {
    let headers = [
        (header::CONTENT_TYPE, "text/html; charset=utf-8"),
        (header::CONTENT_SECURITY_POLICY, POLICY),
    ];
    (headers, PAGE)
}
