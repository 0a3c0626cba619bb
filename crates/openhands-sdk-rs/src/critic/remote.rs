//! A critic that lives elsewhere: a model that gives a probability to each of its labels.

use std::time::Duration;

use openhands_protocol::agent::{ApiBasedCritic, CriticResult};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::{Evidence, chat_text, findings};

/// How often it is asked when it fails by itself.
const ATTEMPTS: u32 = 3;
/// The pause before the second try; it doubles from there on.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
/// In place of a time limit that makes no sense.
const DEFAULT_TIMEOUT: Duration = Duration::from_mins(5);
/// The label whose probability is the score.
const SUCCESS_LABEL: &str = "success";

/// Why a remote critic has no answer.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RemoteCriticError {
    /// The settings hold no key.
    #[error("the critic has no API key")]
    NoKey,
    /// The agent has no tools, or no system prompt yet.
    #[error("the critic needs a system prompt and tools to judge by")]
    NoTools,
    /// The critic's model reads another form of conversation.
    #[error("the chat format of {0} is not known; Qwen3 instruct models are")]
    UnknownFormat(String),
    /// The labels do not tell whether the work succeeded.
    #[error("the critic has no label for success")]
    NoSuccessLabel,
    /// It could not be reached in time.
    #[error("the critic cannot be reached: {0}")]
    Unreachable(#[from] reqwest::Error),
    /// It answered with an error.
    #[error("the critic answered with status {0}")]
    Status(u16),
    /// Its answer does not fit the labels.
    #[error("the critic's answer does not fit: {0}")]
    Answer(String),
    /// The caller cancelled.
    #[error("the critic was cancelled")]
    Cancelled,
}

#[derive(Deserialize)]
struct Answer {
    #[serde(default)]
    data: Vec<Probabilities>,
}

#[derive(Deserialize)]
struct Probabilities {
    probs: Vec<f64>,
    num_classes: Option<usize>,
}

pub(super) async fn evaluate(
    critic: &ApiBasedCritic,
    evidence: Evidence<'_>,
    web: &reqwest::Client,
    cancel: CancellationToken,
) -> Result<CriticResult, RemoteCriticError> {
    let body = body(critic, evidence)?;
    let asked = ask(critic, &body, web, FIRST_PAUSE);
    let answer = cancel
        .run_until_cancelled(asked)
        .await
        .ok_or(RemoteCriticError::Cancelled)??;
    let labels = labelled(critic, answer)?;
    let score = labels
        .iter()
        .find(|(label, _)| label == SUCCESS_LABEL)
        .map(|(_, score)| *score)
        .ok_or(RemoteCriticError::NoSuccessLabel)?;
    if !(0.0..=1.0).contains(&score) {
        let why = format!("the score {score} is no probability");
        return Err(RemoteCriticError::Answer(why));
    }
    let ids = evidence.view.ids().map(|id| json!(id.as_str())).collect();
    let found = findings::categorized(critic, &labels);
    Ok(CriticResult {
        score,
        message: Some(explanation(score, labels)),
        metadata: Some(findings::metadata(ids, found).into()),
        ..CriticResult::default()
    })
}

fn body(critic: &ApiBasedCritic, evidence: Evidence<'_>) -> Result<Value, RemoteCriticError> {
    if !chat_text::is_known(&critic.tokenizer_name) {
        let name = critic.tokenizer_name.clone();
        return Err(RemoteCriticError::UnknownFormat(name));
    }
    let messages = evidence.view.messages();
    let has_prompt = messages
        .first()
        .is_some_and(|first| first.role == openhands_protocol::message::Role::System);
    if !has_prompt || evidence.tools.is_empty() {
        return Err(RemoteCriticError::NoTools);
    }
    let tools = if critic.pass_tools_definitions {
        evidence.tools
    } else {
        &[]
    };
    let input = chat_text::of(&messages, tools);
    Ok(json!({"model": critic.model_name, "input": input}))
}

/// Asks again when the critic fails by itself, and only then.
async fn ask(
    critic: &ApiBasedCritic,
    body: &Value,
    web: &reqwest::Client,
    mut pause: Duration,
) -> Result<Answer, RemoteCriticError> {
    let key = critic
        .api_key
        .expose()
        .filter(|key| !key.trim().is_empty())
        .ok_or(RemoteCriticError::NoKey)?;
    let url = format!("{}/classify", critic.server_url);
    let timeout = Duration::try_from_secs_f64(critic.timeout_seconds).unwrap_or(DEFAULT_TIMEOUT);
    let mut attempt = 1;
    loop {
        let request = web.post(&url).bearer_auth(key).timeout(timeout).json(body);
        let answer = request.send().await?;
        let status = answer.status().as_u16();
        if answer.status().is_success() {
            let text = answer.text().await?;
            return serde_json::from_str(&text)
                .map_err(|error| RemoteCriticError::Answer(error.to_string()));
        }
        if status != 500 || attempt == ATTEMPTS {
            return Err(RemoteCriticError::Status(status));
        }
        tokio::time::sleep(pause).await;
        pause *= 2;
        attempt += 1;
    }
}

/// Each label with its probability: the answer has one number for each, in order.
fn labelled(
    critic: &ApiBasedCritic,
    answer: Answer,
) -> Result<Vec<(String, f64)>, RemoteCriticError> {
    let unfit = |why: String| Err(RemoteCriticError::Answer(why));
    let Some(first) = answer.data.into_iter().next() else {
        return unfit("it is empty".to_owned());
    };
    let success = critic.has_success_label.then(|| SUCCESS_LABEL.to_owned());
    let labels: Vec<String> = success
        .into_iter()
        .chain(critic.sentiment_labels.iter().cloned())
        .chain(critic.agent_issue_labels.iter().cloned())
        .chain(critic.infra_labels.iter().cloned())
        .chain(critic.user_followup_labels.iter().cloned())
        .collect();
    let count = first.probs.len();
    if count != labels.len() || first.num_classes.is_some_and(|classes| classes != count) {
        return unfit(format!("{count} numbers for {} labels", labels.len()));
    }
    Ok(labels.into_iter().zip(first.probs).collect())
}

/// The score, then all labels, the likeliest first.
fn explanation(score: f64, mut labels: Vec<(String, f64)>) -> String {
    labels.sort_by(|(_, one), (_, two)| two.total_cmp(one));
    let labels: Vec<_> = labels
        .iter()
        .map(|(label, probability)| format!("\"{label}\": {probability:?}"))
        .collect();
    format!("Success: {score:.2}; {{{}}}", labels.join(", "))
}

#[cfg(test)]
#[path = "remote_tests.rs"]
mod tests;
