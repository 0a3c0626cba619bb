//! Names of operations. Generated clients are called by them, so they are those of the reference.

use crate::http::Operation;

/// Method, path, name and group of each operation of the reference.
const KNOWN: &str = include_str!("operations.txt");

/// How an operation is named and grouped.
pub(super) struct Named {
    /// Unique among all operations.
    pub(super) id: String,
    /// Operations that belong together have the same.
    pub(super) group: Option<&'static str>,
}

/// The path as the documentation writes it.
pub(super) fn path(operation: &Operation) -> String {
    operation.path.replace("{*", "{")
}

/// The name and group of an operation; what the reference does not have is named by its path.
pub(super) fn named(operation: &Operation) -> Named {
    let method = operation.method.as_str();
    let path = path(operation);
    let known = KNOWN.lines().find_map(|line| {
        let mut parts = line.splitn(4, ' ');
        let same = parts.next() == Some(method) && parts.next() == Some(path.as_str());
        same.then_some((parts.next()?, parts.next()?))
    });
    let (name, group) = known.unwrap_or(("do", "-"));
    let path: String = path
        .chars()
        .map(|c| if c.is_alphanumeric() { c } else { '_' })
        .collect();
    Named {
        id: format!("{name}{path}_{}", method.to_lowercase()),
        group: Some(group).filter(|group| *group != "-"),
    }
}
