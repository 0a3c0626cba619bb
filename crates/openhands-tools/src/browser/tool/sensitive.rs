//! Typed text that is not repeated in an answer.

/// Text shorter than this is never taken for something secret.
const MIN_CHARS: usize = 6;
/// A token is at least this long.
const MIN_TOKEN_CHARS: usize = 16;

/// What kind of secret a text looks like, if it looks like one: an e-mail address or a credential.
pub(super) fn kind(text: &str) -> Option<&'static str> {
    let length = text.chars().count();
    if length < MIN_CHARS {
        return None;
    }
    if text
        .rsplit_once('@')
        .is_some_and(|(_, domain)| domain.contains('.'))
    {
        return Some("email");
    }
    let is_token = length >= MIN_TOKEN_CHARS
        && text.chars().any(char::is_numeric)
        && text.chars().any(char::is_alphabetic)
        && text.contains(['.', '-', '_']);
    is_token.then_some("credential")
}

/// The answer to having typed: the text itself, or what kind of secret it looks like.
pub(super) fn typed(text: &str, index: i64) -> String {
    match kind(text) {
        Some(kind) => format!("Typed <{kind}> into element {index}"),
        None => format!("Typed '{text}' into element {index}"),
    }
}

#[cfg(test)]
#[path = "sensitive_tests.rs"]
mod tests;
