use openhands_protocol::message::{Content, Message, MessageToolCall, Role};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use super::*;
use crate::error::LlmErrorKind;
use crate::{Completion, ScriptedModel};

fn tool() -> ToolSpec {
    ToolSpec {
        name: "terminal".to_owned(),
        description: String::new(),
        input_schema:
            json!({"properties": {"command": {"type": "string"}}, "required": ["command"]})
                .as_object()
                .cloned()
                .unwrap()
                .into(),
        annotations: None,
        title: String::new(),
        kind: String::new(),
        action_type: String::new(),
        observation_type: None,
    }
}

async fn ask(
    reply: &str,
    history: Vec<Message>,
) -> Result<(Completion, Vec<StreamPart>), LlmError> {
    let inner = Arc::new(ScriptedModel::from_value(&Value::from(vec![reply])).unwrap());
    let model = PromptToolsModel::new(inner, &Llm::default());
    let request = ChatRequest::new(history).with_tools([tool()]);
    let mut parts = model.stream(request, CancellationToken::new()).await?;
    let mut fold = crate::Fold::default();
    let mut seen = Vec::new();
    while let Some(part) = parts.next().await {
        let part = part?;
        seen.push(part.clone());
        fold.add(part);
    }
    Ok((fold.finish()?, seen))
}

fn text(answer: &Completion) -> String {
    Content::join_text(&answer.message.content)
}

#[tokio::test]
async fn a_call_in_the_text_becomes_a_call() {
    let reply =
        "First I look around.\n\n<function=terminal>\n<parameter=command>ls -la</parameter>\n";
    let (answer, parts) = ask(reply, vec![Message::text(Role::User, "go")])
        .await
        .unwrap();
    assert_eq!(text(&answer), "First I look around.");
    let calls = answer.message.tool_calls.unwrap();
    assert_eq!(
        (
            calls[0].id.as_str(),
            calls[0].name.as_str(),
            calls[0].arguments.as_str()
        ),
        ("toolu_01", "terminal", r#"{"command": "ls -la"}"#)
    );
    let spoken: Vec<_> = parts
        .iter()
        .filter(|part| matches!(part, StreamPart::Text(_)))
        .collect();
    assert!(
        spoken.len() > 1,
        "speech is passed on while it arrives: {spoken:?}"
    );
    let heard: String = parts
        .iter()
        .filter_map(|part| match part {
            StreamPart::Text(text) => Some(text.as_str()),
            _ => None,
        })
        .collect();
    assert!(
        !heard.contains('<'),
        "no piece of the call is passed on as speech: {heard}"
    );
}

#[tokio::test]
async fn plain_text_stays_plain_text() {
    for reply in [
        "All done.",
        "  x < y, and 3 <fun of it  ",
        "ends with <func",
        "\n",
    ] {
        let (answer, _) = ask(reply, Vec::new()).await.unwrap();
        assert_eq!(
            (text(&answer).as_str(), answer.message.tool_calls),
            (reply, None)
        );
    }
}

#[tokio::test]
async fn calls_are_numbered_through_the_conversation() {
    let earlier = Message {
        role: Role::Assistant,
        tool_calls: Some(vec![MessageToolCall::default(), MessageToolCall::default()]),
        ..Message::default()
    };
    let (answer, _) = ask(
        "<function=terminal><parameter=command>ls</parameter></function>",
        vec![earlier],
    )
    .await
    .unwrap();
    assert_eq!(
        answer.message.tool_calls.unwrap()[0].id.as_str(),
        "toolu_03"
    );
}

#[tokio::test]
async fn a_call_that_fits_no_tool_is_an_error_for_the_model() {
    let error = ask("<function=nope></function>", Vec::new())
        .await
        .unwrap_err();
    assert_eq!(error.kind, LlmErrorKind::FunctionCallValidation);
    assert_eq!(
        error.message,
        "Function 'nope' not found in available tools: ['terminal']"
    );
}
