use super::*;
use openhands_protocol::JsonObject;
use openhands_protocol::ToolCallId;
use pretty_assertions::assert_eq;

fn result(text: &str) -> Message {
    Message {
        tool_call_id: Some(ToolCallId::new("c")),
        ..Message::text(Role::Tool, text)
    }
}

fn conversation() -> Vec<Arc<Message>> {
    let mut two = Message::text(Role::User, "one");
    two.content.push("two".into());
    [
        Message::text(Role::System, "Be good."),
        two,
        Message {
            role: Role::Assistant,
            ..Message::default()
        },
        result("first"),
        result("second"),
        Message::text(Role::Assistant, "Done."),
    ]
    .map(Arc::new)
    .into()
}

const TURNS: &str = "<|im_start|>user\none\ntwo<|im_end|>\n<|im_start|>assistant\n<|im_end|>\n<|im_start|>user\n\
<tool_response>\nfirst\n</tool_response>\n<tool_response>\nsecond\n</tool_response><|im_end|>\n\
<|im_start|>assistant\nDone.<|im_end|>\n";

#[test]
fn a_conversation_without_tools() {
    let system = "<|im_start|>system\nBe good.<|im_end|>\n";
    assert_eq!(of(&conversation(), &[]), format!("{system}{TURNS}"));
}

#[test]
fn tools_are_part_of_the_system_message() {
    let tool = ToolSpec {
        name: "look".to_owned(),
        description: "Looks – twice.".to_owned(),
        input_schema: JsonObject::from_iter([("type".to_owned(), json!("object"))]),
        annotations: None,
        title: "look".to_owned(),
        kind: "LookTool".to_owned(),
        action_type: "LookAction".to_owned(),
        observation_type: None,
    };
    let text = of(&conversation(), &[tool]);
    let listed = "<tools>\n{\"type\": \"function\", \"function\": {\"name\": \"look\", \"description\": \
                  \"Looks – twice.\", \"parameters\": {\"type\": \"object\"}}}\n</tools>";
    assert!(text.starts_with("<|im_start|>system\nBe good.\n\n# Tools\n\n"));
    assert!(text.contains(listed));
    assert!(text.ends_with(&format!("</tool_call><|im_end|>\n{TURNS}")));
}

#[test]
fn only_instruct_models_of_the_family_are_known() {
    assert!(is_known("Qwen/Qwen3-4B-Instruct-2507"));
    assert!(!is_known("Qwen/Qwen3-4B-Thinking-2507"));
    assert!(!is_known("meta-llama/Llama-3-8B-Instruct"));
}
