//! The sockets of conversations beyond the recordings.

use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::harness::World;
use crate::model::Model;
use crate::talk::{is_state, script};

fn ids(frames: &[Value]) -> Vec<&str> {
    frames
        .iter()
        .filter(|frame| frame["key"] != "full_state")
        .map(|frame| frame["id"].as_str().unwrap())
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_socket_sends_what_came_since_a_time_and_goes_on_live_without_gap_or_repetition() {
    let model = Model::start().await;
    let world = World::new().await;
    let id = world.start(&model, &["terminal"], json!({})).await;
    let path = format!("/api/conversations/{id}");
    world
        .post(&format!("{path}/events"), &script(&json!(["one"]), true))
        .await;
    world.wait_for_status(&id, "finished").await;
    let (_, page) = world.get(&format!("{path}/events/search")).await;
    let stored = page["items"].as_array().unwrap().clone();
    let since = stored[2]["timestamp"].as_str().unwrap();
    let mut socket = world
        .socket(&format!(
            "/sockets/events/{id}?resend_mode=since&after_timestamp={since}"
        ))
        .await;
    let mut all = world
        .socket(&format!("/sockets/events/{id}?resend_mode=all"))
        .await;
    world
        .post(&format!("{path}/events"), &script(&json!(["two"]), true))
        .await;
    let last = |frame: &Value| {
        frame["source"] == "agent" && frame["llm_message"]["content"][0]["text"] == "two"
    };
    let (since, all) = (socket.until(last).await, all.until(last).await);
    let (_, page) = world.get(&format!("{path}/events/search")).await;
    let stored = page["items"].as_array().unwrap().clone();
    let stored = ids(&stored);
    assert_eq!(since[0]["key"], "full_state");
    assert_eq!(ids(&since), stored[2..][..ids(&since).len()]);
    assert_eq!(ids(&all), stored[..ids(&all).len()]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_goes_on_after_the_last_event_that_the_client_saw() {
    let model = Model::start().await;
    let world = World::new().await;
    let id = world.start(&model, &[], json!({})).await;
    let path = format!("/api/conversations/{id}/events");
    let mut socket = world
        .socket(&format!("/sockets/session/{id}?after_seq=-1"))
        .await;
    assert_eq!(
        socket.next().await.unwrap(),
        json!({"type": "sync", "from_seq": -1, "through_seq": -1})
    );
    world.post(&path, &script(&json!(["one"]), true)).await;
    let first = socket.until(|frame| is_state(frame, "finished")).await;
    drop(socket);
    let seqs = |frames: &[Value]| -> Vec<i64> {
        frames
            .iter()
            .filter_map(|frame| frame["seq"].as_i64())
            .collect()
    };
    let seen = seqs(&first);
    assert_eq!(
        seen,
        (0..i64::try_from(seen.len()).unwrap()).collect::<Vec<_>>()
    );
    let last = *seen.last().unwrap();
    world.post(&path, &script(&json!(["two"]), true)).await;
    world.wait_for_status(&id, "finished").await;
    let mut socket = world
        .socket(&format!("/sockets/session/{id}?after_seq={last}"))
        .await;
    let again = socket.until(|frame| is_state(frame, "finished")).await;
    let more = seqs(&again);
    assert_eq!(more.first(), Some(&(last + 1)));
    assert!(more.windows(2).all(|pair| pair[1] == pair[0] + 1));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_tool_prints_is_sent_while_it_runs() {
    let model = Model::start().await;
    let world = World::new().await;
    let id = world.start(&model, &["terminal"], json!({})).await;
    let mut output = world.socket(&format!("/sockets/output/{id}")).await;
    let mut events = world.socket(&format!("/sockets/events/{id}")).await;
    // It ends only when the test has seen what it printed first.
    let gate = world.path().join("gate");
    let command = format!(
        "echo early-word; until [ -e {} ]; do sleep 0.05; done; echo late-word",
        gate.display()
    );
    let steps = json!([{"tools": [{"name": "terminal", "args": {"command": command}}]}, "done"]);
    world
        .post(
            &format!("/api/conversations/{id}/events"),
            &script(&steps, true),
        )
        .await;
    let mut seen = String::new();
    while !seen.contains("early-word") {
        let frame = output.next().await.unwrap();
        assert!(frame["tool_call_id"].is_string());
        seen += frame["output"].as_str().unwrap();
    }
    std::fs::write(&gate, "").unwrap();
    let frames = events.until(|frame| is_state(frame, "finished")).await;
    assert!(
        frames.iter().all(|frame| frame["output"].is_null()),
        "other sockets keep to the kinds that clients know"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn one_who_reads_nothing_delays_nobody() {
    let model = Model::start().await;
    let world = World::new().await;
    let id = world.start(&model, &["terminal"], json!({})).await;
    // It never reads: what it is sent soon fills what lies between.
    let _dead = world
        .socket(&format!("/sockets/events/{id}?resend_mode=all"))
        .await;
    let mut live = world.socket(&format!("/sockets/events/{id}")).await;
    let call = json!({"tools": [{"name": "terminal", "args": {"command": "head -c 25000 /dev/zero | tr '\\0' x"}}]});
    let mut steps: Vec<Value> = (0..30)
        .map(|at| {
            let mut call = call.clone();
            call["tools"][0]["args"]["command"] =
                format!("echo {at}; head -c 25000 /dev/zero | tr '\\0' x").into();
            call
        })
        .collect();
    steps.push("end".into());
    world
        .post(
            &format!("/api/conversations/{id}/events"),
            &script(&json!(steps), true),
        )
        .await;
    live.until(|frame| is_state(frame, "finished")).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn more_than_fifty_watch_one_conversation() {
    let model = Model::start().await;
    let world = World::new().await;
    let id = world.start(&model, &[], json!({})).await;
    let mut open = Vec::new();
    // The reference refuses the fiftieth.
    for _ in 0..120 {
        let mut socket = world.socket(&format!("/sockets/events/{id}")).await;
        socket.next().await.unwrap();
        open.push(socket);
    }
    open[0]
        .send(&json!({"role": "user", "content": "hear, all", "run": false}))
        .await;
    for socket in &mut open {
        socket.until(|frame| frame["source"] == "user").await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_on_the_socket_runs_the_agent_and_nonsense_is_answered() {
    let model = Model::start().await;
    let world = World::new().await;
    let id = world.start(&model, &[], json!({})).await;
    let mut socket = world.socket(&format!("/sockets/events/{id}")).await;
    socket
        .send(&json!({"type": "auth", "session_api_key": "whatever"}))
        .await;
    socket
        .send(&json!({"role": "user", "content": "go MOCK:[\"heard\"]", "run": true}))
        .await;
    let heard = socket.until(|frame| is_state(frame, "finished")).await;
    let said = heard.iter().find(|frame| frame["source"] == "user");
    assert_eq!(
        said.unwrap()["llm_message"].get("run"),
        None,
        "what a message does not have is not kept"
    );
    socket.send(&json!({"x": 1})).await;
    let error = socket
        .until(|frame| frame["kind"] == "ServerErrorEvent")
        .await;
    assert_eq!(error.last().unwrap()["code"], "ValidationError");
}
