//! What a remote critic found, sorted by what it is about.

use openhands_protocol::agent::{ApiBasedCritic, CriticResult};
use serde_json::{Map, Value, json};

/// Under this name a result keeps what was found.
const MEMBER: &str = "categorized_features";
/// What is less likely is not listed.
const LISTED_FROM: f64 = 0.2;
const SENTIMENT: &str = "sentiment_";

const ISSUES: &str = "agent_behavioral_issues";
const FOLLOW_UPS: &str = "user_followup_patterns";
const INFRASTRUCTURE: &str = "infrastructure_issues";
const OTHER: &str = "other";

/// The facts that a critic is not asked for its labels about.
const CONTEXT: [&str; 2] = ["user_goal_summary", "overall_sentiment"];
const TIMING: &str = "follow_up_timing";

/// What was found, by subject, each with its probability and the likeliest first.
pub(super) fn categorized(critic: &ApiBasedCritic, labels: &[(String, f64)]) -> Value {
    let subject = |label: &String| {
        if critic.agent_issue_labels.contains(label) {
            ISSUES
        } else if critic.user_followup_labels.contains(label) || label == TIMING {
            FOLLOW_UPS
        } else if critic.infra_labels.contains(label) {
            INFRASTRUCTURE
        } else {
            OTHER
        }
    };
    let mut found: Vec<_> = labels
        .iter()
        .filter(|(label, probability)| {
            !label.starts_with(SENTIMENT)
                && label != "success"
                && !CONTEXT.contains(&label.as_str())
                && *probability >= LISTED_FROM
        })
        .collect();
    found.sort_by(|(_, one), (_, two)| two.total_cmp(one));
    let of = |wanted: &str| -> Vec<Value> {
        found
            .iter()
            .filter(|(label, _)| subject(label) == wanted)
            .map(|(label, probability)| {
                json!({"name": label, "display_name": shown(label), "probability": probability})
            })
            .collect()
    };
    json!({
        "sentiment": sentiment(labels),
        ISSUES: of(ISSUES),
        FOLLOW_UPS: of(FOLLOW_UPS),
        INFRASTRUCTURE: of(INFRASTRUCTURE),
        OTHER: of(OTHER),
    })
}

/// The member of a result's metadata that holds what was found.
pub(super) fn metadata(event_ids: Vec<Value>, categorized: Value) -> Map<String, Value> {
    Map::from_iter([
        ("event_ids".to_owned(), Value::Array(event_ids)),
        (MEMBER.to_owned(), categorized),
    ])
}

/// Whether an issue of the agent is at least this likely.
pub(super) fn has_issue(judged: &CriticResult, threshold: f64) -> bool {
    found(judged, ISSUES)
        .iter()
        .any(|issue| probability(issue) >= threshold)
}

/// What was found, as lines of heading and text.
pub(super) fn listed(judged: &CriticResult) -> Vec<(&'static str, String)> {
    [
        (ISSUES, "Likely weaknesses"),
        (FOLLOW_UPS, "What the user may say next"),
        (INFRASTRUCTURE, "Trouble with the environment"),
        (OTHER, "Further signs"),
    ]
    .into_iter()
    .filter_map(|(subject, heading)| {
        let found: Vec<_> = found(judged, subject)
            .iter()
            .map(|entry| {
                let name = entry.get("display_name").and_then(Value::as_str);
                format!(
                    "{} ({:.0}%)",
                    name.unwrap_or("?"),
                    probability(entry) * 100.0
                )
            })
            .collect();
        (!found.is_empty()).then(|| (heading, found.join(", ")))
    })
    .collect()
}

fn found<'a>(judged: &'a CriticResult, subject: &str) -> &'a [Value] {
    judged
        .metadata
        .as_ref()
        .and_then(|metadata| metadata.get(MEMBER)?.get(subject)?.as_array())
        .map_or(&[], Vec::as_slice)
}

fn probability(entry: &Value) -> f64 {
    entry
        .get("probability")
        .and_then(Value::as_f64)
        .unwrap_or(0.0)
}

/// The likeliest sentiment. The critic's numbers are weights, which are made to add up to one.
fn sentiment(labels: &[(String, f64)]) -> Value {
    let weights: Vec<(&str, f64)> = labels
        .iter()
        .filter_map(|(label, weight)| Some((label.strip_prefix(SENTIMENT)?, weight.exp())))
        .collect();
    let sum: f64 = weights.iter().map(|(_, weight)| weight).sum();
    let all: Map<String, Value> = weights
        .iter()
        .map(|(name, weight)| ((*name).to_owned(), json!(weight / sum)))
        .collect();
    let likeliest = weights
        .iter()
        .rev()
        .max_by(|(_, one), (_, two)| one.total_cmp(two));
    likeliest.map_or(
        Value::Null,
        |(name, weight)| json!({"predicted": shown(name), "probability": weight / sum, "all": all}),
    )
}

/// A label as people read it: words with capitals.
fn shown(label: &str) -> String {
    let capital = |word: &str| {
        let mut chars = word.chars();
        let first = chars.next().map(|first| first.to_uppercase().to_string());
        first.unwrap_or_default() + chars.as_str()
    };
    label.split('_').map(capital).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
#[path = "findings_tests.rs"]
mod tests;
