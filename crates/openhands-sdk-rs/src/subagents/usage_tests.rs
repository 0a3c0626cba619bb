use super::*;
use openhands_protocol::Form;
use openhands_protocol::llm::Cost;
use pretty_assertions::assert_eq;
use serde_json::json;

fn used(model: &str, prompt: i64, completion: i64, window: i64, cost: f64) -> Metrics {
    let tokens = TokenUsage {
        model: model.to_owned(),
        prompt_tokens: prompt,
        completion_tokens: completion,
        context_window: window,
        per_turn_token: prompt + completion,
        ..TokenUsage::default()
    };
    Metrics {
        model_name: model.to_owned(),
        accumulated_cost: cost,
        accumulated_token_usage: Some(tokens.clone()),
        token_usages: vec![tokens],
        costs: vec![Cost {
            model: model.to_owned(),
            cost,
            ..Cost::default()
        }],
        ..Metrics::default()
    }
}

/// The values are those that the reference gives for the same uses.
#[test]
fn uses_are_added_up_as_the_reference_does() {
    let mut stats = ConversationStats::default();
    stats
        .usage_to_metrics
        .insert("agent".to_owned(), used("openai/mock", 100, 10, 5, 0.5));
    stats
        .usage_to_metrics
        .insert("c".to_owned(), used("openai/other", 7, 3, 9, 0.25));
    let all = combined(&stats);
    assert_eq!(
        Form::SOCKET.to_value(&all.accumulated_token_usage).unwrap(),
        json!({
            "model": "default", "prompt_tokens": 107, "completion_tokens": 13, "cache_read_tokens": 0,
            "cache_write_tokens": 0, "reasoning_tokens": 0, "context_window": 9, "per_turn_token": 10,
            "response_id": "",
        })
    );
    assert_eq!(all.model_name, "default");
    assert!((all.accumulated_cost - 0.75).abs() < 1e-9);
    assert_eq!((all.token_usages.len(), all.costs.len()), (2, 2));
}

#[test]
fn no_use_is_a_sum_of_nothing() {
    let all = combined(&ConversationStats::default());
    let tokens = all.accumulated_token_usage.unwrap();
    assert_eq!(
        (tokens.model.as_str(), tokens.prompt_tokens),
        ("default", 0)
    );
}
