//! Agents that decide for hooks.

use std::time::Duration;

use openhands_sdk_rs::hooks::AgentHookTask;
use pretty_assertions::assert_eq;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::subagents::{bash, begin, boss, finish, is_alive, mock, subagent_directories, until};
use crate::world::World;
#[tokio::test(flavor = "multi_thread")]
async fn an_agent_decides_for_a_hook_and_leaves_no_trace() {
    let world = World::new();
    let conversation = begin(&world, boss(&["task"]), Vec::new()).await;
    let mind = conversation.hook_mind();
    assert!(mind.model().is_some());
    let hook = |message: String, tools: &[&str]| AgentHookTask {
        usage_id: "agent-hook:guard".to_owned(),
        system_prompt: Some("You guard.".to_owned()),
        tools: tools.iter().map(ToString::to_string).collect(),
        max_iterations: 3,
        call_timeout: Duration::from_mins(1),
        message,
    };
    let looks = mock(&json!([
        bash("echo looked > looked"),
        finish("{\"decision\": \"deny\"}")
    ]));
    let answer = mind
        .run_agent(hook(looks, &["terminal"]), CancellationToken::new())
        .await;
    assert_eq!(answer.answer.as_deref(), Ok("{\"decision\": \"deny\"}"));
    assert_eq!(answer.usage.len(), 1);
    assert_eq!(answer.usage[0].0, "agent-hook:guard");
    let tokens = answer.usage[0].1.accumulated_token_usage.as_ref().unwrap();
    assert_eq!(tokens.prompt_tokens, 200);
    assert!(world.dir.path().join("project/looked").exists());
    assert!(subagent_directories(&world, &conversation).is_empty());
    assert_eq!(conversation.events().len(), 0);

    let endless = mock(&json!([
        {"tools": [{"name": "terminal", "args": {"command": "date +%N"}}], "repeat": true}
    ]));
    let answer = mind
        .run_agent(hook(endless, &["terminal"]), CancellationToken::new())
        .await;
    assert_eq!(
        answer.answer.unwrap_err(),
        "Agent reached maximum iterations limit (3)."
    );
    let unknown = mind
        .run_agent(
            hook("x".to_owned(), &["teleport"]),
            CancellationToken::new(),
        )
        .await;
    assert_eq!(
        unknown.answer.unwrap_err(),
        "ToolDefinition 'teleport' is not registered"
    );
    conversation.close().await.unwrap();
    drop(conversation);
    assert!(mind.model().is_none());
}

/// Work that is dropped rather than cancelled ends what it started.
#[tokio::test(flavor = "multi_thread")]
async fn work_that_is_dropped_leaves_no_survivors() {
    let world = World::new();
    let conversation = begin(&world, boss(&["task"]), Vec::new()).await;
    let mind = conversation.hook_mind();
    let task = AgentHookTask {
        usage_id: "agent-hook:x".to_owned(),
        system_prompt: None,
        tools: vec!["terminal".to_owned()],
        max_iterations: 3,
        call_timeout: Duration::from_mins(1),
        message: mock(&json!([bash(
            "sleep 4324 & echo $! > pid.tmp; mv pid.tmp pid; wait"
        )])),
    };
    let work = tokio::spawn(async move { mind.run_agent(task, CancellationToken::new()).await });
    let file = world.dir.path().join("project/pid");
    until("the command runs", || file.exists()).await;
    let pid = std::fs::read_to_string(&file).unwrap();
    work.abort();
    until("the command is dead", || !is_alive(&pid)).await;
    conversation.close().await.unwrap();
}
