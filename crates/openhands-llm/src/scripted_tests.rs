use pretty_assertions::assert_eq;

use super::*;

fn request(messages: &[(Role, &str)]) -> ChatRequest {
    ChatRequest::new(
        messages
            .iter()
            .map(|(role, text)| Message::text(*role, *text)),
    )
}

async fn ask(model: &ScriptedModel, request: ChatRequest) -> Result<crate::Completion, LlmError> {
    model.complete(request, CancellationToken::new()).await
}

fn text(answer: &crate::Completion) -> String {
    Content::join_text(&answer.message.content)
}

#[tokio::test]
async fn replies_are_played_in_order_and_then_end() {
    let model = ScriptedModel::from_json(r#"["one", {"text": "two"}]"#).unwrap();
    for expected in ["one", "two", "(end)", "(end)"] {
        assert_eq!(text(&ask(&model, request(&[])).await.unwrap()), expected);
    }
    assert_eq!(model.calls(), 4);
}

#[tokio::test]
async fn the_last_reply_can_repeat() {
    let model = ScriptedModel::from_json(r#"["one", {"text": "again", "repeat": true}]"#).unwrap();
    for expected in ["one", "again", "again", "again"] {
        assert_eq!(text(&ask(&model, request(&[])).await.unwrap()), expected);
    }
}

#[tokio::test]
async fn calls_reasoning_and_usage_are_played() {
    let model = ScriptedModel::from_json(
        r#"[{"text": "Let me look.", "reasoning": "hm, what is here", "tools": [
            {"name": "terminal", "args": {"command": "ls -la"}},
            {"name": "broken", "args": "{\"command\": "},
            {"name": "think", "id": "mine"}],
            "usage": {"prompt_tokens": 7, "prompt_tokens_details": {"cached_tokens": 3}}}]"#,
    )
    .unwrap();
    let answer = ask(&model, request(&[])).await.unwrap();
    let calls = answer.message.tool_calls.clone().unwrap();
    let seen: Vec<_> = calls
        .iter()
        .map(|c| (c.id.as_str(), c.name.as_str(), c.arguments.as_str()))
        .collect();
    assert_eq!(
        seen,
        [
            ("call_1_0", "terminal", r#"{"command": "ls -la"}"#),
            ("call_1_1", "broken", r#"{"command": "#),
            ("mine", "think", "{}"),
        ]
    );
    assert_eq!(
        answer.message.reasoning_content.as_deref(),
        Some("hm, what is here")
    );
    assert_eq!(
        (
            answer.usage.prompt_tokens,
            answer.usage.completion_tokens,
            answer.usage.cache_read_tokens
        ),
        (7, 10, 3)
    );
    assert_eq!(
        (answer.stop.clone(), answer.response_id.as_str()),
        (StopReason::ToolCalls, "chatcmpl-1")
    );
}

#[tokio::test]
async fn a_long_text_arrives_in_pieces() {
    let long = "ä".repeat(50);
    let model = ScriptedModel::from_value(&json!([long.clone()])).unwrap();
    let parts: Vec<_> = model
        .stream(request(&[]), CancellationToken::new())
        .await
        .unwrap()
        .collect()
        .await;
    let pieces: Vec<_> = parts
        .into_iter()
        .filter_map(|part| match part.unwrap() {
            StreamPart::Text(piece) => Some(piece),
            _ => None,
        })
        .collect();
    assert!(pieces.len() > 3);
    assert_eq!(pieces.concat(), long);
}

#[tokio::test]
async fn a_failed_call_has_the_class_of_its_status() {
    let model = ScriptedModel::from_json(
        r#"[{"status": 429}, {"status": 400, "error": {"message": "prompt is too long"}}, "fine"]"#,
    )
    .unwrap();
    assert_eq!(
        ask(&model, request(&[])).await.unwrap_err().kind,
        LlmErrorKind::RateLimit
    );
    assert_eq!(
        ask(&model, request(&[])).await.unwrap_err().kind,
        LlmErrorKind::ContextWindowExceeded
    );
    assert_eq!(text(&ask(&model, request(&[])).await.unwrap()), "fine");
}

#[tokio::test(start_paused = true)]
async fn a_delay_is_waited_for_and_can_be_cancelled() {
    let model = ScriptedModel::from_json(
        r#"[{"text": "late", "delay": 30}, {"text": "late", "delay": 30}]"#,
    )
    .unwrap();
    let begun = tokio::time::Instant::now();
    let answer = ask(&model, request(&[])).await.unwrap();
    assert_eq!(
        (text(&answer).as_str(), begun.elapsed().as_secs()),
        ("late", 30)
    );
    assert_eq!(answer.latency.as_secs(), 30);

    let cancel = CancellationToken::new();
    let later = cancel.clone();
    let cancelling = async move {
        tokio::time::sleep(Duration::from_secs(1)).await;
        later.cancel();
    };
    let (answer, ()) = tokio::join!(model.complete(request(&[]), cancel), cancelling);
    assert_eq!(answer.unwrap_err().kind, LlmErrorKind::Cancelled);
    assert_eq!(begun.elapsed().as_secs(), 31);
}

#[tokio::test]
async fn cancelling_ends_a_stream_at_once() {
    let model = ScriptedModel::from_value(&json!(["x".repeat(1000)])).unwrap();
    let cancel = CancellationToken::new();
    let mut parts = model.stream(request(&[]), cancel.clone()).await.unwrap();
    parts.next().await.unwrap().unwrap();
    cancel.cancel();
    assert_eq!(
        parts.next().await.unwrap().unwrap_err().kind,
        LlmErrorKind::Cancelled
    );
    assert!(parts.next().await.is_none());
}

#[tokio::test]
async fn a_script_in_a_message_is_played_by_the_answers_after_it() {
    let model = ScriptedModel::from_messages();
    let script = r#"Do it. MOCK:["one", {"tools": [{"name": "think", "args": {}}]}] please"#;
    let first = ask(
        &model,
        request(&[(Role::System, "s"), (Role::User, script)]),
    )
    .await
    .unwrap();
    assert_eq!(text(&first), "one");
    let messages = [
        (Role::User, script),
        (Role::Assistant, "one"),
        (Role::User, "go on"),
    ];
    let second = ask(&model, request(&messages)).await.unwrap();
    assert_eq!(second.message.tool_calls.unwrap()[0].name, "think");
    let none = ask(&model, request(&[(Role::User, "hello")]))
        .await
        .unwrap();
    assert_eq!(text(&none), "mock default reply");
}

#[test]
fn a_script_that_cannot_be_read_is_refused() {
    for script in [
        "{}",
        "[1]",
        "[{\"txt\": \"typo\"}]",
        "[",
        "[{\"tools\": [{}]}]",
    ] {
        let error = ScriptedModel::from_json(script).unwrap_err();
        assert_eq!(error.kind, LlmErrorKind::Configuration, "{script}");
    }
}
