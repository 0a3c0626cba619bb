use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::fold::Fold;

/// Names and values that mean something to one of the readers, in places where they make no sense.
fn any_json() -> impl Strategy<Value = Value> {
    let word = prop::sample::select(vec![
        "type",
        "delta",
        "choices",
        "message",
        "tool_calls",
        "function",
        "arguments",
        "name",
        "id",
        "index",
        "content",
        "thinking_blocks",
        "signature",
        "usage",
        "prompt_tokens",
        "error",
        "response",
        "output",
        "item",
        "output_index",
        "content_block",
        "content_block_start",
        "content_block_delta",
        "content_block_stop",
        "message_start",
        "message_delta",
        "message_stop",
        "response.output_item.added",
        "response.output_item.done",
        "response.function_call_arguments.delta",
        "response.completed",
        "function_call",
        "reasoning",
        "text",
        "tool_use",
        "partial_json",
        "input",
        "finish_reason",
        "stop",
        "[DONE]",
    ]);
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        word.clone().prop_map(Value::from),
        ".{0,8}".prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 64, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::Array),
            prop::collection::vec((word.clone(), inner), 0..6).prop_map(|members| members
                .into_iter()
                .map(|(name, value)| (name.to_owned(), value))
                .collect()),
        ]
    })
}

proptest! {
    #[test]
    fn no_reply_makes_a_reader_panic(frames in prop::collection::vec(any_json(), 0..12), kind in "[a-z_.]{0,30}") {
        for protocol in [Protocol::Chat, Protocol::Responses, Protocol::Messages] {
            let mut reply = Reply::of(protocol).unwrap();
            let mut parts = Vec::new();
            for frame in &frames {
                let mut frame = frame.clone();
                if let Some(object) = frame.as_object_mut() && !kind.is_empty() {
                    object.entry("type").or_insert_with(|| json!(kind));
                }
                let _ = reply.frame(&frame.to_string(), &mut parts);
                let _ = Reply::of(protocol).unwrap().whole(&frame, &mut parts);
            }
            reply.close(&mut parts);
            let mut fold = Fold::default();
            for part in parts {
                fold.add(part);
            }
            let _ = fold.finish();
        }
    }

    #[test]
    fn no_text_makes_a_reader_panic(data in ".{0,200}") {
        for protocol in [Protocol::Chat, Protocol::Responses, Protocol::Messages] {
            let mut parts = Vec::new();
            let _ = Reply::of(protocol).unwrap().frame(&data, &mut parts);
        }
    }
}
