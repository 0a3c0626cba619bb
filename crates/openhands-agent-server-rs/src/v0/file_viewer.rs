//! The file viewer: a server beside the main one that shows files of this machine as pages, to browsers on it.
//!
//! `GET /view?path=/abs` is a page: pictures and PDF are embedded, text and code have line numbers, HTML is shown
//! without its scripts, video and audio play from `GET /raw?path=/abs`. It has no key, so that the agent's browser can
//! open it; it listens on the loopback device only, and answers only requests for a local name, because any page could
//! send a browser here under a name of its own.

mod kind;
mod page;

use std::io;
use std::net::Ipv4Addr;
use std::path::{Path, PathBuf};

use axum::Router;
use axum::extract::{Query, Request};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{Html, IntoResponse as _, Json, Response};
use axum::routing::get;
use serde::Deserialize;
use serde_json::json;
use tokio::net::TcpListener;
use tokio_util::task::AbortOnDropHandle;
use uuid::Uuid;

use self::kind::Kind;
use super::actions::read::looks_binary;
use crate::v1::file_response::FileResponse;

/// Ports after the main one that are tried.
const PORTS: u16 = 1024;
/// Nothing of a page comes from elsewhere, and no script runs in it.
const PAGE_POLICY: &str = "default-src 'none'; img-src 'self' data:; media-src 'self' data:; \
    object-src 'self' data:; frame-src 'self' data:; style-src 'unsafe-inline'; base-uri 'none'; \
    form-action 'none'; frame-ancestors 'none'";
/// A picture that is opened by itself may have scripts: SVG is a document.
const RAW_POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; sandbox";

/// The viewer, for as long as it is held.
#[derive(Debug)]
pub(super) struct FileViewer {
    _task: AbortOnDropHandle<()>,
}

impl FileViewer {
    /// Listens on a free port after `port`, and writes the address into `url_file`.
    pub(super) async fn start(port: u16, url_file: &Path) -> io::Result<Self> {
        let listener = listen(port).await?;
        let url = format!("http://localhost:{}", listener.local_addr()?.port());
        let (path, text) = (url_file.to_owned(), url.clone());
        tokio::task::spawn_blocking(move || write_url(&path, &text)).await??;
        tracing::info!(
            "the file viewer listens on {url}, written to {}",
            url_file.display()
        );
        let serving = axum::serve(listener, routes());
        let task = tokio::spawn(async move {
            if let Err(error) = serving.await {
                tracing::error!(%error, "the file viewer ended");
            }
        });
        Ok(Self {
            _task: AbortOnDropHandle::new(task),
        })
    }
}

/// A free port of the range, beginning anywhere in it; any port if the main server takes any.
async fn listen(main: u16) -> io::Result<TcpListener> {
    if main == 0 {
        return TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await;
    }
    let chance = u16::try_from(Uuid::new_v4().as_u128() % u128::from(PORTS)).unwrap_or(0);
    let ports = (0..PORTS).filter_map(|step| {
        let offset = 1 + (chance + step) % PORTS;
        main.checked_add(offset)
    });
    let mut refused = io::Error::from(io::ErrorKind::AddrInUse);
    for port in ports {
        match TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await {
            Ok(listener) => return Ok(listener),
            Err(error) => refused = error,
        }
    }
    Err(refused)
}

/// Written aside and renamed: readers see all or nothing, and a link that somebody put there is not followed.
fn write_url(path: &Path, url: &str) -> io::Result<()> {
    let directory = path
        .parent()
        .filter(|parent| !parent.as_os_str().is_empty());
    let mut aside = tempfile::NamedTempFile::new_in(directory.unwrap_or(Path::new(".")))?;
    io::Write::write_all(&mut aside, url.as_bytes())?;
    // Commands of another user read it.
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o644);
    aside.as_file().set_permissions(mode)?;
    aside.persist(path).map_err(|error| error.error)?;
    Ok(())
}

fn routes() -> Router {
    Router::new()
        .route("/", get(root))
        .route("/view", get(view))
        .route("/raw", get(raw))
        .layer(middleware::from_fn(guard))
}

