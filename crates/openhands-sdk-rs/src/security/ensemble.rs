//! The analyzer that asks several others.

use super::risk::highest;
use super::{Analyzer, AnalyzerError};
use futures_util::future::join_all;
use openhands_protocol::event::{ActionEvent, SecurityRisk};
use std::sync::Arc;

/// Asks several analyzers and takes the highest concrete risk.
#[derive(Debug, Clone)]
pub struct EnsembleAnalyzer {
    analyzers: Vec<Arc<dyn Analyzer>>,
    propagate_unknown: bool,
}

impl EnsembleAnalyzer {
    /// An ensemble; with `propagate_unknown` one `UNKNOWN` makes the whole unknown.
    pub fn new(analyzers: Vec<Arc<dyn Analyzer>>, propagate_unknown: bool) -> Self {
        Self {
            analyzers,
            propagate_unknown,
        }
    }

    /// Asks all of them at once.
    pub async fn risk(&self, action: &ActionEvent) -> SecurityRisk {
        let answers = join_all(
            self.analyzers
                .iter()
                .map(|analyzer| analyzer.assess(action)),
        )
        .await;
        fuse(answers, self.propagate_unknown)
    }
}

/// One risk out of several answers. An analyzer that failed counts as `HIGH`.
pub fn fuse(
    answers: impl IntoIterator<Item = Result<SecurityRisk, AnalyzerError>>,
    propagate_unknown: bool,
) -> SecurityRisk {
    let risks: Vec<SecurityRisk> = answers
        .into_iter()
        .map(|answer| {
            answer.unwrap_or_else(|error| {
                tracing::warn!(%error, "security analyzer failed, its answer counts as HIGH");
                SecurityRisk::High
            })
        })
        .collect();
    if propagate_unknown && risks.contains(&SecurityRisk::Unknown) {
        return SecurityRisk::Unknown;
    }
    highest(risks)
}

#[cfg(test)]
#[path = "ensemble_tests.rs"]
mod tests;
