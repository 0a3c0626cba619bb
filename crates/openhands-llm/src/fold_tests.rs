use pretty_assertions::assert_eq;

use super::*;
use crate::error::LlmErrorKind;
use crate::model::Restart;

fn call(index: usize, id: Option<&str>, name: Option<&str>, arguments: &str) -> StreamPart {
    StreamPart::ToolCall(ToolCallDelta {
        index,
        id: id.map(str::to_owned),
        name: name.map(str::to_owned),
        arguments: arguments.to_owned(),
        responses_item_id: None,
    })
}

#[test]
fn pieces_of_parallel_calls_find_their_call() {
    let mut fold = Fold::default();
    for part in [
        StreamPart::Text("I ".into()),
        call(0, Some("a"), Some("terminal"), "{\"command\""),
        StreamPart::Text("look.".into()),
        call(1, Some("b"), Some("think"), ""),
        call(0, None, None, ": \"ls\"}"),
        call(1, None, None, "{not json"),
        StreamPart::End(StopReason::ToolCalls),
    ] {
        fold.add(part);
    }
    let answer = fold.finish().unwrap();
    assert_eq!(Content::join_text(&answer.message.content), "I look.");
    let calls = answer.message.tool_calls.unwrap();
    let seen: Vec<_> = calls
        .iter()
        .map(|c| (c.id.as_str(), c.name.as_str(), c.arguments.as_str()))
        .collect();
    assert_eq!(
        seen,
        [
            ("a", "terminal", "{\"command\": \"ls\"}"),
            ("b", "think", "{not json")
        ]
    );
}

#[test]
fn a_restart_voids_what_came_before() {
    let mut fold = Fold::default();
    fold.add(StreamPart::Text("half an ans".into()));
    fold.add(call(0, Some("a"), Some("terminal"), "{"));
    fold.add(StreamPart::Restart(Restart {
        error: LlmError::no_response(),
        attempt: 2,
        wait: std::time::Duration::ZERO,
    }));
    fold.add(StreamPart::Text("whole".into()));
    fold.add(StreamPart::End(StopReason::Completed));
    let message = fold.finish().unwrap().message;
    assert_eq!(
        (Content::join_text(&message.content), message.tool_calls),
        ("whole".to_owned(), None)
    );
}

#[test]
fn an_answer_without_an_end_is_an_error() {
    let mut fold = Fold::default();
    fold.add(StreamPart::Text("half".into()));
    assert_eq!(
        fold.finish().unwrap_err().kind,
        LlmErrorKind::ServiceUnavailable
    );
}

#[test]
fn a_nonsense_index_neither_panics_nor_fills_memory() {
    let mut fold = Fold::default();
    fold.add(call(usize::MAX - 1, Some("x"), Some("y"), "{}"));
    fold.add(StreamPart::End(StopReason::ToolCalls));
    assert_eq!(fold.finish().unwrap().message.tool_calls, None);
}
