//! The ids of elements, carried through the accessibility tree inside of what describes them.

/// What the marked attributes begin with.
const MARK: &str = "browsergym_id_";

/// The id in a description and the description without it.
pub(super) fn split(description: &str) -> (Option<&str>, &str) {
    let Some(rest) = description.strip_prefix(MARK) else {
        return (None, description);
    };
    let end = rest
        .find(|character: char| !character.is_ascii_alphanumeric())
        .unwrap_or(rest.len());
    let (bid, original) = rest.split_at_checked(end).unwrap_or((rest, ""));
    if bid.is_empty() {
        return (None, description);
    }
    let mut without_blank = original.chars();
    let original = match without_blank.next() {
        Some(blank) if super::python::is_space(blank) => without_blank.as_str(),
        _ => original,
    };
    (Some(bid), original)
}
