//! A server that is asked to end while a tool runs, the model is asked and a socket is open: `62_sigterm`.

use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};

use crate::play::Player;
use crate::recording::{self, What};
use crate::server::is_reference;
use crate::socket::Heard;

const NAME: &str = "core/62_sigterm";

/// The reference waits for the tool, ours kills it.
const SOON: Duration = Duration::from_secs(1);
const IN_THE_END: Duration = Duration::from_mins(1);

pub(crate) async fn replay() {
    let mut player = Player::new(NAME).await;
    for entry in recording::read(NAME) {
        let What::Other(line) = &entry.what else {
            player.play(entry).await;
            continue;
        };
        match line["dir"].as_str().unwrap() {
            "ws-closed" => {
                player.stage.model.holds(1).await;
                player.stage.server.signal("TERM");
                is_closed(&mut player, line).await;
            }
            _ => note(&mut player, line["text"].as_str().unwrap()).await,
        }
    }
    player.watch = None;
    player.stage.end();
}

async fn is_closed(player: &mut Player, line: &Value) {
    let mut watch = player.watch.take().expect("an open socket");
    let heard = loop {
        match watch.socket.next().await {
            // What is written while it stops may come first.
            Some(Heard::Frame(_)) => {}
            Some(Heard::Closed(code, reason)) => {
                break format!("Close(code={code}, reason='{reason}')");
            }
            None => break "nothing".to_owned(),
        }
    };
    let recorded = line["error"].as_str().unwrap();
    if !recorded.contains(&heard) {
        player
            .stage
            .comparison
            .differs("socket", &format!("recorded {recorded}, ours {heard}"));
    }
}

async fn note(player: &mut Player, text: &str) {
    if text.starts_with("process gone") {
        let limit = if is_reference() { IN_THE_END } else { SOON };
        let took = player.stage.server.ended(limit).await;
        assert!(took.is_some(), "it has not ended after {limit:?}");
        return;
    }
    // "conversation 4: persisted execution_status=paused lease file left=False last events=['ActionEvent', …]"
    let digit = text.split([' ', ':']).nth(1).unwrap();
    let dir = player.stage.at("/srv").join("workspace/conversations");
    let hex = std::fs::read_dir(&dir)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .find(|name| name.starts_with(digit))
        .expect("the conversation's directory");
    let dir = dir.join(hex);
    let at = format!("conversation {digit}");
    let state = read(&dir.join("base_state.json"));
    let comparison = &mut player.stage.comparison;
    comparison.value(
        &format!("{at} status"),
        &json!("paused"),
        &state["execution_status"],
    );
    let is_left = dir.join("owner_lease.json").exists();
    comparison.value(&format!("{at} lease left"), &json!(false), &json!(is_left));
    let recorded = text
        .split("last events=")
        .nth(1)
        .unwrap()
        .replace('\'', "\"");
    let recorded: Value = serde_json::from_str(&recorded).unwrap();
    comparison.value(&format!("{at} last events"), &recorded, &last_events(&dir));
    player.stage.note_found();
}

fn read(path: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

/// The kinds of the last four events, without those about use, whose place is free.
fn last_events(dir: &Path) -> Value {
    let mut files: Vec<_> = std::fs::read_dir(dir.join("events"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|kind| kind == "json"))
        .collect();
    files.sort();
    let kinds: Vec<Value> = files
        .iter()
        .map(|path| read(path))
        .filter(|event| event["key"] != "stats")
        .map(|event| event["kind"].clone())
        .collect();
    let from = kinds.len().saturating_sub(4);
    json!(kinds[from..])
}
