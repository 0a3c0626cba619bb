//! A conversation goes from one implementation to the other and back, twice, whoever began it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use openhands_sdk_rs::protocol::ConversationId;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::provider::KEY;
use crate::python::python;
use crate::reference::Reference;
use crate::world::{SECRET, World, script, until};

/// How often it changes hands.
const TURNS: usize = 4;

/// A message that makes the agent use the terminal, with the secret, and finish.
fn turn(number: usize) -> String {
    let command = format!("echo {number} $(printf %s \"$HANDED_OVER\" | wc -c) >> turns.txt");
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
        std::fs::remove_file(turns(&world)).unwrap();
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
            reference.ask("open", &opening);
            reference.ask("message", &json!({"text": turn(number)}));
            // On a busy machine the reference's terminal may answer before the command is done.
            until("the turn", || written(world) == expected(number));
            let seen = reference.ask("look", &json!({}));
            reference.ask("close", &json!({}));
            seen
        };
        let side = if here { "ours" } else { "the reference" };
        println!(
            "turn {number} by {side}: {}",
            seen["events"].as_array().unwrap().len()
        );
        assert_eq!(written(world), expected(number), "by {side}");
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
}

/// The file into which every command writes its turn and how long the secret is.
fn turns(world: &World) -> PathBuf {
    world.project().join("turns.txt")
}

fn written(world: &World) -> String {
    std::fs::read_to_string(turns(world)).unwrap_or_default()
}

fn expected(last: usize) -> String {
    let lines = (0..=last).map(|number| format!("{number} {}\n", SECRET.1.len()));
    lines.collect()
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

/// All event files by name.
fn read_all(events: &Path) -> BTreeMap<String, String> {
    let files = std::fs::read_dir(events).unwrap().map(|file| file.unwrap());
    files
        .map(|file| (file.file_name().into_string().unwrap(), file.path()))
        .filter(|(name, _)| name.starts_with("event-"))
        .map(|(name, path)| (name, std::fs::read_to_string(path).unwrap()))
        .collect()
}
