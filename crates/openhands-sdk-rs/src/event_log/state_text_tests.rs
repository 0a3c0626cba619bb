use openhands_protocol::llm::{Cost, ResponseLatency, TokenUsage};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use super::*;

fn state() -> ConversationState {
    serde_json::from_value(json!({
        "id": "0d8f6c5e-1b7a-4c53-9f0e-2b1f6a7c8d9e",
        "agent": {"kind": "Agent", "llm": {"model": "openai/x", "usage_id": "agent"}, "tools": []},
        "workspace": {"kind": "LocalWorkspace", "working_dir": "/w"},
        "agent_state": {"costs": [], "stats": {"usage_to_metrics": {}}},
    }))
    .unwrap()
}

fn call(metrics: &mut Metrics, number: u32) {
    metrics.accumulated_cost += 0.25;
    metrics.costs.push(Cost {
        model: "m \"q\"".to_owned(),
        cost: f64::from(number),
        ..Cost::default()
    });
    metrics.response_latencies.push(ResponseLatency {
        response_id: format!("r{number}"),
        ..ResponseLatency::default()
    });
    metrics.token_usages.push(TokenUsage {
        prompt_tokens: i64::from(number),
        ..TokenUsage::default()
    });
}

fn of_agent(state: &mut ConversationState) -> &mut Metrics {
    let uses = &mut state.stats.usage_to_metrics;
    uses.entry("agent".to_owned()).or_default()
}

fn check(text: &mut StateText, state: &mut ConversationState) {
    let before = state.clone();
    let written = text.write(state, &Form::DISK_UNSEALED).unwrap();
    assert_eq!(*state, before);
    let plain = Form::DISK_UNSEALED.to_vec(state).unwrap();
    assert_eq!(
        serde_json::from_slice::<Value>(&written).unwrap(),
        serde_json::from_slice::<Value>(&plain).unwrap()
    );
    assert_eq!(written.len(), plain.len());
}

#[test]
fn spliced_text_says_what_plain_text_says_as_the_lists_grow() {
    let (mut text, mut state) = (StateText::default(), state());
    check(&mut text, &mut state);
    for number in 0..30 {
        let use_id = if number % 3 == 0 {
            "agent"
        } else {
            "condenser"
        };
        call(
            state
                .stats
                .usage_to_metrics
                .entry(use_id.to_owned())
                .or_default(),
            number,
        );
        check(&mut text, &mut state);
    }
}

#[test]
fn a_list_that_was_replaced_or_cut_is_written_anew() {
    let (mut text, mut state) = (StateText::default(), state());
    for number in 0..5 {
        call(
            state
                .stats
                .usage_to_metrics
                .entry("agent".to_owned())
                .or_default(),
            number,
        );
    }
    check(&mut text, &mut state);
    state.stats.usage_to_metrics["agent"].costs.truncate(2);
    check(&mut text, &mut state);
    state.stats.usage_to_metrics["agent"].token_usages[4].prompt_tokens = 99;
    check(&mut text, &mut state);
    state.stats = ConversationStats::default();
    check(&mut text, &mut state);
    call(
        state
            .stats
            .usage_to_metrics
            .entry("agent".to_owned())
            .or_default(),
        77,
    );
    check(&mut text, &mut state);
}

#[test]
fn an_unknown_member_that_looks_like_a_list_is_left_as_it_is() {
    let (mut text, mut state) = (StateText::default(), state());
    let metrics = of_agent(&mut state);
    call(metrics, 1);
    let sum: TokenUsage = serde_json::from_value(json!({"nested": {"costs": []}})).unwrap();
    metrics.accumulated_token_usage = Some(sum);
    check(&mut text, &mut state);
}

#[test]
fn at_rest_short_lists_are_forgotten_and_written_again() {
    let (mut text, mut state) = (StateText::default(), state());
    let metrics = of_agent(&mut state);
    call(metrics, 1);
    check(&mut text, &mut state);
    text.rest();
    assert!(text.uses.is_empty());
    check(&mut text, &mut state);
    for number in 0..1_000 {
        call(of_agent(&mut state), number);
    }
    check(&mut text, &mut state);
    text.rest();
    assert!(!text.uses.is_empty(), "that would be much to write again");
    check(&mut text, &mut state);
}
