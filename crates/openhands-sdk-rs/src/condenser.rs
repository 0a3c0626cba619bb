//! Condensers: how an agent forgets, so that a long conversation still fits.
//!
//! [`condense`] looks at a view and answers with nothing or with a [`Condensation`] event: the ids of what is
//! forgotten, and a summary in its place. Whoever calls it appends the event; the view applies it.
//!
//! A condensation that is only wished for (the view is long) is left for later when none can be made. One that is
//! needed (it was asked for, or the request would not fit) is made or fails: it never leaves the view as it was.

mod plan;
mod preview;
mod summarize;

use std::sync::Arc;

use openhands_llm::{ChatModel, Completion, LlmError};
use openhands_protocol::agent::{Condenser, LlmSummarizingCondenser};
use openhands_protocol::event::Condensation;
use openhands_protocol::llm::Llm;
use tokio_util::sync::CancellationToken;

use crate::view::View;

/// Makes the model of a condenser's settings.
pub(crate) type Connect<'a> =
    dyn Fn(&Llm) -> Result<Arc<dyn ChatModel>, LlmError> + Send + Sync + 'a;

/// What is known of the agent's own requests.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct RequestSize {
    /// Tokens that the agent's model takes in, if known.
    pub max_input_tokens: Option<u64>,
    /// About how many tokens the agent's tools have.
    pub tool_tokens: u64,
}

/// What a condenser answers.
#[derive(Debug)]
pub(crate) enum Condensed {
    /// The view may stay as it is.
    Nothing,
    /// This is to be forgotten.
    Forgotten(Box<Forgotten>),
}

/// What is to be forgotten, and what it cost to sum it up.
#[derive(Debug)]
pub(crate) struct Forgotten {
    /// To be appended to the log.
    pub condensation: Condensation,
    /// The answer that the summary was taken from.
    pub completion: Completion,
    /// The settings of the model that was asked: its use is counted under their usage id.
    pub llm: Llm,
}

/// Why a condensation that was needed could not be made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum CondenseError {
    /// There is nothing left that a summary would make shorter.
    #[error(
        "The conversation cannot be condensed: nothing is left in it that a summary would make shorter."
    )]
    NothingToForget,
    /// The model gave no summary.
    #[error("The conversation cannot be condensed: no summary after {attempts} tries. {source}")]
    NoSummary {
        /// How often the model was asked.
        attempts: u32,
        /// What went wrong the last time.
        #[source]
        source: LlmError,
    },
    /// The settings of the condenser's model cannot work.
    #[error("The condenser's model cannot be used. {0}")]
    Model(#[source] LlmError),
    /// The caller cancelled.
    #[error("The condensation was cancelled.")]
    Cancelled,
}

/// Settings of a condenser that cannot work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "keep_first must be smaller than half of max_size less one, or nothing could ever be condensed"
)]
pub(crate) struct NoRoom;

/// Whether a condenser's settings can work.
pub(crate) fn validate(condenser: &Condenser) -> Result<(), NoRoom> {
    match condenser {
        Condenser::LlmSummarizing(settings) => {
            if plan::tail_of(settings, settings.max_size) > 0 {
                Ok(())
            } else {
                Err(NoRoom)
            }
        }
        Condenser::Pipeline(pipeline) => pipeline.condensers.iter().try_for_each(validate),
        Condenser::NoOp(_) | Condenser::Unknown(_) => Ok(()),
    }
}

/// Whether it is of use to ask a condenser for a condensation.
pub(crate) fn accepts_requests(condenser: &Condenser) -> bool {
    match condenser {
        Condenser::LlmSummarizing(_) => true,
        Condenser::Pipeline(pipeline) => pipeline.condensers.iter().any(accepts_requests),
        Condenser::NoOp(_) | Condenser::Unknown(_) => false,
    }
}

/// Whether there is a reason to ask a condenser. Cheap: it is looked at before every question to the model.
pub(crate) fn is_due(condenser: &Condenser, view: &View, size: RequestSize) -> bool {
    summarizing(condenser)
        .into_iter()
        .any(|settings| !plan::Reasons::of(settings, view, size).is_none())
}

/// Asks a condenser what is to be forgotten of a view. The condensers of a pipeline are asked in turn; the first one
/// that forgets something decides.
pub(crate) async fn condense(
    condenser: &Condenser,
    view: &View,
    size: RequestSize,
    connect: &Connect<'_>,
    cancel: CancellationToken,
) -> Result<Condensed, CondenseError> {
    for settings in summarizing(condenser) {
        let answer = summarize::condense(settings, view, size, connect, &cancel).await?;
        if let Condensed::Forgotten(_) = answer {
            return Ok(answer);
        }
    }
    Ok(Condensed::Nothing)
}

/// The condensers that do something, in order.
fn summarizing(condenser: &Condenser) -> Vec<&LlmSummarizingCondenser> {
    match condenser {
        Condenser::LlmSummarizing(settings) => vec![settings],
        Condenser::Pipeline(pipeline) => pipeline.condensers.iter().flat_map(summarizing).collect(),
        Condenser::NoOp(_) | Condenser::Unknown(_) => Vec::new(),
    }
}

#[cfg(test)]
#[path = "condenser_tests.rs"]
mod tests;
