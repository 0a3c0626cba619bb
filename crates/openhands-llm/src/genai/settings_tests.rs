use super::*;

fn settings(llm: &Llm) -> Settings {
    let features = ModelFeatures::of(llm);
    let target = Target::of(llm, &features).unwrap();
    Settings::of(llm, &target, features)
}

fn llm(model: &str) -> Llm {
    Llm {
        model: model.to_owned(),
        ..Llm::default()
    }
}

#[test]
fn the_limit_of_an_answer_follows_the_rules_in_order() {
    let limit = |llm: &Llm| settings(llm).max_output_tokens;
    assert_eq!(
        limit(&Llm {
            max_output_tokens: Some(5),
            ..llm("openai/gpt-4o")
        }),
        Some(5)
    );
    assert_eq!(limit(&llm("anthropic/claude-sonnet-4-5")), Some(64_000));
    assert_eq!(limit(&llm("openai/gpt-4o")), Some(16_384));
    assert_eq!(
        limit(&llm("mistral/devstral-medium-latest")),
        Some(128_000),
        "half, since it equals the window"
    );
    assert_eq!(limit(&llm("openai/o3")), Some(100_000));
    assert_eq!(limit(&llm("openai/unknown")), None);
    let foreign = Llm {
        base_url: Some("http://h/v1".to_owned()),
        ..llm("openai/gpt-4.1")
    };
    assert_eq!(limit(&foreign), Some(16_384));
    let proxy = Llm {
        base_url: Some("http://h".to_owned()),
        ..llm("litellm_proxy/gpt-4.1")
    };
    assert_eq!(limit(&proxy), Some(32_768));
}

#[test]
fn sampling_is_dropped_for_models_that_refuse_it() {
    let with = |model: &str| {
        settings(&Llm {
            temperature: Some(0.5),
            top_p: Some(0.9),
            ..llm(model)
        })
        .temperature
    };
    assert_eq!(with("openai/gpt-4o"), Some(0.5));
    assert_eq!(with("openai/gpt-5"), None);
    assert_eq!(with("openai/gpt-4o"), Some(0.5));
}

#[test]
fn a_thinking_budget_leaves_room_for_the_answer() {
    assert_eq!(
        settings(&llm("anthropic/claude-sonnet-4-5")).thinking_budget,
        Some(63_999)
    );
    let small = Llm {
        extended_thinking_budget: Some(2000),
        ..llm("anthropic/claude-sonnet-4-5")
    };
    assert_eq!(settings(&small).thinking_budget, Some(2000));
    assert_eq!(
        settings(&llm("anthropic/claude-opus-4-5")).thinking_budget,
        None
    );
}

#[test]
fn the_idle_timeout_is_the_timeout_unless_it_is_another_or_none() {
    let idle = |timeout, stream_idle_timeout| {
        settings(&Llm {
            timeout,
            stream_idle_timeout,
            ..llm("openai/gpt-4o")
        })
        .idle_timeout
    };
    let seconds = |number| Some(Duration::from_secs(number));
    assert_eq!(idle(Some(600), Some(300.0)), seconds(600));
    assert_eq!(idle(Some(600), Some(20.0)), seconds(20));
    assert_eq!(idle(None, Some(300.0)), seconds(300));
    assert_eq!(idle(Some(600), None), None);
    assert_eq!(idle(Some(600), Some(0.0)), None);
}
