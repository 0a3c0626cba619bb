//! Requests to a conversation that works in a container: they are passed on to the server inside, byte for byte.
//!
//! Bodies stream both ways, and path and query stay as the client wrote them. Only what belongs to the two connections is
//! changed: the key becomes that of the container, and headers of a single hop are dropped.

mod body;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::Request;
use axum::http::header::{self, HeaderMap, HeaderName, HeaderValue};
use axum::http::uri::PathAndQuery;
use axum::http::{StatusCode, Uri, Version};
use axum::response::{IntoResponse as _, Response};
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use openhands_protocol::ConversationId;
use tokio::net::TcpStream;

use crate::app::App;
use crate::http::{Access, ApiError, KEY_HEADER, check_access, pairs};
use crate::services::sandboxes::{Sandbox, Slot};
use body::Watched;

/// Tells the server inside which directory the conversation works in, percent-encoded.
pub(crate) const WORKSPACE_HEADER: &str = "x-openhands-workspace";
/// Tells it where the conversation keeps what its tools write.
pub(crate) const DIRECTORY_HEADER: &str = "x-openhands-directory";

const CONNECT: Duration = Duration::from_secs(10);

/// Headers that are for the next hop alone, besides those that `Connection` names.
const HOP: &[&str] = &[
    "connection",
    "keep-alive",
    "proxy-authenticate",
    "proxy-authorization",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];

/// Where a request is answered.
pub(crate) enum Passed {
    /// By this server.
    Here(Request),
    /// By the server in the container, which has answered.
    Answered(Response),
}

/// Passes a request to an operation of a runtime on, if its conversation works in a container.
pub(crate) async fn pass_on(app: &Arc<App>, request: Request) -> Passed {
    let id = conversation_in(request.uri().path());
    let Some(slot) = id.and_then(|id| app.conversations.sandbox(id)) else {
        return Passed::Here(request);
    };
    app.activity.touch();
    let answered = send(&slot, request).await;
    Passed::Answered(answered.unwrap_or_else(|reason| {
        tracing::warn!(conversation = %slot.conversation(), reason, "a request could not be passed on");
        ApiError::new(StatusCode::BAD_GATEWAY, reason).into_response()
    }))
}

fn conversation_in(path: &str) -> Option<ConversationId> {
    let rest = path.strip_prefix("/api/conversations/")?;
    rest.split('/').next()?.parse().ok()
}

async fn send(slot: &Arc<Slot>, request: Request) -> Result<Response, String> {
    let in_use = slot.in_use();
    let mut sandbox = slot.ready().await?;
    let stream = if let Ok(stream) = connect(&sandbox).await {
        stream
    } else {
        // It may have ended unnoticed: then there is another one now.
        sandbox = slot.alive().await?;
        connect(&sandbox).await?
    };
    let request = inward(slot, &sandbox, request)?;
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream))
        .await
        .map_err(|error| failed(&error))?;
    // Ends with the answer: the body of the answer keeps it going.
    tokio::spawn(async move {
        if let Err(error) = connection.await {
            tracing::debug!(%error, "a connection to a container broke");
        }
    });
    let answer = tokio::select! {
        answer = sender.send_request(request) => answer.map_err(|error| failed(&error))?,
        () = sandbox.gone() => return Err(body::ENDED.to_owned()),
    };
    if answer.status() == StatusCode::UNAUTHORIZED {
        // The key is that of the container: somebody else is at its address. The next request finds the right one.
        slot.alive().await?;
        return Err("Another sandbox was at the address of this one. Try again".to_owned());
    }
    let (mut parts, body) = answer.into_parts();
    drop_hop_headers(&mut parts.headers);
    parts.version = Version::HTTP_11;
    // Much output of a command is sent while it prints: its answer may begin long before it ends.
    let gone = async move { sandbox.gone().await };
    let body = Watched::new(body, gone, in_use);
    Ok(Response::from_parts(parts, Body::new(body)))
}

fn failed(error: &hyper::Error) -> String {
    format!("The sandbox of the conversation did not answer: {error}")
}

async fn connect(sandbox: &Sandbox) -> Result<TcpStream, String> {
    let address = sandbox.authority()?;
    let connected = tokio::time::timeout(CONNECT, TcpStream::connect(address.as_str())).await;
    let reason = match connected {
        Ok(Ok(stream)) => {
            let _ = stream.set_nodelay(true);
            keep_alive(&stream);
            return Ok(stream);
        }
        Ok(Err(error)) => error.to_string(),
        Err(_) => "it took too long".to_owned(),
    };
    Err(format!(
        "The sandbox of the conversation cannot be reached: {reason}"
    ))
}

