//! Shortening the view when it has become too long, or when somebody asks for it.

use openhands_llm::LlmError;

use crate::agent::step::{Step, StepError, failed};

/// Whether the step went into shortening the view.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Condensing {
    /// It did; the model is asked in the next one.
    Done,
    /// There was no need.
    NotNeeded,
}

impl Step<'_> {
    /// Shortens the view if it is too long.
    pub(crate) async fn condense_if_needed(self) -> Result<Condensing, StepError> {
        Ok(Condensing::NotNeeded)
    }

    /// Asks for a shorter view, if there is somebody to make it; else the failure stands.
    pub(crate) async fn ask_for_condensation(self, failure: LlmError) -> Result<(), StepError> {
        Err(failed(failure))
    }
}
