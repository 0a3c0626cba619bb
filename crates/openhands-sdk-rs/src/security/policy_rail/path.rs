//! Which paths no command may remove or overwrite.

use crate::security::shell_ast::Word;

/// Directories of the system; what is below them counts, too.
const SYSTEM: &[&str] = &["etc", "usr", "var", "home", "boot"];

/// Whether a word names the root, everything in it, the home, or something in a directory of the system.
pub(super) fn is_protected(word: &Word) -> bool {
    let Some(text) = word.known() else {
        return false;
    };
    if word.starts_with_tilde {
        let below = text.strip_prefix('~').unwrap_or(text);
        return below.is_empty() || absolute(below).is_some_and(|parts| parts.is_empty());
    }
    if text == "/*" {
        return true;
    }
    let Some(parts) = absolute(text) else {
        return false;
    };
    let Some(first) = parts.first() else {
        return true;
    };
    // `/etc*` takes `/etc` along.
    let name = if word.is_pattern {
        first.trim_end_matches('*')
    } else {
        first
    };
    SYSTEM
        .iter()
        .any(|system| name.eq_ignore_ascii_case(system))
}

/// Whether a path names something below `/dev`.
pub(super) fn is_device(path: &str) -> bool {
    absolute(path).is_some_and(|parts| parts.len() > 1 && parts.first() == Some(&"dev"))
}

/// The parts of an absolute path with `.` and `..` worked out; none for a relative one.
fn absolute(path: &str) -> Option<Vec<&str>> {
    let mut parts = Vec::new();
    for part in path.strip_prefix('/')?.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            name => parts.push(name),
        }
    }
    Some(parts)
}

#[cfg(test)]
#[path = "path_tests.rs"]
mod tests;
