//! The same calls, here and there, have the same observations.

use openhands_protocol::ConversationId;
use openhands_sdk_rs::runtime::{LocalRuntime, Runtime};
use openhands_sdk_rs::tools::{Machine, Place, Registry};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::world::{World, action, context, env, tools};

/// Calls of every tool that needs nothing but files and a shell, some of which fail.
fn calls(work: &std::path::Path) -> Vec<(&'static str, Value)> {
    let path = |name: &str| work.join(name).to_string_lossy().into_owned();
    vec![
        ("terminal", json!({"command": "echo hello; echo err >&2"})),
        ("terminal", json!({"command": "cd /; export A=1; false"})),
        (
            "terminal",
            json!({"command": "echo $A; pwd; printf '\\303\\244 \\033[1mbold\\033[0m'"}),
        ),
        ("terminal", json!({"command": "echo a\necho b"})),
        ("terminal", json!({"command": "sleep 5", "timeout": 0.2})),
        ("terminal", json!({"command": "C-c", "is_input": true})),
        ("terminal", json!({"command": "", "reset": true})),
        (
            "file_editor",
            json!({"command": "create", "path": path("a.txt"), "file_text": "one\ntwo\n"}),
        ),
        (
            "file_editor",
            json!({"command": "view", "path": path("a.txt")}),
        ),
        (
            "file_editor",
            json!({"command": "str_replace", "path": path("a.txt"), "old_str": "two", "new_str": "2"}),
        ),
        (
            "file_editor",
            json!({"command": "insert", "path": path("a.txt"), "insert_line": 1, "new_str": "between"}),
        ),
        (
            "file_editor",
            json!({"command": "undo_edit", "path": path("a.txt")}),
        ),
        (
            "file_editor",
            json!({"command": "view", "path": path("missing.txt")}),
        ),
        (
            "file_editor",
            json!({"command": "view", "path": "relative.txt"}),
        ),
        (
            "write_file",
            json!({"file_path": path("b.txt"), "content": "alpha\nbeta\n"}),
        ),
        ("read_file", json!({"file_path": path("b.txt")})),
        ("read_file", json!({"file_path": path("missing.txt")})),
        (
            "edit",
            json!({"file_path": path("b.txt"), "old_string": "beta", "new_string": "gamma"}),
        ),
        ("list_directory", json!({"dir_path": work})),
        ("glob", json!({"pattern": "*.txt", "path": work})),
        ("grep", json!({"pattern": "gam+a", "path": work})),
        (
            "task_tracker",
            json!({"command": "plan", "task_list": [{"title": "t", "notes": "", "status": "todo"}]}),
        ),
        ("task_tracker", json!({"command": "view"})),
        (
            "apply_patch",
            json!({"patch": "*** Begin Patch\n*** Add File: c.txt\n+new\n*** End Patch"}),
        ),
    ]
}

/// Without the times of files, which were written twice.
fn timeless(mut observation: Value) -> Value {
    for entry in observation["entries"].as_array_mut().into_iter().flatten() {
        entry["modified_time"] = Value::Null;
    }
    observation
}

async fn observations(runtime: &dyn Runtime, work: &std::path::Path) -> Vec<(String, Value)> {
    let mut seen = Vec::new();
    for (tool, arguments) in calls(work) {
        let action = action(tool, work, &arguments);
        let observed = match runtime.execute(tool, action, context()).await {
            Ok(observation) => timeless(serde_json::to_value(&observation).unwrap()),
            Err(error) => json!(format!("{error:?}")),
        };
        seen.push((format!("{tool} {arguments}"), observed));
    }
    runtime.close().await;
    seen
}

#[tokio::test(flavor = "multi_thread")]
async fn every_tool_answers_as_it_does_locally() {
    let world = World::new().await;
    let work = world.work();
    let machine = Machine {
        place: Place {
            working_dir: work.clone(),
            persistence_dir: None,
        },
        env: env(world.directory.path()),
        ..Machine::default()
    };
    let local = LocalRuntime::new(&Registry::standard(), &tools(), &machine).unwrap();
    let here = observations(&local, &work).await;
    std::fs::remove_dir_all(&work).unwrap();
    std::fs::create_dir(&work).unwrap();
    let remote = world.runtime_of(ConversationId::random());
    let there = observations(&remote, &work).await;
    for (here, there) in here.into_iter().zip(there) {
        assert_eq!(there, here);
    }
}
