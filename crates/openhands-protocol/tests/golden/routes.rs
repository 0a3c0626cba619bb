//! Which type the bodies of each route have.

use crate::compare::Check;
use crate::table;

/// What a route takes and gives.
pub(crate) struct Route {
    pub(crate) method: &'static str,
    pub(crate) path: &'static str,
    pub(crate) request: Option<Check>,
    pub(crate) response: Answer,
}

/// What a route answers when all is well.
pub(crate) enum Answer {
    /// A type of ours.
    Typed(Check),
    /// Something else, and why it has no type.
    Untyped(&'static str),
}

/// A bare number is no object type.
pub(crate) const BARE_NUMBER: &str = "a bare number";
/// Files, pages and streams are no JSON.
pub(crate) const NOT_JSON: &str = "not JSON";

/// Finds the route of a recorded request. Literal segments win over `{}`.
pub(crate) fn find<'a>(routes: &'a [Route], method: &str, path: &str) -> Option<&'a Route> {
    let path = path.split('?').next().unwrap_or_default();
    let found: Vec<&str> = path.split('/').collect();
    routes
        .iter()
        .filter(|route| route.method == method)
        .filter(|route| {
            let wanted: Vec<&str> = route.path.split('/').collect();
            let rest = wanted.last() == Some(&"**");
            (wanted.len() == found.len() || (rest && found.len() >= wanted.len()))
                && wanted
                    .iter()
                    .zip(&found)
                    .all(|(w, f)| *w == "{}" || *w == "**" || w == f)
        })
        .min_by_key(|route| route.path.matches(['{', '*']).count())
}

pub(crate) fn all() -> Vec<Route> {
    let mut routes = table::conversations();
    routes.extend(table::server());
    routes.extend(table::workspace());
    routes.extend(table::models());
    routes.extend(table::extensions());
    // The same routes exist below a conversation.
    let scoped = ["/api/bash/", "/api/file/", "/api/git/", "/api/vscode/"];
    let below: Vec<Route> = table::workspace()
        .into_iter()
        .filter(|route| scoped.iter().any(|prefix| route.path.starts_with(prefix)))
        .map(|route| {
            let path = route.path.replacen("/api/", "/api/conversations/{}/", 1);
            Route {
                path: path.leak(),
                ..route
            }
        })
        .collect();
    routes.extend(below);
    routes
}
