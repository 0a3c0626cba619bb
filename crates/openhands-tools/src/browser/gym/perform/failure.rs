//! What is told to the agent when the browser does not do an action.

use super::call_log::CallLog;
use crate::browser::BrowserError;
use crate::browser::gym::language::{Exception, Mistake};

/// An error of the browser, in the form of the reference: `Error: Page.goto: …`, and what was tried.
pub(super) fn failed(method: &str, error: &BrowserError, log: &CallLog) -> Mistake {
    let text = match error {
        BrowserError::Refused { method, message } => {
            format!("Protocol error ({method}): {message}")
        }
        other => other.to_string(),
    };
    said(Exception::Error, method, &text, log)
}

/// A text of the browser's driver about one of its methods.
pub(super) fn said(exception: Exception, method: &str, text: &str, log: &CallLog) -> Mistake {
    Mistake::new(exception, format!("{method}: {text}{}", log.print()))
}
