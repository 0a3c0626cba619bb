//! Python's notion of blanks.

/// What `str.isspace` and `\s` mean.
pub(super) fn is_space(character: char) -> bool {
    character.is_whitespace() || matches!(character, '\x1c'..='\x1f')
}

/// `str.strip`
pub(super) fn strip(text: &str) -> &str {
    text.trim_matches(is_space)
}
