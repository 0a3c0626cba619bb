//! A server that was killed while a tool ran, while the model was asked, and while an action waited: `60_crash_recovery`.

use serde_json::{Value, json};

use crate::http::Request;
use crate::play::Player;
use crate::recording::{self, What, is_full_state};

const NAME: &str = "core/60_crash_recovery";
const AT_TOOL: &str = "11111111-1111-4111-8111-111111111111";
const AT_MODEL: &str = "22222222-2222-4222-8222-222222222222";
const WAITING: &str = "33333333-3333-4333-8333-333333333333";

pub(crate) async fn replay() {
    let mut player = Player::new(NAME).await;
    leave_at_work(&player).await;
    player.stage.server.kill();
    player.stage.restart().await;
    for entry in recording::read(NAME) {
        match &entry.what {
            What::Other(line) => note(&mut player, line).await,
            What::Frame(frame) if is_full_state(frame) && frame["value"]["id"] == WAITING => {
                // What came of the run of the first one was not recorded.
                if player
                    .watch
                    .as_ref()
                    .is_some_and(|watch| watch.conversation != WAITING)
                {
                    player.watch = None;
                }
                player.play(entry).await;
            }
            _ => player.play(entry).await,
        }
    }
    player.end().await;
}

/// `1111… execution_status after restart = error api_key=None`
async fn note(player: &mut Player, line: &Value) {
    let words: Vec<&str> = line["text"].as_str().unwrap().split(' ').collect();
    let info = player
        .stage
        .get(&format!("/api/conversations/{}", words[0]))
        .await;
    let at = format!("after restart {}", words[0]);
    let (recorded, ours) = (json!(words[5]), &info["execution_status"]);
    player.stage.comparison.value(&at, &recorded, ours);
    let key = &info["agent"]["llm"]["api_key"];
    player
        .stage
        .comparison
        .value(&format!("{at} api_key"), &Value::Null, key);
    player.stage.note_found();
}

/// A tool at work, a model at work, and an action that waits.
async fn leave_at_work(player: &Player) {
    let stage = &player.stage;
    for (id, script, policy) in [
        (
            AT_TOOL,
            r#"MOCK:[{"tools": [{"name": "terminal", "args": {"command": "sleep 60", "security_risk": "LOW"}}]}]"#,
            "NeverConfirm",
        ),
        (
            AT_MODEL,
            r#"MOCK:[{"delay": 60, "text": "x"}]"#,
            "NeverConfirm",
        ),
        (
            WAITING,
            r#"MOCK:[{"tools": [{"name": "terminal", "args": {"command": "echo w", "security_risk": "LOW"}}]}]"#,
            "AlwaysConfirm",
        ),
    ] {
        let llm = json!({
            "model": "openai/mock", "api_key": "sk-x", "usage_id": "agent", "num_retries": 0,
            "base_url": format!("http://{}/v1", stage.model.authority),
        });
        let tools = json!([{"name": "terminal"}, {"name": "file_editor"}]);
        let body = json!({
            "conversation_id": id,
            "agent": {"kind": "Agent", "llm": llm, "tools": tools},
            "workspace": {"working_dir": stage.at("<ws>")},
            "confirmation_policy": {"kind": policy},
            "autotitle": false,
        });
        let created = stage
            .send(&Request::new("POST", "/api/conversations").json(&body))
            .await;
        assert_eq!(created.status, 201, "{}", created.value());
        let message =
            json!({"role": "user", "content": [{"type": "text", "text": script}], "run": true});
        let path = format!("/api/conversations/{id}/events");
        let sent = stage
            .send(&Request::new("POST", &path).json(&message))
            .await;
        assert_eq!(sent.status, 200, "{}", sent.value());
        match id {
            AT_TOOL => wait_for(player, &format!("{path}/count?kind=ActionEvent"), &json!(1)).await,
            AT_MODEL => stage.model.holds(1).await,
            _ => player.at_rest(id).await,
        }
    }
}

async fn wait_for(player: &Player, path: &str, wanted: &Value) {
    let began = std::time::Instant::now();
    while player.stage.get(path).await != *wanted {
        assert!(
            began.elapsed() < crate::http::DEADLINE,
            "{path} is not {wanted}"
        );
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
}
