//! What surrounds an agent: skills, hooks, critics, condensers, secrets, MCP servers, goals.

use std::sync::Arc;

use openhands_sdk_rs::conversation::{Conversation, Fork, RunEnd};
use openhands_sdk_rs::protocol::Event;
use openhands_sdk_rs::protocol::conversation::ExecutionStatus;
use openhands_sdk_rs::protocol::event::Source;
use openhands_sdk_rs::protocol::message::Content;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::world::{World, kinds, script, user};

async fn events(conversation: &Conversation) -> Vec<Arc<openhands_sdk_rs::event_log::StoredEvent>> {
    conversation.events().range(0..u64::MAX).await.unwrap()
}

/// The value of the last update of a state field.
async fn last_update(conversation: &Conversation, key: &str) -> Option<Value> {
    let events = events(conversation).await;
    events.iter().rev().find_map(|stored| match stored.event() {
        Event::StateUpdate(update) if update.key == key => Some(update.value.0.clone()),
        _ => None,
    })
}

async fn begin(
    world: &World,
    agent: Value,
    change: impl FnOnce(&mut openhands_sdk_rs::conversation::ConversationConfig),
) -> Conversation {
    let mut base = json!({
        "llm": {"model": "openai/mock", "usage_id": "agent"},
        "tools": [{"name": "terminal"}, {"name": "file_editor"}],
    });
    base.as_object_mut()
        .unwrap()
        .extend(agent.as_object().unwrap().clone());
    let mut config = world.config();
    config.agent = serde_json::from_value(base).unwrap();
    change(&mut config);
    Conversation::create(&world.host, config).await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_skill_comes_up_once_by_its_word_and_a_rule_by_its_path() {
    let world = World::new();
    let context = json!({"agent_context": {"skills": [
        {"name": "deploy", "content": "Use the blue cluster.", "trigger": {"type": "keyword", "keywords": ["deploy"]}},
        {"name": "docs", "content": "Write short sentences.", "trigger": {"type": "path", "paths": ["docs/**"]}},
    ], "user_message_suffix": "Be brief."}});
    let conversation = begin(&world, context, |_| {}).await;
    let path = world.dir.path().join("project/docs/a.md");
    let answers = json!([
        {"tools": [{"name": "file_editor", "args": {"command": "create", "path": path, "file_text": "x"}}]},
        {"tools": [{"name": "file_editor", "args": {"command": "view", "path": path}}]},
        "done",
    ]);
    conversation
        .send_message(user(&format!("please deploy MOCK:{answers}")))
        .await
        .unwrap();
    conversation.run_to_end().await.unwrap();
    conversation
        .send_message(user("deploy again MOCK:[\"ok\"]"))
        .await
        .unwrap();
    let mut said = Vec::new();
    let mut rules = Vec::new();
    for stored in events(&conversation).await {
        match stored.event() {
            Event::Message(message) if message.header.source == Source::User => {
                said.push((
                    message.activated_skills.clone(),
                    message
                        .extended_content
                        .iter()
                        .map(|text| text.text.clone())
                        .collect::<String>(),
                ));
            }
            Event::Observation(observation) => rules.push(observation.extended_content.len()),
            _ => {}
        }
    }
    assert_eq!(said[0].0, ["deploy"]);
    assert!(
        said[0].1.contains("Use the blue cluster.") && said[0].1.contains("Be brief."),
        "{}",
        said[0].1
    );
    assert_eq!(said[1].0, Vec::<String>::new());
    assert!(!said[1].1.contains("blue cluster") && said[1].1.contains("Be brief."));
    assert_eq!(rules, [1, 0]);
    assert_eq!(
        last_update(&conversation, "activated_knowledge_skills").await,
        Some(json!(["deploy"]))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn hooks_speak_at_the_start_forbid_a_message_and_forbid_a_stop() {
    let world = World::new();
    let hooks = json!({
        "session_start": [{"hooks": [{"command": "echo '{\"additionalContext\": \"the build is red\"}'"}]}],
        "user_prompt_submit": [{"hooks": [{"command": "grep -q 'bad word' && { echo no such talk >&2; exit 2; } || exit 0"}]}],
        "stop": [{"hooks": [{"command": "test -e stopped && exit 0; touch stopped; echo run the tests >&2; exit 2"}]}],
    });
    let conversation = begin(&world, json!({}), |config| {
        config.hook_config = Some(serde_json::from_value(hooks).unwrap());
    })
    .await;
    conversation
        .send_message(script(json!(["first", "second"])))
        .await
        .unwrap();
    assert_eq!(conversation.run_to_end().await.unwrap(), RunEnd::Finished);
    let texts: Vec<String> = events(&conversation)
        .await
        .iter()
        .filter_map(|stored| match stored.event() {
            Event::Message(message) if message.header.source == Source::Environment => {
                Some(Content::join_text(&message.llm_message.content))
            }
            _ => None,
        })
        .collect();
    assert_eq!(texts.len(), 2, "{texts:?}");
    assert!(texts[0].contains("the build is red"));
    assert!(
        texts[1].starts_with("[Stop hook feedback] run the tests"),
        "{}",
        texts[1]
    );
    assert_eq!(conversation.final_response().await.unwrap(), "second");

    let before = conversation.events().len();
    conversation
        .send_message(user("a bad word MOCK:[\"never said\"]"))
        .await
        .unwrap();
    assert_eq!(conversation.run_to_end().await.unwrap(), RunEnd::Finished);
    let after = kinds(&conversation).await;
    assert!(
        !after[usize::try_from(before).unwrap().min(after.len())..]
            .contains(&"Message(Agent)".to_owned())
    );
    assert_eq!(conversation.final_response().await.unwrap(), "second");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_critic_sends_the_agent_back_to_work() {
    let world = World::new();
    let critic = json!({"critic": {"kind": "EmptyPatchCritic", "iterative_refinement": {"success_threshold": 0.6, "max_iterations": 3}}});
    let conversation = begin(&world, critic, |_| {}).await;
    let finish = json!({"tools": [{"name": "finish", "args": {"message": "done"}}]});
    let answers = json!([
        {"tools": [{"name": "terminal", "args": {"command": "git init -q . && git -c user.name=a -c user.email=a@b commit -q --allow-empty -m x"}}]},
        finish,
        {"tools": [{"name": "terminal", "args": {"command": "echo y > y.txt"}}]},
        finish,
    ]);
    conversation.send_message(script(answers)).await.unwrap();
    assert_eq!(conversation.run_to_end().await.unwrap(), RunEnd::Finished);
    let finishes = kinds(&conversation)
        .await
        .iter()
        .filter(|kind| *kind == "Action(finish)")
        .count();
    assert_eq!(finishes, 2);
    assert_eq!(
        last_update(&conversation, "agent_state").await,
        Some(json!({"iterative_refinement_iteration": 0}))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn secrets_reach_commands_and_never_the_log() {
    let world = World::new();
    let conversation = world.begin().await;
    conversation
        .update_secrets(serde_json::from_value(json!({"TOKEN": "s3cr3t-value"})).unwrap())
        .await
        .unwrap();
    let answers = json!([
        {"tools": [{"name": "terminal", "args": {"command": "echo got $TOKEN"}}]},
        "the value is s3cr3t-value",
    ]);
    conversation
        .send_message(user(&format!(
            "MOCK:{}",
            answers
                .to_string()
                .replace("s3cr3t-value", "s3cr3t-\\u0076alue")
        )))
        .await
        .unwrap();
    assert_eq!(conversation.run_to_end().await.unwrap(), RunEnd::Finished);
    assert_eq!(
        conversation.final_response().await.unwrap(),
        "the value is <secret-hidden>"
    );
    let mut outputs = 0;
    for stored in events(&conversation).await {
        let text = std::str::from_utf8(stored.json()).unwrap();
        assert!(!text.contains("s3cr3t-value"), "{text}");
        outputs += usize::from(text.contains("got <secret-hidden>"));
    }
    assert_eq!(outputs, 1);
    let copy = conversation.fork(Fork::default()).await.unwrap();
    assert_eq!(
        copy.state(|state| state.secret_registry.secret_sources.len()),
        0
    );
    assert_eq!(copy.status(), ExecutionStatus::Idle);
    assert_eq!(
        copy.final_response().await.unwrap(),
        "the value is <secret-hidden>"
    );
}
