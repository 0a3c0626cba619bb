use openhands_protocol::message::Message;
use pretty_assertions::assert_eq;
use serde_json::json;

use super::*;
use crate::model::StopReason;

#[test]
fn usage_is_read_from_all_shapes() {
    let chat = json!({
        "prompt_tokens": 100, "completion_tokens": 20,
        "prompt_tokens_details": {"cached_tokens": 60, "cache_creation_tokens": 7},
        "completion_tokens_details": {"reasoning_tokens": 5}
    });
    let responses = json!({
        "input_tokens": 100, "output_tokens": 20,
        "input_tokens_details": {"cached_tokens": 60},
        "output_tokens_details": {"reasoning_tokens": 5}
    });
    let anthropic = json!({
        "input_tokens": 33, "cache_read_input_tokens": 60, "cache_creation_input_tokens": 7, "output_tokens": 20
    });
    let expected = Usage {
        prompt_tokens: 100,
        completion_tokens: 20,
        cache_read_tokens: 60,
        cache_write_tokens: 7,
        reasoning_tokens: 5,
        cost: None,
    };
    assert_eq!(Usage::from_json(&chat), expected);
    assert_eq!(
        Usage::from_json(&responses),
        Usage {
            cache_write_tokens: 0,
            ..expected
        }
    );
    assert_eq!(
        Usage::from_json(&anthropic),
        Usage {
            reasoning_tokens: 0,
            ..expected
        }
    );
    assert_eq!(
        Usage::from_json(&json!({"prompt_tokens": -5})),
        Usage::default()
    );
}

#[test]
fn nonsense_counts_do_not_overflow() {
    let huge = json!({"input_tokens": u64::MAX, "cache_read_input_tokens": u64::MAX, "output_tokens": u64::MAX});
    let usage = Usage::from_json(&huge);
    assert_eq!(usage.prompt_tokens, u64::MAX);
    let mut metrics = Metrics::default();
    for _ in 0..2 {
        record(
            &mut metrics,
            "m",
            None,
            &Completion {
                usage,
                ..Completion::default()
            },
            0.0,
        );
    }
    assert_eq!(
        metrics.accumulated_token_usage.unwrap().prompt_tokens,
        i64::MAX
    );
}

fn price(llm: &Llm, usage: Usage) -> Option<f64> {
    Pricing::of(llm, &crate::catalog::Catalog::default())
        .price(usage)
        .cost
}

fn llm(model: &str) -> Llm {
    Llm {
        model: model.to_owned(),
        ..Llm::default()
    }
}

const MILLION: Usage = Usage {
    prompt_tokens: 1_000_000,
    completion_tokens: 1_000_000,
    cache_read_tokens: 400_000,
    cache_write_tokens: 100_000,
    reasoning_tokens: 0,
    cost: None,
};

#[test]
fn cached_tokens_have_their_own_price() {
    let cost = price(&llm("anthropic/claude-sonnet-4-5"), MILLION).unwrap();
    let expected = 0.5 * 3.0 + 0.4 * 0.3 + 0.1 * 3.75 + 15.0;
    assert!((cost - expected).abs() < 1e-9, "{cost}");
}

#[test]
fn long_requests_have_their_own_price() {
    let cost = price(
        &llm("gemini/gemini-2.5-pro"),
        Usage {
            cache_read_tokens: 0,
            cache_write_tokens: 0,
            ..MILLION
        },
    );
    assert!((cost.unwrap() - 17.5).abs() < 1e-9);
}

#[test]
fn an_unknown_model_costs_unknown_and_not_nothing() {
    assert_eq!(price(&llm("openai/home-made"), MILLION), None);
}

#[test]
fn prices_of_the_user_win_if_both_are_given() {
    let mut custom = llm("anthropic/claude-sonnet-4-5");
    custom.input_cost_per_token = Some(1e-6);
    assert!(
        price(&custom, MILLION).unwrap() > 10.0,
        "one price alone is none"
    );
    custom.output_cost_per_token = Some(2e-6);
    assert!((price(&custom, MILLION).unwrap() - 3.0).abs() < 1e-9);
}

#[test]
fn what_the_provider_says_it_charged_wins_over_all() {
    let usage =
        Usage::from_json(&json!({"prompt_tokens": 10, "completion_tokens": 1, "cost": 0.25}));
    assert_eq!(price(&llm("openrouter/openai/gpt-4o"), usage), Some(0.25));
}

#[test]
fn answers_add_up() {
    let mut metrics = Metrics::default();
    for (id, cost) in [("a", Some(0.5)), ("b", None)] {
        let answer = Completion {
            message: Message::default(),
            response_id: id.into(),
            usage: Usage {
                prompt_tokens: 10,
                completion_tokens: 2,
                cost,
                ..Usage::default()
            },
            stop: StopReason::Completed,
            latency: Duration::from_millis(1500),
        };
        record(&mut metrics, "openai/x", Some(8000), &answer, 7.0);
    }
    let sum = metrics.accumulated_token_usage.unwrap();
    assert_eq!((sum.prompt_tokens, sum.completion_tokens), (20, 4));
    assert_eq!(
        (
            sum.context_window,
            sum.per_turn_token,
            sum.response_id.as_str()
        ),
        (8000, 12, "")
    );
    assert!((metrics.accumulated_cost - 0.5).abs() < 1e-9);
    assert_eq!(metrics.costs.len(), 1, "an unknown cost is not recorded");
    assert_eq!(metrics.token_usages.len(), 2);
    assert_eq!(metrics.response_latencies[1].response_id, "b");
}
