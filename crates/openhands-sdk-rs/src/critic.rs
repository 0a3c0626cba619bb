//! Critics: who judges the work of an agent, and when it is to be done over.
//!
//! [`is_due`] says whether a critic is to be asked, [`evaluate`] asks it, and [`refine`] decides what follows from
//! its answer. A critic that fails says nothing: the caller logs it and goes on without a result.

mod chat_text;
mod findings;
mod remote;

use std::fmt::Write as _;

use openhands_protocol::ToolSpec;
use openhands_protocol::agent::{Critic, CriticMode, CriticResult, IterativeRefinementConfig};
use openhands_protocol::event::ActionEvent;
use openhands_protocol::tool::Action;
use tokio_util::sync::CancellationToken;

use crate::view::View;

pub(crate) use remote::RemoteCriticError;

/// Where the agent's state keeps how often work was done over.
pub(crate) const ITERATION_KEY: &str = "iterative_refinement_iteration";

/// What a critic may be asked about.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Occasion<'a> {
    /// The agent said something.
    Message,
    /// The agent makes a call.
    Action(&'a ActionEvent),
}

/// What a critic looks at.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Evidence<'a> {
    /// What the model was shown.
    pub view: &'a View,
    /// The last action of the agent, the one that is judged included.
    pub last_action: Option<&'a ActionEvent>,
    /// The agent's tools.
    pub tools: &'a [ToolSpec],
    /// What was changed in the repository, if that is known.
    pub git_patch: Option<&'a str>,
}

/// Why a critic has no answer.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CriticError {
    /// The remote critic could not be asked.
    #[error(transparent)]
    Remote(#[from] RemoteCriticError),
    /// It is of a kind that is not known here.
    #[error("unknown kind of critic: {0}")]
    UnknownKind(String),
}

/// The work is to be done over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Refinement {
    /// The user message that asks for it.
    pub message: String,
    /// How often it was asked for, this time included: the new value under [`ITERATION_KEY`].
    pub iteration: i64,
}

/// Whether a critic is to be asked now.
pub(crate) fn is_due(critic: &Critic, occasion: Occasion<'_>) -> bool {
    let (mode, _) = settings(critic);
    match occasion {
        Occasion::Message => true,
        Occasion::Action(event) => mode == Some(&CriticMode::AllActions) || is_finish(event),
    }
}

/// What a critic thinks of the work. `web` is used by those that live elsewhere.
pub(crate) async fn evaluate(
    critic: &Critic,
    evidence: Evidence<'_>,
    web: &reqwest::Client,
    cancel: CancellationToken,
) -> Result<CriticResult, CriticError> {
    let has_patch = evidence
        .git_patch
        .is_some_and(|patch| !patch.trim().is_empty());
    Ok(match critic {
        Critic::Pass(_) => result(1.0, "Every result passes"),
        Critic::EmptyPatch(_) if has_patch => result(1.0, "The repository was changed"),
        Critic::EmptyPatch(_) => result(0.0, "The repository was not changed"),
        Critic::AgentFinished(_) if !has_patch => {
            result(0.0, "The agent did not change the repository")
        }
        Critic::AgentFinished(_) if evidence.last_action.is_some_and(is_finish) => result(
            1.0,
            "The agent changed the repository and finished by itself",
        ),
        Critic::AgentFinished(_) => result(
            0.0,
            "The agent changed the repository but did not finish by itself",
        ),
        Critic::ApiBased(settings) => remote::evaluate(settings, evidence, web, cancel).await?,
        Critic::Unknown(raw) => return Err(CriticError::UnknownKind(raw.kind().to_owned())),
    })
}

/// Whether the agent has to go over its work again after it finished. `iteration` is how often it was asked to before.
pub(crate) fn refine(
    critic: &Critic,
    judged: Option<&CriticResult>,
    iteration: i64,
) -> Option<Refinement> {
    let (_, refinement) = settings(critic);
    let refinement = refinement?;
    let judged = judged?;
    let found = match critic {
        Critic::ApiBased(settings) => findings::has_issue(judged, settings.issue_threshold),
        Critic::AgentFinished(_) | Critic::EmptyPatch(_) | Critic::Pass(_) | Critic::Unknown(_) => {
            false
        }
    };
    if iteration >= refinement.max_iterations
        || (judged.score >= refinement.success_threshold && !found)
    {
        return None;
    }
    let iteration = iteration + 1;
    Some(Refinement {
        message: follow_up(judged, iteration),
        iteration,
    })
}

/// Asks the agent to look at its work again.
fn follow_up(judged: &CriticResult, iteration: i64) -> String {
    let percent = judged.score * 100.0;
    let mut text = format!(
        "A review of your work (iteration {iteration}) gives it a {percent:.1}% chance of being complete.\n"
    );
    for (heading, found) in findings::listed(judged) {
        let _ = writeln!(text, "{heading}: {found}");
    }
    text.push_str(
        "\nGo through the task once more. Check every requirement against what is really there, say which ones hold \
         and which do not, and then finish what is missing.",
    );
    text
}

fn settings(critic: &Critic) -> (Option<&CriticMode>, Option<&IterativeRefinementConfig>) {
    match critic {
        Critic::AgentFinished(critic) => (Some(&critic.mode), critic.iterative_refinement.as_ref()),
        Critic::ApiBased(critic) => (Some(&critic.mode), critic.iterative_refinement.as_ref()),
        Critic::EmptyPatch(critic) => (Some(&critic.mode), critic.iterative_refinement.as_ref()),
        Critic::Pass(critic) => (Some(&critic.mode), critic.iterative_refinement.as_ref()),
        Critic::Unknown(_) => (None, None),
    }
}

fn is_finish(event: &ActionEvent) -> bool {
    matches!(event.action, Some(Action::Finish(_)))
}

fn result(score: f64, message: &str) -> CriticResult {
    CriticResult {
        score,
        message: Some(message.to_owned()),
        ..CriticResult::default()
    }
}

#[cfg(test)]
#[path = "critic_tests.rs"]
mod tests;
