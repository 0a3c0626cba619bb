//! Which pages in a browser may call the server.

use axum::body::Body;
use axum::http::{
    HeaderMap, HeaderName, HeaderValue, Method, Request, Response, StatusCode, header,
};
use axum::response::IntoResponse;
use fancy_regex::Regex;

use crate::config::Config;

const METHODS: &str = "DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT, QUERY";
const PREFLIGHT_VARY: &str = "Origin, Access-Control-Request-Method, Access-Control-Request-Headers, Access-Control-Request-Private-Network";
const MAX_AGE_SECONDS: &str = "600";
const PRIVATE_NETWORK: HeaderName =
    HeaderName::from_static("access-control-request-private-network");

/// Where the cookie for workspace files is made.
const SESSION_PATH: &str = "/api/auth/workspace-session";

/// The origins that are allowed.
#[derive(Debug)]
pub(crate) struct Cors {
    origins: Vec<String>,
    pattern: Option<Regex>,
    docker_host: Option<String>,
}

impl Cors {
    /// Takes them from the configuration. A pattern that cannot be read allows nothing; the configuration refuses it.
    pub(crate) fn new(config: &Config) -> Self {
        let pattern = config.allow_cors_origin_regex.as_deref();
        Self {
            origins: config.allow_cors_origins.clone(),
            pattern: pattern.and_then(|pattern| Regex::new(&format!(r"\A(?:{pattern})\z")).ok()),
            docker_host: config.surroundings.docker_host.clone(),
        }
    }

    /// The answer to a browser's question before a request; none if it is no such question.
    pub(crate) fn preflight<B>(&self, request: &Request<B>) -> Option<Response<Body>> {
        let headers = request.headers();
        let origin = headers.get(header::ORIGIN)?;
        let method = headers.get(header::ACCESS_CONTROL_REQUEST_METHOD)?;
        if request.method() != Method::OPTIONS {
            return None;
        }
        let mut answer = HeaderMap::new();
        answer.insert(header::VARY, HeaderValue::from_static(PREFLIGHT_VARY));
        answer.insert(
            header::ACCESS_CONTROL_ALLOW_METHODS,
            HeaderValue::from_static(METHODS),
        );
        answer.insert(
            header::ACCESS_CONTROL_MAX_AGE,
            HeaderValue::from_static(MAX_AGE_SECONDS),
        );
        allow_credentials(&mut answer);
        let mut failures = Vec::new();
        if self.allows(request.uri().path(), origin) {
            answer.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin.clone());
        } else {
            failures.push("origin");
        }
        if !METHODS.split(", ").any(|known| method == known) {
            failures.push("method");
        }
        if let Some(wanted) = headers.get(header::ACCESS_CONTROL_REQUEST_HEADERS) {
            answer.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, wanted.clone());
        }
        if headers.contains_key(PRIVATE_NETWORK) {
            failures.push("private-network");
        }
        Some(if failures.is_empty() {
            (StatusCode::OK, answer, "OK").into_response()
        } else {
            let text = format!("Disallowed CORS {}", failures.join(", "));
            (StatusCode::BAD_REQUEST, answer, text).into_response()
        })
    }

    /// Says in an answer who may read it.
    pub(crate) fn mark(&self, path: &str, origin: Option<&HeaderValue>, answer: &mut HeaderMap) {
        if let Some(origin) = origin {
            allow_credentials(answer);
            if self.allows(path, origin) {
                answer.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin.clone());
            }
        }
        if !answer.contains_key(header::VARY) {
            answer.insert(header::VARY, HeaderValue::from_static("Origin"));
            return;
        }
        let mut vary: Vec<&[u8]> = answer
            .get_all(header::VARY)
            .iter()
            .map(HeaderValue::as_bytes)
            .collect();
        vary.push(b"Origin");
        if let Ok(vary) = HeaderValue::from_bytes(&vary.join(&b", "[..])) {
            answer.insert(header::VARY, vary);
        }
    }

    fn allows(&self, path: &str, origin: &HeaderValue) -> bool {
        let Ok(origin) = origin.to_str() else {
            return false;
        };
        if is_workspace_path(path) {
            // Pages of any site may embed workspace files, for which the cookie is the key; a page without an origin
            // of its own may not.
            return ["http://", "https://"].iter().any(|scheme| {
                origin
                    .strip_prefix(scheme)
                    .is_some_and(|rest| !rest.is_empty())
            });
        }
        let host = host_of(origin);
        let is_near = host.as_deref().is_some_and(|host| {
            matches!(host, "localhost" | "127.0.0.1") || self.docker_host.as_deref() == Some(host)
        });
        is_near
            || self
                .origins
                .iter()
                .any(|known| known == "*" || known == origin)
            || self
                .pattern
                .as_ref()
                .is_some_and(|pattern| pattern.is_match(origin).unwrap_or(false))
    }
}

fn allow_credentials(headers: &mut HeaderMap) {
    headers.insert(
        header::ACCESS_CONTROL_ALLOW_CREDENTIALS,
        HeaderValue::from_static("true"),
    );
}

/// `/api/auth/workspace-session`, and `/api/conversations/{id}/workspace` with all below it.
fn is_workspace_path(path: &str) -> bool {
    if path == SESSION_PATH {
        return true;
    }
    let Some(rest) = path.strip_prefix("/api/conversations/") else {
        return false;
    };
    let mut parts = rest.splitn(3, '/');
    parts.next().is_some_and(|id| !id.is_empty()) && parts.next() == Some("workspace")
}

/// The host in an origin, in lower case.
fn host_of(origin: &str) -> Option<String> {
    let (_, rest) = origin.split_once("//")?;
    let authority = rest.split(['/', '?', '#']).next()?;
    let host = authority
        .rsplit_once('@')
        .map_or(authority, |(_, host)| host);
    let name = match host.strip_prefix('[') {
        Some(address) => address.split(']').next()?,
        None => host.split(':').next()?,
    };
    (!name.is_empty()).then(|| name.to_lowercase())
}

#[cfg(test)]
#[path = "cors_tests.rs"]
mod tests;
