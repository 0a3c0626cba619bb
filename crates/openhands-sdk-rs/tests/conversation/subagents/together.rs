//! Sub-agents side by side, below each other, and cut off.

use std::time::Duration;

use openhands_sdk_rs::conversation::{Conversation, RunEnd};
use openhands_sdk_rs::protocol::conversation::ExecutionStatus;
use openhands_sdk_rs::protocol::tool::Observation;
use pretty_assertions::assert_eq;
use serde_json::json;

use crate::subagents::{
    bash, begin, boss, call, definition, finish, is_alive, mock, observations, play, prompt_tokens,
    subagent_directories, task, tasks, until,
};
use crate::world::{World, kinds, script};
/// Each of two tasks ends only when the other one is at work.
#[tokio::test(flavor = "multi_thread")]
async fn tasks_of_one_answer_work_side_by_side() {
    let world = World::new();
    let conversation = begin(&world, boss(&["task"]), Vec::new()).await;
    let meet = |mine: &str, other: &str| {
        let wait = format!(
            "touch {mine}; for i in $(seq 600); do if test -e {other}; then echo met > {mine}; break; fi; sleep 0.05; done"
        );
        json!({"name": "task", "args": {"prompt": mock(&json!([bash(&wait), finish(mine)]))}})
    };
    play(
        &conversation,
        &json!([{"tools": [meet("a", "b"), meet("b", "a")]}, finish("done")]),
    )
    .await;
    let texts: Vec<_> = tasks(&conversation)
        .await
        .into_iter()
        .map(|it| it.2)
        .collect();
    assert_eq!(texts, ["a", "b"]);
    for name in ["a", "b"] {
        let path = world.dir.path().join("project").join(name);
        assert_eq!(std::fs::read_to_string(path).unwrap(), "met\n");
    }
    conversation.close().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn sub_agents_have_sub_agents() {
    let world = World::new();
    let middle = definition("middle", &["task_tool_set"]);
    let conversation = begin(&world, boss(&["task"]), vec![middle]).await;
    let inner = mock(&json!([bash("echo deep > deep.txt"), finish("from below")]));
    let outer = mock(&json!([
        call(
            "task",
            &json!({"prompt": inner, "subagent_type": "bash-runner"})
        ),
        finish("passed on"),
    ]));
    play(
        &conversation,
        &json!([
            call("task", &json!({"prompt": outer, "subagent_type": "middle"})),
            finish("done")
        ]),
    )
    .await;
    assert_eq!(
        tasks(&conversation).await,
        [task("task_00000001", "completed", "passed on")]
    );
    assert!(world.dir.path().join("project/deep.txt").exists());
    let middle = &subagent_directories(&world, &conversation)[0];
    let below: Vec<_> = std::fs::read_dir(middle.join("subagents"))
        .unwrap()
        .collect();
    assert_eq!(below.len(), 1);
    // The middle one's two calls and the two below it.
    assert_eq!(
        prompt_tokens(&conversation, "task:task_00000001"),
        Some(400)
    );
    conversation.close().await.unwrap();
}

/// An interrupt of the outermost conversation reaches a command two levels below at once.
#[tokio::test(flavor = "multi_thread")]
async fn an_interrupt_leaves_no_survivors_at_any_depth() {
    let world = World::new();
    let middle = definition("middle", &["task_tool_set"]);
    let conversation = begin(&world, boss(&["task"]), vec![middle]).await;
    let sleeper = mock(&json!([bash(
        "sleep 4321 & echo $! > pid.tmp; mv pid.tmp pid; wait"
    )]));
    let outer = mock(&json!([call("task", &json!({"prompt": sleeper}))]));
    let order = json!({"prompt": outer, "subagent_type": "middle"});
    conversation
        .send_message(script(json!([call("task", &order)])))
        .await
        .unwrap();
    conversation.run().await.unwrap();
    let file = world.dir.path().join("project/pid");
    until("the command runs", || file.exists()).await;
    let pid = std::fs::read_to_string(&file).unwrap();
    assert!(is_alive(&pid));
    let asked = tokio::time::Instant::now();
    conversation.interrupt().await.unwrap();
    assert!(
        asked.elapsed() < Duration::from_secs(5),
        "{:?}",
        asked.elapsed()
    );
    assert_eq!(conversation.status(), ExecutionStatus::Paused);
    until("the command is dead", || !is_alive(&pid)).await;
    let mut kinds = kinds(&conversation).await;
    assert_eq!(
        kinds.split_off(kinds.len() - 4),
        [
            "Action(task)",
            "AgentErrorEvent",
            "S(paused)",
            "InterruptEvent"
        ]
    );
    // What it had used until then is booked.
    assert_eq!(
        prompt_tokens(&conversation, "task:task_00000001"),
        Some(200)
    );
    // It goes on, and the same task can be taken up.
    let resume = json!({"prompt": mock(&json!([finish("alive")])), "resume": "task_00000001", "subagent_type": "middle"});
    play(
        &conversation,
        &json!([call("task", &resume), finish("done")]),
    )
    .await;
    assert_eq!(
        tasks(&conversation).await,
        [task("task_00000001", "completed", "alive")]
    );
    conversation.close().await.unwrap();
}

/// What the delegate tool has answered: whether it is an error, and the text.
async fn delegations(conversation: &Conversation) -> Vec<(bool, String)> {
    let observations = observations(conversation).await;
    let delegations = observations
        .iter()
        .filter(|it| matches!(it, Observation::Delegate(_)));
    delegations.map(|it| (it.is_error(), it.text())).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn delegation_that_cannot_be_is_refused() {
    let world = World::new();
    let conversation = begin(&world, boss(&["delegate"]), Vec::new()).await;
    let cases = [
        (
            json!({"command": "spawn"}),
            "At least one ID is required for spawn action",
        ),
        (
            json!({"command": "spawn", "ids": ["a"], "agent_types": ["x", "y"]}),
            "agent_types length (2) cannot exceed ids length (1)",
        ),
        (
            json!({"command": "spawn", "ids": ["a", "b", "c", "d", "e", "f"]}),
            "Cannot spawn 6 agents. Already have 0 agents, maximum is 5",
        ),
        (
            json!({"command": "spawn", "ids": ["a"], "agent_types": ["nobody"]}),
            "failed to spawn agents: Unknown agent 'nobody'. Available types: bash-runner, code-explorer, \
             general-purpose.",
        ),
        (
            json!({"command": "delegate"}),
            "at least one task is required for delegate action",
        ),
        (
            json!({"command": "delegate", "tasks": {"z": "y"}}),
            "sub-agents not found: z. Available agents: ",
        ),
    ];
    let mut answers: Vec<_> = cases
        .iter()
        .map(|(args, _)| call("delegate", args))
        .collect();
    answers.push(finish("done"));
    assert_eq!(play(&conversation, &json!(answers)).await, RunEnd::Finished);
    let expected = cases.map(|(_, text)| (true, text.to_owned()));
    assert_eq!(delegations(&conversation).await, expected);
    assert!(subagent_directories(&world, &conversation).is_empty());
    conversation.close().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn delegates_work_side_by_side_and_remember() {
    let world = World::new();
    let conversation = begin(&world, boss(&["delegate"]), Vec::new()).await;
    let meet = |mine: &str, other: &str| {
        let wait = format!(
            "touch {mine}; for i in $(seq 600); do if test -e {other}; then echo met > {mine}; break; fi; sleep 0.05; done"
        );
        mock(&json!([bash(&wait), finish(mine)]))
    };
    let again = mock(&json!([bash("echo $$ > again-shell"), finish("a again")]));
    let failing = mock(&json!([{"status": 401}]));
    let together = json!({"a": meet("m1", "m2"), "b": meet("m2", "m1")});
    let answers = json!([
        call(
            "delegate",
            &json!({"command": "spawn", "ids": ["a", "b"], "agent_types": ["bash-runner", " "]})
        ),
        call(
            "delegate",
            &json!({"command": "delegate", "tasks": together})
        ),
        call(
            "delegate",
            &json!({"command": "delegate", "tasks": {"a": again, "b": failing}})
        ),
        finish("done"),
    ]);
    assert_eq!(play(&conversation, &answers).await, RunEnd::Finished);
    let expected = [
        "Successfully spawned 2 sub-agents: a (bash-runner), b (default)",
        "Completed delegation of 2 tasks\n\nResults:\n1. Agent a: m1\n2. Agent b: m2",
        "Completed delegation of 2 tasks with 1 errors\n\nResults:\n1. Agent a: a again\n2. Agent b ERROR: \
         Sub-agent b failed: Your LLM API key appears to be invalid or has expired.\nPartial result:\nm2",
    ];
    let expected = expected.map(|text| (false, text.to_owned()));
    assert_eq!(delegations(&conversation).await, expected);
    assert_eq!(prompt_tokens(&conversation, "delegate:a"), Some(400));
    assert_eq!(prompt_tokens(&conversation, "delegate:b"), Some(200));
    assert_eq!(subagent_directories(&world, &conversation).len(), 2);
    let shell = std::fs::read_to_string(world.dir.path().join("project/again-shell")).unwrap();
    assert!(is_alive(&shell));
    conversation.close().await.unwrap();
    until("the shell of a delegate is dead", || !is_alive(&shell)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_interrupted_delegate_can_go_on() {
    let world = World::new();
    let conversation = begin(&world, boss(&["delegate"]), Vec::new()).await;
    let sleeper = mock(&json!([bash(
        "bash -c 'echo $$ > pid.tmp; mv pid.tmp pid; exec sleep 4323'"
    )]));
    let spawn = json!({"command": "spawn", "ids": ["a"]});
    let order = json!({"command": "delegate", "tasks": {"a": sleeper}});
    conversation
        .send_message(script(json!([
            call("delegate", &spawn),
            call("delegate", &order)
        ])))
        .await
        .unwrap();
    conversation.run().await.unwrap();
    let file = world.dir.path().join("project/pid");
    until("the command runs", || file.exists()).await;
    let pid = std::fs::read_to_string(&file).unwrap();
    conversation.interrupt().await.unwrap();
    until("the command is dead", || !is_alive(&pid)).await;
    let order = json!({"command": "delegate", "tasks": {"a": mock(&json!([finish("back")]))}});
    play(
        &conversation,
        &json!([call("delegate", &order), finish("done")]),
    )
    .await;
    let last = observations(&conversation).await;
    assert_eq!(
        last[1].text(),
        "Completed delegation of 1 tasks\n\nResults:\n1. Agent a: back"
    );
    conversation.close().await.unwrap();
}
