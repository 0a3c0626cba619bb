//! Why an action cannot be done, in the words that agents know from BrowserGym.

use std::fmt;

/// The kind of an exception of the reference, which its texts begin with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exception {
    AttributeError,
    /// Of the browser's driver.
    Error,
    IndexError,
    NameError,
    RecursionError,
    SyntaxError,
    TimeoutError,
    TypeError,
    ValueError,
}

impl fmt::Display for Exception {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::AttributeError => "AttributeError",
            Self::Error => "Error",
            Self::IndexError => "IndexError",
            Self::NameError => "NameError",
            Self::RecursionError => "RecursionError",
            Self::SyntaxError => "SyntaxError",
            Self::TimeoutError => "TimeoutError",
            Self::TypeError => "TypeError",
            Self::ValueError => "ValueError",
        })
    }
}

/// What is told to the agent: `ValueError: Received an empty action.`
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{exception}: {text}")]
pub struct Mistake {
    pub exception: Exception,
    pub text: String,
}

impl Mistake {
    pub fn new(exception: Exception, text: impl Into<String>) -> Self {
        Self {
            exception,
            text: text.into(),
        }
    }
}
