//! How tasks end, and how they are taken up again.

use std::sync::Arc;

use openhands_sdk_rs::conversation::{Conversation, ConversationConfig, Fork, Host, RunEnd};
use openhands_sdk_rs::protocol::Form;
use openhands_sdk_rs::protocol::agent::AgentDefinition;
use openhands_sdk_rs::protocol::conversation::ExecutionStatus;
use pretty_assertions::assert_eq;
use serde_json::json;

use crate::subagents::{
    bash, begin, boss, call, definition, finish, is_alive, mock, observations, play, prompt_tokens,
    saved_state, stored_events, subagent_directories, task, tasks, until,
};
use crate::world::{World, kinds};
#[tokio::test(flavor = "multi_thread")]
async fn a_task_is_done_in_a_conversation_of_its_own() {
    let world = World::new();
    let conversation = begin(&world, boss(&["task_tool_set"]), Vec::new()).await;
    let prompt = mock(&json!([
        bash("echo by-child > made.txt"),
        finish("it is made")
    ]));
    let end = play(
        &conversation,
        &json!([call("task", &json!({"prompt": prompt})), finish("done")]),
    )
    .await;
    assert_eq!(end, RunEnd::Finished);
    assert_eq!(
        kinds(&conversation).await,
        [
            "SystemPromptEvent",
            "Message(User)",
            "S(last_user_message_id)",
            "S(running)",
            "Action(task)",
            "ObservationEvent",
            "Action(finish)",
            "ObservationEvent",
            "S(finished)",
        ]
    );
    let made = world.dir.path().join("project/made.txt");
    let directories = subagent_directories(&world, &conversation);
    assert_eq!(directories.len(), 1);
    let made = std::fs::read_to_string(made);
    assert_eq!(
        made.as_deref().ok(),
        Some("by-child\n"),
        "{}",
        stored_events(&directories[0])
    );
    let observation = &observations(&conversation).await[0];
    assert_eq!(
        Form::SOCKET.to_value(observation).unwrap(),
        json!({
            "content": [{"cache_prompt": false, "type": "text", "text": "it is made"}],
            "is_error": false,
            "task_id": "task_00000001",
            "subagent": "general-purpose",
            "status": "completed",
            "kind": "TaskObservation",
        })
    );
    let child = saved_state(&directories[0]);
    assert_eq!(child.execution_status, ExecutionStatus::Finished);
    // Two calls of the parent, two of the child, each of 100 tokens.
    assert_eq!(prompt_tokens(&conversation, "agent"), Some(200));
    assert_eq!(
        prompt_tokens(&conversation, "task:task_00000001"),
        Some(200)
    );
    conversation.close().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn every_end_of_a_task_has_its_answer() {
    let world = World::new();
    let limited = AgentDefinition {
        max_iteration_per_run: Some(2),
        ..definition("limited", &["terminal"])
    };
    let toolless = definition("toolless", &["teleport"]);
    let skilled = AgentDefinition {
        skills: vec!["pdf".to_owned()],
        ..definition("skilled", &[])
    };
    let conversation = begin(&world, boss(&["task"]), vec![limited, toolless, skilled]).await;
    let silent = mock(&json!([finish("")]));
    let endless = mock(&json!([
        {"text": "again", "tools": [{"name": "terminal", "args": {"command": "date +%N"}}], "repeat": true}
    ]));
    let failing = mock(&json!([{"status": 401, "error": {"message": "no such key"}}]));
    let answers = json!([
        call("task", &json!({"prompt": silent})),
        call(
            "task",
            &json!({"prompt": endless, "subagent_type": "limited"})
        ),
        call("task", &json!({"prompt": failing})),
        call("task", &json!({"prompt": "x", "subagent_type": "nobody"})),
        call("task", &json!({"prompt": "x", "subagent_type": "toolless"})),
        call("task", &json!({"prompt": "x", "subagent_type": "skilled"})),
        call("task", &json!({"prompt": "x", "resume": "task_000000ff"})),
        finish("done"),
    ]);
    assert_eq!(play(&conversation, &answers).await, RunEnd::Finished);
    assert_eq!(
        tasks(&conversation).await,
        [
            task(
                "task_00000001",
                "completed",
                "Task completed with no result."
            ),
            task(
                "task_00000002",
                "error",
                "Agent reached maximum iterations limit (2)."
            ),
            task(
                "task_00000003",
                "error",
                "Your LLM API key appears to be invalid or has expired."
            ),
            task(
                "unknown",
                "error",
                "Failed to execute task: Unknown agent 'nobody'. Available types: bash-runner, code-explorer, \
                 general-purpose, limited, skilled, toolless."
            ),
            task(
                "unknown",
                "error",
                "Failed to execute task: Tool 'teleport' is not registered but was given to agent 'toolless'."
            ),
            task(
                "unknown",
                "error",
                "Failed to execute task: Skill 'pdf' not found but was given to agent 'skilled'."
            ),
            task(
                "unknown",
                "error",
                "Failed to execute task: Task 'task_000000ff' not found. Available tasks: task_00000001, \
                 task_00000002, task_00000003"
            ),
        ]
    );
    conversation.close().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_task_is_taken_up_again_and_remembers() {
    let world = World::new();
    let limited = AgentDefinition {
        max_iteration_per_run: Some(2),
        ..definition("limited", &["terminal"])
    };
    let conversation = begin(&world, boss(&["task_tool_set"]), vec![limited]).await;
    let first = mock(&json!([bash("cd /; pwd"), finish("first answer")]));
    // A script that is too short: the model answers "(end)" to what comes after it.
    let second = mock(&json!([bash("pwd")]));
    let endless = mock(&json!([
        {"tools": [{"name": "terminal", "args": {"command": "date +%N"}}], "repeat": true}
    ]));
    let resume = json!({"prompt": second, "resume": "task_00000001"});
    let limited = json!({"prompt": endless, "resume": "task_00000001", "subagent_type": "limited"});
    play(
        &conversation,
        &json!([
            call("task", &json!({"prompt": first})),
            call("task", &resume),
            call("task", &limited),
            finish("done"),
        ]),
    )
    .await;
    assert_eq!(
        tasks(&conversation).await,
        [
            task("task_00000001", "completed", "first answer"),
            task("task_00000001", "completed", "(end)"),
            task(
                "task_00000001",
                "error",
                "Agent reached maximum iterations limit (2).\nPartial result:\n(end)"
            ),
        ]
    );
    assert_eq!(subagent_directories(&world, &conversation).len(), 1);
    // What it used is the sum over all its runs, not added twice.
    assert_eq!(
        prompt_tokens(&conversation, "task:task_00000001"),
        Some(600)
    );

    // Its id is kept with the conversation.
    let id = conversation.id();
    conversation.close().await.unwrap();
    drop(conversation);
    let again = Conversation::open(&world.host, id).await.unwrap();
    let third = json!({"prompt": mock(&json!([finish("still here")])), "resume": "task_00000001"});
    let fresh = json!({"prompt": mock(&json!([finish("new")]))});
    play(
        &again,
        &json!([call("task", &third), call("task", &fresh), finish("done")]),
    )
    .await;
    assert_eq!(
        tasks(&again).await[3..],
        [
            task("task_00000001", "completed", "still here"),
            task("task_00000002", "completed", "new"),
        ]
    );
    again.close().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_conversation_in_memory_keeps_its_tasks_there() {
    let world = World::new();
    let mut host = Host::clone(&world.host);
    host.directory = None;
    let host = Arc::new(host);
    let config = ConversationConfig::new(boss(&["task"]), world.dir.path().join("project"));
    let conversation = Conversation::create(&host, config).await.unwrap();
    let first = json!({"prompt": mock(&json!([finish("first")]))});
    let second = json!({"prompt": mock(&json!([finish("second")])), "resume": "task_00000001"});
    play(
        &conversation,
        &json!([call("task", &first), finish("done")]),
    )
    .await;
    conversation.rest().await;
    play(
        &conversation,
        &json!([call("task", &second), finish("done")]),
    )
    .await;
    assert_eq!(
        tasks(&conversation).await,
        [
            task("task_00000001", "completed", "first"),
            task("task_00000001", "completed", "second"),
        ]
    );
    assert_eq!(
        prompt_tokens(&conversation, "task:task_00000001"),
        Some(200)
    );
    conversation.close().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_copy_does_not_have_the_tasks_of_its_original() {
    let world = World::new();
    let conversation = begin(&world, boss(&["task"]), Vec::new()).await;
    let first = json!({"prompt": mock(&json!([finish("first")]))});
    play(
        &conversation,
        &json!([call("task", &first), finish("done")]),
    )
    .await;
    let copy = conversation.fork(Fork::default()).await.unwrap();
    let resume = json!({"prompt": "x", "resume": "task_00000001"});
    play(&copy, &json!([call("task", &resume), finish("done")])).await;
    let last = tasks(&copy).await.pop().unwrap();
    assert_eq!((last.0.as_str(), last.1.as_str()), ("unknown", "error"));
    assert!(
        last.2.contains("Task 'task_00000001' not found."),
        "{last:?}"
    );
    copy.close().await.unwrap();
    conversation.close().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn the_shell_of_a_task_ends_with_it() {
    let world = World::new();
    let conversation = begin(&world, boss(&["task"]), Vec::new()).await;
    let left = mock(&json!([
        bash(
            "nohup sleep 4322 >/dev/null 2>&1 & echo $! > left.tmp; mv left.tmp left; echo $$ > shell"
        ),
        finish("done"),
    ]));
    play(
        &conversation,
        &json!([call("task", &json!({"prompt": left})), finish("done")]),
    )
    .await;
    for name in ["left", "shell"] {
        let pid = std::fs::read_to_string(world.dir.path().join("project").join(name)).unwrap();
        until(name, || !is_alive(&pid)).await;
    }
    conversation.close().await.unwrap();
}
