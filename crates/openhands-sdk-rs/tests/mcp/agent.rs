//! An agent that uses the tools of servers.

use std::sync::Arc;
use std::time::Duration;

use openhands_sdk_rs::conversation::{Conversation, ConversationConfig, Host, RunEnd};
use openhands_sdk_rs::llm::ScriptedModel;
use openhands_sdk_rs::protocol::Event;
use openhands_sdk_rs::protocol::message::{Message, Role};
use serde_json::{Value, json};

use crate::support::{DEADLINE, program, program_after};

/// What came of the calls, as text.
async fn answers(conversation: &Conversation) -> Vec<String> {
    let events = conversation.events().range(0..u64::MAX).await.unwrap();
    events
        .iter()
        .filter_map(|stored| match stored.event() {
            Event::Observation(event) => Some(event.observation.text()),
            Event::AgentError(event) => Some(event.error.clone()),
            _ => None,
        })
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_calls_servers_sees_new_tools_and_gets_by_without_one_that_failed() {
    let dir = tempfile::tempdir().unwrap();
    let host =
        Host::new(std::env::vars().collect()).with_model(Arc::new(ScriptedModel::from_messages()));
    let agent = json!({
        "llm": {"model": "openai/mock"},
        "tools": [],
        "mcp_config": {
            "a": program(),
            "broken": program_after("exit 7"),
        },
    });
    let config = ConversationConfig::new(serde_json::from_value(agent).unwrap(), dir.path());
    let conversation = Conversation::create(&Arc::new(host), config).await.unwrap();
    conversation
        .update_secrets(serde_json::from_value(json!({"WORD": "hush-hush"})).unwrap())
        .await
        .unwrap();
    let call = |name: &str, arguments: Value| json!({"tools": [{"name": name, "args": arguments}]});
    let script = json!([
        call("a_echo", json!({"text": "hello"})),
        call("a_env", json!({"name": "OWN"})),
        call("a_echo", json!({"text": "the word is $WORD"})),
        call("a_grow", json!({})),
        {"text": "", "delay": 0.5},
        call("a_grown", json!({})),
        call("broken_echo", json!({})),
        "done",
    ]);
    conversation
        .send_message(Message::text(Role::User, format!("MOCK:{script}")))
        .await
        .unwrap();
    let end = tokio::time::timeout(DEADLINE, conversation.run_to_end())
        .await
        .unwrap();
    assert_eq!(end.unwrap(), RunEnd::Finished);
    let answers = answers(&conversation).await;
    assert!(answers[0].contains("hello"), "{answers:?}");
    assert!(answers[1].contains("own value"), "{answers:?}");
    assert!(
        answers[2].contains("the word is <secret-hidden>"),
        "{answers:?}"
    );
    assert!(answers[3].contains("grown"), "{answers:?}");
    assert!(
        !answers[4].contains("not found"),
        "the new tool is known: {answers:?}"
    );
    assert!(
        answers[5].contains("Tool 'broken_echo' not found"),
        "{answers:?}"
    );
    tokio::time::timeout(Duration::from_secs(30), conversation.close())
        .await
        .unwrap()
        .unwrap();
}
