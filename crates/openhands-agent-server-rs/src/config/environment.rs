//! The environment of the process, read once.

use std::collections::BTreeMap;
use std::ffi::OsString;

use openhands_sdk_rs::tools::browser::variables::EXECUTABLE;

/// Words by which the older variables say yes.
const YES: &[&str] = &["1", "TRUE", "YES"];

/// Variables by name. Those whose name or value is not valid text are left out.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Environment(BTreeMap<String, String>);

impl Environment {
    /// The variables of an iterator such as [`std::env::vars_os`].
    pub fn new(variables: impl IntoIterator<Item = (OsString, OsString)>) -> Self {
        Self(
            variables
                .into_iter()
                .filter_map(|(name, value)| {
                    Some((name.into_string().ok()?, value.into_string().ok()?))
                })
                .collect(),
        )
    }

    /// The value of a variable.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    /// The value of a variable that is set and not empty.
    pub fn given(&self, name: &str) -> Option<&str> {
        self.get(name).filter(|value| !value.is_empty())
    }

    /// Whether a variable has one of these values, in any case.
    pub(crate) fn is_on(&self, name: &str, words: &[&str]) -> bool {
        self.get(name)
            .is_some_and(|value| words.contains(&value.to_uppercase().as_str()))
    }

    /// Whether a variable says yes by `1`, `true` or `yes`.
    pub(crate) fn says_yes(&self, name: &str) -> bool {
        self.is_on(name, YES)
    }

    /// Names the program of the browser, as a flag does.
    pub fn set_browser_executable(&mut self, program: &str) {
        self.0.insert(EXECUTABLE.to_owned(), program.to_owned());
    }

    /// All variables, by name.
    pub(crate) fn to_vec(&self) -> Vec<(String, String)> {
        self.0.clone().into_iter().collect()
    }
}

impl<N: Into<String>, V: Into<String>> FromIterator<(N, V)> for Environment {
    fn from_iter<I: IntoIterator<Item = (N, V)>>(variables: I) -> Self {
        Self(
            variables
                .into_iter()
                .map(|(name, value)| (name.into(), value.into()))
                .collect(),
        )
    }
}

/// Only the names: values may be secrets.
impl std::fmt::Debug for Environment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}
