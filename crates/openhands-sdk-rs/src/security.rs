//! How risky an action is, and whether it waits for the user.
//!
//! ```text
//! ActionEvent ─► Analyzer ─► SecurityRisk ─► confirmation policy ─► waits or runs
//!                 ├ LlmAnalyzer          what the model wrote
//!                 ├ PatternAnalyzer      regular expressions, then the shell's own reading of the text
//!                 ├ PolicyRailAnalyzer   fixed rules over the shell's reading
//!                 └ EnsembleAnalyzer     several of them
//! ```
//!
//! Nothing here runs, expands or looks up anything: an action is judged by its text alone.

mod ensemble;
mod llm;
mod pattern;
mod policy;
mod policy_rail;
mod removal;
mod risk;
mod shell_ast;
mod text;

pub use ensemble::{EnsembleAnalyzer, fuse};
pub use llm::LlmAnalyzer;
pub use pattern::PatternAnalyzer;
pub use policy::{batch_waits, should_confirm};
pub use policy_rail::PolicyRailAnalyzer;
pub use risk::{at_least, highest, rank};

use futures_util::FutureExt as _;
use futures_util::future::{BoxFuture, ready};
use openhands_protocol::event::{ActionEvent, SecurityRisk};
use openhands_protocol::security::SecurityAnalyzer;
use std::fmt::Debug;
use std::sync::Arc;

/// Says how risky an action is.
///
/// Implementers may ask a model or a service. They must not carry out any part of the action. A failure is an error
/// and not a guess: callers count it as `HIGH`.
pub trait Analyzer: Debug + Send + Sync {
    /// The risk of `action`.
    fn assess<'a>(
        &'a self,
        action: &'a ActionEvent,
    ) -> BoxFuture<'a, Result<SecurityRisk, AnalyzerError>>;
}

/// An analyzer cannot be made, or could not answer.
#[derive(Debug, thiserror::Error)]
pub enum AnalyzerError {
    /// A pattern of the settings is no regular expression that this crate can run.
    #[error("bad security pattern: {0}")]
    BadPattern(#[source] regex::Error),
    /// The settings name an analyzer that is not available here.
    #[error("security analyzer '{0}' is not available")]
    Unavailable(String),
    /// It could not answer.
    #[error("security analyzer failed: {0}")]
    Failed(String),
}

/// The analyzer that settings ask for.
pub fn analyzer(settings: &SecurityAnalyzer) -> Result<Arc<dyn Analyzer>, AnalyzerError> {
    Ok(match settings {
        SecurityAnalyzer::Llm(_) => Arc::new(LlmAnalyzer),
        SecurityAnalyzer::Pattern(settings) => Arc::new(PatternAnalyzer::new(settings)?),
        SecurityAnalyzer::PolicyRail(_) => Arc::new(PolicyRailAnalyzer),
        SecurityAnalyzer::Ensemble(settings) => {
            let analyzers = settings
                .analyzers
                .iter()
                .map(analyzer)
                .collect::<Result<_, _>>()?;
            Arc::new(EnsembleAnalyzer::new(analyzers, settings.propagate_unknown))
        }
        SecurityAnalyzer::GraySwan(_)
        | SecurityAnalyzer::ToolShield(_)
        | SecurityAnalyzer::Unknown(_) => {
            return Err(AnalyzerError::Unavailable(settings.kind().to_owned()));
        }
    })
}

impl Analyzer for LlmAnalyzer {
    fn assess<'a>(
        &'a self,
        action: &'a ActionEvent,
    ) -> BoxFuture<'a, Result<SecurityRisk, AnalyzerError>> {
        ready(Ok(self.risk(action))).boxed()
    }
}

impl Analyzer for PatternAnalyzer {
    fn assess<'a>(
        &'a self,
        action: &'a ActionEvent,
    ) -> BoxFuture<'a, Result<SecurityRisk, AnalyzerError>> {
        ready(Ok(self.risk(action))).boxed()
    }
}

impl Analyzer for PolicyRailAnalyzer {
    fn assess<'a>(
        &'a self,
        action: &'a ActionEvent,
    ) -> BoxFuture<'a, Result<SecurityRisk, AnalyzerError>> {
        ready(Ok(self.risk(action))).boxed()
    }
}

impl Analyzer for EnsembleAnalyzer {
    fn assess<'a>(
        &'a self,
        action: &'a ActionEvent,
    ) -> BoxFuture<'a, Result<SecurityRisk, AnalyzerError>> {
        self.risk(action).map(Ok).boxed()
    }
}

#[cfg(test)]
#[path = "security_tests.rs"]
mod tests;
