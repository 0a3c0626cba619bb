//! Names under which things are kept.

use std::fmt;

use crate::services::settings::error::StoreError;

/// What a file of the name is called.
const ENDING: &str = ".json";
const MAX_PROFILE_LETTERS: usize = 64;
const MAX_SECRET_LETTERS: usize = 64;

/// The name of a profile: also the name of its file, so that nothing in it can lead elsewhere.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ProfileName(String);

impl ProfileName {
    /// The name that a text stands for: `foo.json` is `foo`.
    pub(crate) fn parse(text: &str) -> Result<Self, StoreError> {
        let name = canonical(text);
        if is_profile_name(name) {
            Ok(Self(name.to_owned()))
        } else {
            Err(StoreError::Unreadable(format!(
                "Invalid profile name: '{text}'. A name has 1 to {MAX_PROFILE_LETTERS} letters, digits, dots, dashes \
                 or underscores, and begins with a letter or digit."
            )))
        }
    }

    /// The name.
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    /// Its file.
    pub(crate) fn file(&self) -> String {
        format!("{}{ENDING}", self.0)
    }
}

impl fmt::Display for ProfileName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The name that a text stands for.
pub(crate) fn canonical(text: &str) -> &str {
    text.strip_suffix(ENDING).unwrap_or(text)
}

/// Whether a text can be the name of a profile.
pub(crate) fn is_profile_name(text: &str) -> bool {
    text.len() <= MAX_PROFILE_LETTERS
        && text.starts_with(|letter: char| letter.is_ascii_alphanumeric())
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte))
}

/// Whether a text can be the name of a secret: it becomes a variable of commands.
pub(crate) fn is_secret_name(text: &str) -> bool {
    text.len() <= MAX_SECRET_LETTERS
        && text.starts_with(|letter: char| letter.is_ascii_alphabetic())
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

#[cfg(test)]
#[path = "names_tests.rs"]
mod tests;
