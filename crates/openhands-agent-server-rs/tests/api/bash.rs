//! Commands beside the agent.

use std::time::Duration;

use pretty_assertions::assert_eq;
use reqwest::Method;
use serde_json::{Value, json};

use crate::harness::{World, answer};
use crate::recording::recorded;

const EXECUTE: &str = "/api/bash/execute_bash_command";
const START: &str = "/api/bash/start_bash_command";
const SEARCH: &str = "/api/bash/bash_events/search";

/// What differs from run to run, and the number of events: output comes while a command runs.
fn masked(mut output: Value) -> Value {
    for member in ["id", "timestamp", "command_id", "order"] {
        if let Some(value) = output.get_mut(member) {
            *value = Value::Null;
        }
    }
    output
}

async fn search(world: &World, query: &str) -> Vec<Value> {
    let (status, page) = world.get(&format!("{SEARCH}?{query}")).await;
    assert_eq!(status, 200, "{page}");
    page["items"].as_array().unwrap().clone()
}

/// Polls as the Python client does, until the exit code is there: no event twice, none left out.
async fn poll(world: &World, command: &str) -> Vec<Value> {
    let polling = async {
        let mut seen: Vec<Value> = Vec::new();
        let mut last = -1;
        loop {
            let query = format!(
                "kind__eq=BashOutput&sort_order=TIMESTAMP&limit=100&command_id__eq={command}&order__gt={last}"
            );
            for event in search(world, &query).await {
                assert!(
                    seen.iter().all(|known| known["id"] != event["id"]),
                    "twice: {event}"
                );
                assert_eq!(event["order"], last + 1);
                last += 1;
                seen.push(event);
            }
            if seen
                .last()
                .is_some_and(|event| !event["exit_code"].is_null())
            {
                return seen;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(30), polling)
        .await
        .expect("in time")
}

#[tokio::test]
async fn commands_are_answered_as_recorded() {
    let world = World::new().await;
    let home = world.path().join("home");
    std::fs::create_dir_all(world.path().join("ws")).unwrap();
    let ws = world.path().join("ws");
    let texts = [
        ("/ws", ws.to_str().unwrap()),
        ("/home/user", home.to_str().unwrap()),
    ];
    for exchange in recorded("bash-execute") {
        let request = &exchange.0["request"];
        if request["path"].is_null()
            || request["json"]["command"]
                .as_str()
                .is_some_and(|command| command.contains("SHELL"))
        {
            // The shell of whoever recorded it.
            continue;
        }
        let (status, body) = exchange.repeat(&world, &texts).await;
        let (expected_status, expected) = exchange.expected();
        assert_eq!(status, expected_status, "{request}: {body}");
        assert_eq!(masked(body), masked(expected), "{request}");
    }
}

#[tokio::test]
async fn output_can_be_polled_while_the_command_runs() {
    let world = World::new().await;
    let gate = world.path().join("gate");
    let wait = format!(
        "echo one; while [ ! -e {} ]; do sleep 0.01; done; echo two; exit 4",
        gate.display()
    );
    let (_, command) = world.post(START, &json!({"command": wait})).await;
    assert_eq!(command["kind"], "BashCommand");
    assert_eq!(command["timeout"], 300);
    let id = command["id"].as_str().unwrap();
    assert_eq!(id.len(), 32);
    let first = async {
        loop {
            if let Some(event) = search(&world, &format!("command_id__eq={id}")).await.pop() {
                return event;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    let first = tokio::time::timeout(Duration::from_secs(20), first)
        .await
        .unwrap();
    assert_eq!(
        (&first["stdout"], &first["exit_code"]),
        (&json!("one\n"), &Value::Null)
    );
    std::fs::write(gate, "").unwrap();
    let events = poll(&world, id).await;
    let text: String = events
        .iter()
        .filter_map(|event| event["stdout"].as_str())
        .collect();
    assert_eq!(text, "one\ntwo\n");
    assert_eq!(events.last().unwrap()["exit_code"], 4);
    // One by one, and several at once.
    let (status, event) = world
        .get(&format!(
            "/api/bash/bash_events/{}",
            first["id"].as_str().unwrap()
        ))
        .await;
    assert_eq!((status.as_u16(), &event), (200, &first));
    let ids = json!([first["id"], "nothing", command["id"]]);
    let (status, found) = answer(
        world
            .request(Method::GET, "/api/bash/bash_events/")
            .json(&ids),
    )
    .await;
    assert_eq!(
        (status.as_u16(), found),
        (200, json!([first, null, command]))
    );
    let (status, body) = world.get("/api/bash/bash_events/nothing").await;
    assert_eq!(
        (status.as_u16(), body),
        (404, json!({"detail": "Not Found"}))
    );
}

#[tokio::test]
async fn commands_are_stopped_by_their_id_in_either_form() {
    let world = World::new().await;
    let (_, command) = world
        .post(
            START,
            &json!({"command": "echo one; sleep 60", "timeout": 60}),
        )
        .await;
    let id = command["id"].as_str().unwrap();
    let dashed = uuid::Uuid::parse_str(id).unwrap().hyphenated().to_string();
    for id in [dashed.as_str(), id] {
        let stop = format!("/api/bash/bash_commands/{id}/stop");
        let (status, body) = world.post(&stop, &Value::Null).await;
        assert_eq!((status.as_u16(), body), (200, json!({"success": true})));
    }
    assert_eq!(poll(&world, id).await.last().unwrap()["exit_code"], -15);
    let unknown = "/api/bash/bash_commands/f46741fb-dba0-4f83-be0e-066312607f2d/stop";
    let (status, body) = world.post(unknown, &Value::Null).await;
    assert_eq!(
        (status.as_u16(), body),
        (404, json!({"detail": "Not Found"}))
    );
    let (status, _) = world
        .post("/api/bash/bash_commands/xyz/stop", &Value::Null)
        .await;
    assert_eq!(status, 422);
}

#[tokio::test]
async fn events_are_listed_page_by_page_and_cleared() {
    let world = World::new().await;
    for number in 0..3 {
        let (status, _) = world
            .post(EXECUTE, &json!({"command": format!("exit {number}")}))
            .await;
        assert_eq!(status, 200);
    }
    let all = search(&world, "").await;
    assert_eq!(all.len(), 6);
    let commands = search(&world, "kind__eq=BashCommand&sort_order=TIMESTAMP_DESC").await;
    assert_eq!(commands.len(), 3);
    assert!(commands[0]["timestamp"].as_str() > commands[1]["timestamp"].as_str());
    let mut page_id = String::new();
    let mut found = Vec::new();
    loop {
        let (_, page) = world.get(&format!("{SEARCH}?limit=4{page_id}")).await;
        found.extend(page["items"].as_array().unwrap().clone());
        match page["next_page_id"].as_str() {
            Some(next) => page_id = format!("&page_id={next}"),
            None => break,
        }
    }
    assert_eq!(found, all);
    let middle = all[3]["timestamp"].as_str().unwrap();
    assert_eq!(
        search(&world, &format!("timestamp__gte={middle}")).await,
        all[3..]
    );
    // Without a zone it is UTC.
    let naive = middle.trim_end_matches('Z');
    assert_eq!(
        search(&world, &format!("timestamp__lt={naive}")).await,
        all[..3]
    );
    for wrong in [
        "kind__eq=BashError",
        "command_id__eq=x",
        "sort_order=UP",
        "order__gt=a",
        "timestamp__lt=never",
    ] {
        let (status, _) = world.get(&format!("{SEARCH}?{wrong}")).await;
        assert_eq!(status, 422, "{wrong}");
    }
    let (status, body) = world.delete("/api/bash/bash_events").await;
    assert_eq!((status.as_u16(), body), (200, json!({"cleared_count": 6})));
    assert!(search(&world, "").await.is_empty());
}

#[tokio::test]
async fn everything_of_a_large_output_is_answered() {
    let world = World::new().await;
    let large = "head -c 2500000 /dev/zero | tr '\\0' a; echo E >&2";
    let (_, output) = world.post(EXECUTE, &json!({"command": large})).await;
    assert_eq!(output["stdout"].as_str().unwrap().len(), 2_500_000);
    assert_eq!(
        (&output["stderr"], &output["exit_code"]),
        (&json!("E\n"), &json!(0))
    );
    let events = poll(&world, output["command_id"].as_str().unwrap()).await;
    let last = events.last().unwrap();
    assert_eq!(
        (&last["id"], &last["order"]),
        (&output["id"], &output["order"])
    );
}

#[tokio::test]
async fn old_events_go_when_the_server_starts() {
    let directory = tempfile::tempdir().unwrap();
    let events = directory.path().to_owned();
    let old = "20200101000000000000_BashCommand_00000000000000000000000000000001";
    std::fs::write(events.join(old), "{}").unwrap();
    let world = World::with(|config| {
        config.bash_events_dir = events.clone();
        config.bash_events_retention_seconds = Some(3600);
    })
    .await;
    let gone = async {
        while events.join(old).exists() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), gone)
        .await
        .expect("removed");
    world.post(EXECUTE, &json!({"command": "true"})).await;
    assert_eq!(search(&world, "").await.len(), 2);
}

#[tokio::test]
async fn the_end_of_the_server_ends_its_commands() {
    let world = World::new().await;
    let command = json!({"command": "trap '' TERM; echo $$; sleep 600 & wait; sleep 600"});
    let (_, command) = world.post(START, &command).await;
    let started = async {
        loop {
            let query = format!("command_id__eq={}", command["id"].as_str().unwrap());
            if let Some(event) = search(&world, &query).await.pop() {
                return event["stdout"].as_str().unwrap().trim().to_owned();
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    let pid = tokio::time::timeout(Duration::from_secs(20), started)
        .await
        .unwrap();
    let began = std::time::Instant::now();
    world.server.stop().await.unwrap();
    assert!(
        began.elapsed() < Duration::from_secs(1),
        "{:?}",
        began.elapsed()
    );
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat"));
    assert!(stat.is_err() || stat.unwrap().contains(") Z "));
}
