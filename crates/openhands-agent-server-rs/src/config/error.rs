//! What is wrong with a configuration.

/// A setting or a file that cannot be used. The text names it and says what was expected.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {problem}")]
pub struct ConfigError {
    place: String,
    problem: String,
}

impl ConfigError {
    pub(crate) fn new(place: &str, problem: &str) -> Self {
        Self {
            place: place.to_owned(),
            problem: problem.to_owned(),
        }
    }

    pub(crate) fn wanted(place: &str, wanted: &str, found: &str) -> Self {
        Self::new(place, &format!("expected {wanted}, found {found}"))
    }
}
