//! What the agent wrote down in earlier conversations, as far as it fits the prompt.

use std::path::{Path, PathBuf};

use openhands_runtime::{LocalWorkspace, Workspace};

use crate::skills::text_if_there;

/// How long both memories together may be, in characters.
const MAX_CHARS: usize = 6_000;
/// Where a project keeps its memory, below the working directory.
const PROJECT_FILE: &str = ".openhands/memory/MEMORY.md";
/// Stands in the place of what did not fit.
const TRUNCATED: &str = "[earlier memory truncated]";

/// The user's own memory, on the machine that the mind runs on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct UserMemory {
    /// The persistence directory; the memory is in `memory/MEMORY.md` below it.
    pub persistence: PathBuf,
    /// How the model should call that directory, such as `~/.openhands`.
    pub shown_as: String,
}

impl UserMemory {
    /// The directory as the model should call it.
    pub(crate) fn directory(&self) -> String {
        format!("{}/memory/", self.shown_as.trim_end_matches('/'))
    }
}

/// Both memories, the user's first: what comes last gets more attention. None if there is nothing in either. A file
/// that cannot be read counts as empty.
pub(crate) async fn load(user: Option<&UserMemory>, workspace: &dyn Workspace) -> Option<String> {
    let mut tiers = Vec::new();
    if let Some(user) = user {
        let machine = LocalWorkspace::new(&user.persistence, &[]);
        let path = user.persistence.join("memory/MEMORY.md");
        let header = format!("# User memory ({}MEMORY.md)", user.directory());
        tiers.extend(index(&machine, &path).await.map(|body| (header, body)));
    }
    let header = format!("# Project memory ({PROJECT_FILE})");
    let project = index(workspace, &workspace.root().join(PROJECT_FILE)).await;
    tiers.extend(project.map(|body| (header, body)));
    (!tiers.is_empty()).then(|| combine(&tiers, MAX_CHARS))
}

async fn index(workspace: &dyn Workspace, path: &Path) -> Option<String> {
    let text = match text_if_there(workspace, path).await {
        Ok(text) => text?,
        Err(error) => {
            tracing::warn!(path = %path.display(), %error, "memory skipped");
            return None;
        }
    };
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

/// Puts headers and bodies together. If that is too long, each body gets an equal share, and what one does not need
/// goes to the others.
fn combine(tiers: &[(String, String)], limit: usize) -> String {
    let count = |text: &str| text.chars().count();
    let lengths: Vec<usize> = tiers.iter().map(|(_, body)| count(body)).collect();
    let frame: usize = tiers
        .iter()
        .map(|(header, _)| count(header) + 1)
        .sum::<usize>()
        + 2 * tiers.len().saturating_sub(1);
    let room = limit.saturating_sub(frame);
    let share = room / tiers.len().max(1);
    let mut budgets: Vec<usize> = lengths.iter().map(|length| share.min(*length)).collect();
    let mut left = room.saturating_sub(budgets.iter().sum());
    for (budget, length) in budgets.iter_mut().zip(&lengths) {
        let more = left.min(length.saturating_sub(*budget));
        *budget += more;
        left -= more;
    }
    let parts: Vec<String> = tiers
        .iter()
        .zip(budgets)
        .map(|((header, body), budget)| format!("{header}\n{}", without_top(body, budget)))
        .collect();
    parts.join("\n\n")
}

/// The last whole lines that fit, below a notice that counts too.
fn without_top(body: &str, budget: usize) -> String {
    if body.chars().count() <= budget {
        return body.to_owned();
    }
    let mut room = budget.saturating_sub(TRUNCATED.len());
    let mut kept = Vec::new();
    for line in body.lines().rev() {
        // Each line has its line break before it.
        let Some(rest) = room.checked_sub(line.chars().count() + 1) else {
            break;
        };
        room = rest;
        kept.push(line);
    }
    kept.push(TRUNCATED);
    kept.reverse();
    kept.join("\n")
}

#[cfg(test)]
#[path = "memory_tests.rs"]
mod tests;
