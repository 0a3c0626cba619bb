//! An agent's hands at work, without a key: `cargo run -p openhands-sdk-rs --example agent_demo`.
//!
//! A script stands in for the model. It asks for the tools of the default preset (and two more), finds a bug in a small
//! program, mends it and proves it, all through the same halves that a real agent uses: a definition
//! validates each call, an executor carries it out in a temporary workspace.
#![allow(clippy::print_stdout)] // a demonstration prints

use openhands_sdk_rs::protocol::tool::Tool;
use openhands_sdk_rs::protocol::{ConversationId, ToolCallId};
use openhands_sdk_rs::tools::{
    CallContext, Machine, OutputSink, Place, Preset, PresetOptions, Registry,
};
use serde_json::{Value, json};
use std::path::Path;

/// One turn of the scripted model: what it thinks, and the call it makes.
struct Turn(&'static str, &'static str, Value);

fn script(workspace: &Path) -> Vec<Turn> {
    let program = workspace.join("mean.sh").display().to_string();
    vec![
        Turn(
            "Three steps will do.",
            "task_tracker",
            json!({"command": "plan", "task_list": [
                {"title": "Write a program that prints the mean of its arguments", "status": "in_progress"},
                {"title": "Run it"}, {"title": "Mend what is wrong"},
            ]}),
        ),
        Turn(
            "First the program.",
            "file_editor",
            json!({"command": "create", "path": program, "file_text":
                "sum=0\nfor number in \"$@\"; do\n  sum=$((sum + number))\ndone\necho $((sum / ($# - 1)))\n"}),
        ),
        Turn(
            "Does it work? The mean of 2, 4 and 6 is 4.",
            "terminal",
            json!({"command": "bash mean.sh 2 4 6"}),
        ),
        Turn(
            "It does not. Where is the division?",
            "grep",
            json!({"pattern": "\\$# - 1"}),
        ),
        Turn(
            "One less than there are: that is the bug.",
            "file_editor",
            json!({"command": "str_replace", "path": program, "old_str": "($# - 1)", "new_str": "$#"}),
        ),
        Turn(
            "Again, and this time as a check that fails loudly.",
            "terminal",
            json!({"command": "cd / && cd - >/dev/null && test \"$(bash mean.sh 2 4 6)\" = 4 && echo correct"}),
        ),
        Turn(
            "And a word for the next reader.",
            "apply_patch",
            json!({"patch": "*** Begin Patch\n*** Update File: mean.sh\n@@\n+# Prints the mean of its arguments.\n sum=0\n*** End Patch"}),
        ),
        Turn(
            "Done.",
            "terminal",
            json!({"command": "cat mean.sh; for n in 1 2 3; do echo \"check $n\"; done"}),
        ),
    ]
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let workspace = tempfile::tempdir()?;
    let place = Place {
        working_dir: workspace.path().to_owned(),
        persistence_dir: Some(workspace.path().join(".conversation")),
    };
    let registry = Registry::standard();
    let mut wanted = Preset::default_agent(PresetOptions::default()).tools;
    wanted.extend([Tool::new("grep"), Tool::new("apply_patch")]);
    let definitions = registry.definitions(&wanted, &place)?;
    let machine = Machine {
        place,
        env: std::env::vars().collect(),
        ..Machine::default()
    };
    let tools = registry.executors(&wanted, &machine)?;
    let conversation = ConversationId::random();

    for (number, Turn(thought, tool, arguments)) in script(workspace.path()).into_iter().enumerate()
    {
        println!(
            "\n\x1b[1m{thought}\x1b[0m\n\x1b[36m{tool}\x1b[0m {}",
            brief(&arguments)
        );
        let definition = definitions
            .get(tool)
            .ok_or_else(|| anyhow::anyhow!("no tool named {tool}"))?;
        let action = definition.decode(arguments.as_object().unwrap_or(&serde_json::Map::new()))?;
        let (output, mut live) = OutputSink::channel(64);
        let context = CallContext {
            output,
            ..CallContext::detached(ToolCallId::new(format!("call_{number}")), conversation)
        };
        let observation = tools.execute(tool, action, context).await?;
        let mut streamed = 0;
        while let Ok(chunk) = live.try_recv() {
            streamed += chunk.len();
        }
        for line in observation.text().trim_end().lines() {
            println!("  {line}");
        }
        if streamed > 0 {
            println!("  \x1b[2m({streamed} bytes arrived while it ran)\x1b[0m");
        }
    }
    tools.close().await;
    Ok(())
}

fn brief(arguments: &Value) -> String {
    let text = arguments.to_string();
    match text.char_indices().nth(110) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text,
    }
}
