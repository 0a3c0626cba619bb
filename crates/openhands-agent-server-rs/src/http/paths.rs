//! Which paths there are: for redirects between a path with and without a slash at its end.

use axum::http::Uri;

use crate::http::Operation;

/// The path with the slash at its end taken off or added, if that is one that is served and this one is not.
pub(crate) fn other_spelling(operations: &[Operation], path: &str) -> Option<String> {
    if path == "/" {
        return None;
    }
    let other = match path.strip_suffix('/') {
        Some(shorter) => shorter.trim_end_matches('/').to_owned(),
        None => format!("{path}/"),
    };
    let is_served = operations
        .iter()
        .any(|operation| matches(operation.path, &other));
    (is_served && !other.is_empty()).then_some(other)
}

/// Whether a path is one of a pattern.
pub(crate) fn matches(pattern: &str, path: &str) -> bool {
    let mut parts = path.split('/');
    for wanted in pattern.split('/') {
        if wanted.starts_with("{*") {
            return parts.next().is_some_and(|part| !part.is_empty());
        }
        let Some(part) = parts.next() else {
            return false;
        };
        let fits = if wanted.starts_with('{') {
            !part.is_empty()
        } else {
            wanted == part
        };
        if !fits {
            return false;
        }
    }
    parts.next().is_none()
}

/// The whole address of a path at the host that the client named.
pub(crate) fn address(host: &str, path: &str, uri: &Uri) -> String {
    let query = uri.query().map(|query| format!("?{query}"));
    format!("http://{host}{path}{}", query.unwrap_or_default())
}

/// What is left of a path below the path of the server's public address.
pub(crate) fn below<'a>(root: &str, path: &'a str) -> &'a str {
    match path.strip_prefix(root) {
        Some("") if !root.is_empty() => "/",
        Some(rest) if rest.starts_with('/') => rest,
        _ => path,
    }
}

/// The path of a public address, without a slash at its end.
pub(crate) fn root_of(web_url: Option<&str>) -> String {
    let uri = web_url.and_then(|url| url.parse::<Uri>().ok());
    uri.map(|uri| uri.path().trim_end_matches('/').to_owned())
        .unwrap_or_default()
}

#[cfg(test)]
#[path = "paths_tests.rs"]
mod tests;