/// A container that vanished says nothing: without this an answer would be awaited for ever.
fn keep_alive(stream: &TcpStream) {
    use rustix::net::sockopt;
    let _ = sockopt::set_socket_keepalive(stream, true);
    let _ = sockopt::set_tcp_keepidle(stream, Duration::from_secs(10));
    let _ = sockopt::set_tcp_keepintvl(stream, Duration::from_secs(5));
    let _ = sockopt::set_tcp_keepcnt(stream, 3);
}

/// The request as the server in the container gets it.
fn inward(slot: &Slot, sandbox: &Sandbox, request: Request) -> Result<Request, String> {
    let (mut parts, body) = request.into_parts();
    let path = parts
        .uri
        .path_and_query()
        .map_or("/", PathAndQuery::as_str)
        .to_owned();
    parts.uri = with_editor_address(&path, sandbox)
        .parse::<Uri>()
        .map_err(|error| error.to_string())?;
    parts.version = Version::HTTP_11;
    drop_hop_headers(&mut parts.headers);
    for name in [header::COOKIE, header::AUTHORIZATION, header::ORIGIN] {
        // Ours, not the container's: the answer is marked for other origins on its way out.
        parts.headers.remove(name);
    }
    let authority = sandbox.authority()?;
    let set = [
        (header::HOST, authority),
        (
            HeaderName::from_static(KEY_HEADER),
            sandbox.key().to_owned(),
        ),
        (
            HeaderName::from_static(WORKSPACE_HEADER),
            encoded(slot.working_dir()),
        ),
        (
            HeaderName::from_static(DIRECTORY_HEADER),
            encoded(slot.directory()),
        ),
    ];
    for (name, value) in set {
        let value = HeaderValue::try_from(value).map_err(|error| error.to_string())?;
        parts.headers.insert(name, value);
    }
    Ok(Request::from_parts(parts, body))
}

/// The editor is reached at another port than the one that it knows.
fn with_editor_address(path: &str, sandbox: &Sandbox) -> String {
    let (before, query) = path.split_once('?').unwrap_or((path, ""));
    if !before.ends_with("/vscode/url") || pairs(query).iter().any(|(name, _)| name == "base_url") {
        return path.to_owned();
    }
    let address = sandbox.editor_url();
    let separator = if query.is_empty() { "" } else { "&" };
    format!("{before}?{query}{separator}base_url={address}")
}

fn drop_hop_headers(headers: &mut HeaderMap) {
    let named: Vec<HeaderName> = headers
        .get_all(header::CONNECTION)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|names| names.split(','))
        .filter_map(|name| name.trim().parse().ok())
        .collect();
    for name in named {
        headers.remove(name);
    }
    for name in HOP {
        headers.remove(*name);
    }
}

/// A path as the value of a header.
fn encoded(path: &Path) -> String {
    use std::fmt::Write as _;
    use std::os::unix::ffi::OsStrExt as _;
    let mut text = String::new();
    for &byte in path.as_os_str().as_bytes() {
        if byte.is_ascii_graphic() && byte != b'%' {
            text.push(char::from(byte));
        } else {
            // Writing to a string does not fail.
            let _ = write!(text, "%{byte:02X}");
        }
    }
    text
}

fn decoded(text: &str) -> Option<PathBuf> {
    use std::os::unix::ffi::OsStringExt as _;
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte == b'%' {
            let digits = [rest.next()?, rest.next()?];
            let digits = std::str::from_utf8(&digits).ok()?;
            bytes.push(u8::from_str_radix(digits, 16).ok()?);
        } else {
            bytes.push(byte);
        }
    }
    let path = PathBuf::from(std::ffi::OsString::from_vec(bytes));
    path.is_absolute().then_some(path)
}

/// Where a conversation works that another server keeps.
pub(crate) struct Told {
    /// Its working directory.
    pub(crate) workspace: PathBuf,
    /// Where it keeps what its tools write.
    pub(crate) directory: PathBuf,
}

/// What the outer server says of a conversation that only it knows. Only who has the key itself is believed: a page that
/// was let in by its cookie must not choose its directory.
pub(crate) fn told(app: &App, headers: &HeaderMap) -> Option<Told> {
    let path = |name: &str| decoded(headers.get(name)?.to_str().ok()?);
    let told = Told {
        workspace: path(WORKSPACE_HEADER)?,
        directory: path(DIRECTORY_HEADER)?,
    };
    check_access(app, Access::Key, headers).ok()?;
    Some(told)
}

#[cfg(test)]
#[path = "forward_tests.rs"]
mod tests;
