//! A conversation goes from one implementation to the other and back, twice, whoever began it.

use std::collections::BTreeMap;
use std::path::Path;

use openhands_sdk_rs::protocol::ConversationId;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::provider::KEY;
use crate::python::python;
use crate::reference::Reference;
use crate::world::{SECRET, World, script};

/// How often it changes hands.
const TURNS: usize = 4;

/// A message that makes the agent use the terminal, with the secret, and finish.
fn turn(number: usize) -> String {
    let command =
        format!("echo {number} >> turns.txt; echo length=$(printf %s \"$HANDED_OVER\" | wc -c)");
    script(&json!([
        {"text": "I write it down", "tools": [
            {"id": format!("write_{number}"), "name": "terminal", "args": {"command": command}},
        ], "usage": {"prompt_tokens": 1000 + number, "completion_tokens": 20}},
        {"tools": [{"id": format!("finish_{number}"), "name": "finish", "args": {"message": "done"}}]},
    ]))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_conversation_goes_to_and_fro_whoever_began_it() {
    let Some(python) = python() else { return };
    let world = World::new("NeverConfirm").await;
    let mut reference = Reference::start(&python, &world.log());
    for is_ours_first in [false, true] {
        let id = if is_ours_first {
            let conversation = world.create().await;
            conversation.close().await.unwrap();
            conversation.id()
        } else {
            ConversationId::random()
        };
        hand_to_and_fro(&world, &mut reference, id, is_ours_first).await;
        let turns = world.project().join("turns.txt");
        assert_eq!(std::fs::read_to_string(&turns).unwrap(), "0\n1\n2\n3\n");
        std::fs::remove_file(turns).unwrap();
    }
}

async fn hand_to_and_fro(
    world: &World,
    reference: &mut Reference,
    id: ConversationId,
    is_ours_first: bool,
) {
    let mut files = BTreeMap::new();
    let mut prompt_tokens = 0;
    for number in 0..TURNS {
        let here = is_ours_first == number.is_multiple_of(2);
        let seen = if here {
            world.turn_here(id, &turn(number)).await
        } else {
            let opening = if number == 0 {
                world.beginning(id)
            } else {
                world.opening(id)
            };
            World::turn_there(reference, &opening, &turn(number))
        };
        let side = if here { "ours" } else { "the reference" };
        println!(
            "turn {number} by {side}: {}",
            seen["events"].as_array().unwrap().len()
        );
        // Both know the same, whoever looks.
        assert_eq!(
            world.look_there(reference, id),
            seen,
            "after turn {number} by {side}"
        );
        assert_eq!(
            world.look_here(id).await,
            seen,
            "after turn {number} by {side}"
        );
        // Nothing that was written is ever changed.
        let now = read_all(&world.events(id));
        for (name, text) in &files {
            assert_eq!(now.get(name), Some(text), "{name} after turn {number}");
        }
        files = now;
        prompt_tokens += 1000 + number + 100;
        check(&seen, number, prompt_tokens);
    }
    let used = files.values().filter(|text| is_use_of_secret(text)).count();
    assert_eq!(used, TURNS, "every terminal had the secret");
}

fn check(seen: &Value, number: usize, prompt_tokens: usize) {
    assert_eq!(seen["status"], "finished");
    let calls = 2 * (number + 1);
    assert_eq!(
        seen["stats"],
        json!({"agent": [calls, prompt_tokens, 30 * (number + 1)]})
    );
    assert_eq!(seen["secrets"], json!({SECRET.0: SECRET.1}));
    assert_eq!(seen["api_key"], KEY);
    assert_eq!(seen["tags"], json!({"team": "both"}));
    assert_eq!(seen["marker"], true);
    let kinds: Vec<&Value> = seen["events"]
        .as_array()
        .unwrap()
        .iter()
        .map(|event| &event[2])
        .collect();
    let count = |kind: &str| kinds.iter().filter(|found| **found == kind).count();
    assert_eq!(count("SystemPromptEvent"), 1);
    assert_eq!(count("MessageEvent"), number + 1);
    assert_eq!(
        (count("ActionEvent"), count("ObservationEvent")),
        (calls, calls)
    );
    assert_eq!(
        (count("AgentErrorEvent"), count("ConversationErrorEvent")),
        (0, 0)
    );
}

/// The observation of a command that counted the letters of the secret.
fn is_use_of_secret(event: &str) -> bool {
    let event: Value = serde_json::from_str(event).unwrap();
    let text = event["observation"]["content"][0]["text"].as_str();

    event["tool_name"] == "terminal"
        && text.is_some_and(|text| text.contains(&format!("length={}", SECRET.1.len())))
}

/// All event files by name.
fn read_all(events: &Path) -> BTreeMap<String, String> {
    let files = std::fs::read_dir(events).unwrap().map(|file| file.unwrap());
    files
        .map(|file| (file.file_name().into_string().unwrap(), file.path()))
        .filter(|(name, _)| name.starts_with("event-"))
        .map(|(name, path)| (name, std::fs::read_to_string(path).unwrap()))
        .collect()
}
