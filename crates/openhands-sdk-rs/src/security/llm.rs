//! The analyzer that believes the model.

use openhands_protocol::event::{ActionEvent, SecurityRisk};

/// Takes the risk that the model wrote into the call.
#[derive(Debug, Clone, Copy, Default)]
pub struct LlmAnalyzer;

impl LlmAnalyzer {
    /// The risk in the action.
    pub fn risk(&self, action: &ActionEvent) -> SecurityRisk {
        action.security_risk
    }
}
