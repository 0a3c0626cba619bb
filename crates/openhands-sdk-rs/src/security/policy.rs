//! Confirmation policies: which actions wait for the user.

use super::risk::at_least;
use openhands_protocol::event::{ActionEvent, SecurityRisk};
use openhands_protocol::security::{ConfirmRisky, ConfirmationPolicy};
use openhands_protocol::tool::Action;

/// Whether an action of this risk waits.
pub fn should_confirm(policy: &ConfirmationPolicy, risk: SecurityRisk) -> bool {
    match policy {
        ConfirmationPolicy::Never(_) => false,
        // A policy of a newer version: asking is the safe reading.
        ConfirmationPolicy::Always(_) | ConfirmationPolicy::Unknown(_) => true,
        ConfirmationPolicy::Risky(ConfirmRisky {
            threshold,
            confirm_unknown,
            ..
        }) => match risk {
            SecurityRisk::Unknown => *confirm_unknown,
            SecurityRisk::Low | SecurityRisk::Medium | SecurityRisk::High => {
                at_least(risk, *threshold)
            }
        },
    }
}

/// Whether a batch waits: one action that needs it stops all.
///
/// A single `finish` or `think` never waits, whatever the policy.
pub fn batch_waits<'a>(
    policy: &ConfirmationPolicy,
    batch: impl IntoIterator<Item = (&'a ActionEvent, SecurityRisk)>,
) -> bool {
    let batch: Vec<_> = batch.into_iter().collect();
    if let [(only, _)] = batch.as_slice()
        && matches!(only.action, Some(Action::Finish(_) | Action::Think(_)))
    {
        return false;
    }
    batch.iter().any(|(_, risk)| should_confirm(policy, *risk))
}

#[cfg(test)]
#[path = "policy_tests.rs"]
mod tests;