/// Lets requests for a local name in, and tells browsers to be careful with what goes out.
async fn guard(request: Request, next: Next) -> Response {
    let mut response = if is_local(request.headers()) {
        next.run(request).await
    } else {
        let status = StatusCode::FORBIDDEN;
        refused(status, "This viewer is for browsers on its own machine", "")
    };
    let headers = response.headers_mut();
    for (name, value) in [
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::CACHE_CONTROL, "no-store"),
        (header::REFERRER_POLICY, "no-referrer"),
        (
            header::HeaderName::from_static("cross-origin-resource-policy"),
            "same-origin",
        ),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    if !headers.contains_key(header::CONTENT_SECURITY_POLICY) {
        let policy = HeaderValue::from_static(PAGE_POLICY);
        headers.insert(header::CONTENT_SECURITY_POLICY, policy);
    }
    response
}

fn is_local(headers: &HeaderMap) -> bool {
    let mut hosts = headers.get_all(header::HOST).iter();
    let (Some(host), None) = (hosts.next(), hosts.next()) else {
        return false;
    };
    let Ok(host) = host.to_str() else {
        return false;
    };
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    };
    ["localhost", "127.0.0.1", "[::1]"]
        .iter()
        .any(|local| name.eq_ignore_ascii_case(local))
}

/// What a page is asked for with.
#[derive(Debug, Deserialize)]
struct Wanted {
    path: Option<PathBuf>,
}

async fn root() -> Json<serde_json::Value> {
    Json(json!({"status": "File viewer server is running"}))
}

async fn view(Query(wanted): Query<Wanted>) -> Response {
    match find(wanted).await {
        Err(response) => response,
        Ok((path, Some(kind), size)) => page::show(&path, kind, size)
            .await
            .unwrap_or_else(|error| not_shown(&path, &error.to_string())),
        Ok((path, None, _)) => not_shown(&path, "files of this kind cannot be shown"),
    }
}

/// A file as it is, in parts if they are asked for. Documents are not given out: their scripts would run here.
async fn raw(Query(wanted): Query<Wanted>, headers: HeaderMap) -> Response {
    let (path, kind) = match find(wanted).await {
        Ok((path, kind, _)) => (path, kind),
        Err(response) => return response,
    };
    let Some(media) = kind.and_then(Kind::media) else {
        return not_shown(&path, "files of this kind are not given out as they are");
    };
    let mut response = match FileResponse::open(&path, media.to_owned()).await {
        Ok(file) => match file.answer(&headers) {
            Ok(response) => response,
            Err(error) => error.into_response(),
        },
        Err(error) => return not_shown(&path, &error.to_string()),
    };
    if media == "image/svg+xml" {
        let policy = HeaderValue::from_static(RAW_POLICY);
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_SECURITY_POLICY, policy);
    }
    response
}

/// The file, what it is, and its size. None: nothing that can be shown.
async fn find(wanted: Wanted) -> Result<(PathBuf, Option<Kind>, u64), Response> {
    let Some(path) = wanted.path else {
        let missing = json!({"type": "missing", "loc": ["query", "path"], "msg": "Field required", "input": null});
        let body = Json(json!({"detail": [missing]}));
        return Err((StatusCode::UNPROCESSABLE_ENTITY, body).into_response());
    };
    let shown = path.to_string_lossy().into_owned();
    if !path.is_absolute() {
        let status = StatusCode::BAD_REQUEST;
        return Err(refused(status, "The path is not absolute", &shown));
    }
    let Ok(metadata) = tokio::fs::metadata(&path).await else {
        let status = StatusCode::NOT_FOUND;
        return Err(refused(status, "There is no such file", &shown));
    };
    if metadata.is_dir() {
        let status = StatusCode::BAD_REQUEST;
        return Err(refused(status, "The path is a directory", &shown));
    }
    if !metadata.is_file() {
        // Reading a pipe or a device may never end.
        return Err(not_shown(&path, "it is not a regular file"));
    }
    let mut kind = Kind::by_name(&path);
    if kind.is_none() {
        let sniffed = path.clone();
        let is_binary = tokio::task::spawn_blocking(move || looks_binary(&sniffed)).await;
        kind = (!is_binary.unwrap_or(true)).then_some(Kind::Text);
    }
    Ok((path, kind, metadata.len()))
}

fn not_shown(path: &Path, why: &str) -> Response {
    let shown = format!("{}: {why}", path.display());
    let status = StatusCode::INTERNAL_SERVER_ERROR;
    refused(status, "The file cannot be shown", &shown)
}

fn refused(status: StatusCode, what: &str, more: &str) -> Response {
    let page = format!(
        "<h1>{}</h1><p>{}</p>",
        page::escaped(what),
        page::escaped(more)
    );
    (status, Html(page)).into_response()
}

#[cfg(test)]
#[path = "file_viewer_tests.rs"]
mod tests;
