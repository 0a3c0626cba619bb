//! Which tools a hook is for.

use fancy_regex::Regex;

/// Characters that make a matcher a regular expression.
const REGEX_CHARACTERS: [char; 12] = ['|', '.', '*', '+', '?', '[', ']', '(', ')', '^', '$', '\\'];

/// Whether a hook with this matcher is for the tool. Hooks that belong to no tool have no name to match.
///
/// An empty matcher and `*` are for all. `/…/`, or a matcher with a character that only makes sense in one, is a
/// regular expression for the whole name; one that cannot be read, like everything else, is the name itself.
pub fn matches(matcher: &str, tool: Option<&str>) -> bool {
    if matches!(matcher, "" | "*") {
        return true;
    }
    let Some(tool) = tool else {
        return false;
    };
    let slashed = matcher
        .strip_prefix('/')
        .and_then(|rest| rest.strip_suffix('/'))
        .filter(|inner| !inner.is_empty());
    let pattern = match slashed {
        Some(inner) => Some(inner),
        None => matcher.contains(REGEX_CHARACTERS).then_some(matcher),
    };
    // A pattern that needs too many steps counts as one that does not match; the engine has a limit.
    match pattern.and_then(|pattern| Regex::new(&format!(r"\A(?:{pattern})\z")).ok()) {
        Some(pattern) => pattern.is_match(tool).unwrap_or(false),
        None => matcher == tool,
    }
}

#[cfg(test)]
#[path = "matcher_tests.rs"]
mod tests;
