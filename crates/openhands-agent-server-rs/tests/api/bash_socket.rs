//! The socket of commands and their output.

use std::time::Duration;

use futures_util::{SinkExt as _, StreamExt as _};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

use crate::harness::World;

type Socket = WebSocketStream<MaybeTlsStream<TcpStream>>;

async fn try_connect(world: &World, query: &str) -> Result<Socket, u16> {
    let url = format!("ws://{}/sockets/bash-events{query}", world.server.address);
    match connect_async(url).await {
        Ok((socket, _)) => Ok(socket),
        Err(Error::Http(response)) => Err(response.status().as_u16()),
        Err(error) => panic!("{error}"),
    }
}

async fn connect(world: &World, query: &str) -> Socket {
    try_connect(world, query).await.unwrap()
}

async fn say(socket: &mut Socket, frame: &str) {
    socket.send(Message::text(frame)).await.unwrap();
}

/// The next frame, or the code and reason of the close.
async fn hear(socket: &mut Socket) -> Result<Value, (u16, String)> {
    let next = async {
        loop {
            match socket.next().await {
                Some(Ok(Message::Text(text))) => return Ok(serde_json::from_str(&text).unwrap()),
                Some(Ok(Message::Close(Some(close)))) => {
                    return Err((close.code.into(), close.reason.to_string()));
                }
                Some(Ok(_)) => {}
                other => panic!("{other:?}"),
            }
        }
    };
    tokio::time::timeout(Duration::from_secs(30), next)
        .await
        .expect("in time")
}

async fn frame(socket: &mut Socket) -> Value {
    hear(socket).await.unwrap()
}

/// All output of a command up to its exit code, which must come in strict order.
async fn output_of(socket: &mut Socket, command: &Value) -> (String, i64) {
    let mut text = String::new();
    let mut order = 0;
    loop {
        let event = frame(socket).await;
        if event["command_id"] != command["id"] {
            continue;
        }
        assert_eq!(
            (&event["kind"], &event["order"]),
            (&json!("BashOutput"), &json!(order))
        );
        order += 1;
        text.push_str(event["stdout"].as_str().unwrap_or_default());
        if let Some(code) = event["exit_code"].as_i64() {
            return (text, code);
        }
    }
}

#[tokio::test]
async fn requests_behind_the_auth_frame_are_answered_in_order() {
    let world = World::with(|config| config.session_api_keys = vec!["key1".to_owned()]).await;
    let mut socket = connect(&world, "").await;
    say(&mut socket, r#"{"type":"auth","session_api_key":"key1"}"#).await;
    for number in 0..10 {
        say(
            &mut socket,
            &json!({"command": format!("echo {number}"), "timeout": 5}).to_string(),
        )
        .await;
    }
    let mut commands = Vec::new();
    let mut ended = 0;
    while ended < 10 {
        let event = frame(&mut socket).await;
        if event["kind"] == "BashCommand" {
            assert_eq!(event["cwd"], Value::Null);
            commands.push(event);
            continue;
        }
        let known = commands
            .iter()
            .any(|command| command["id"] == event["command_id"]);
        assert!(known, "output before its command: {event}");
        ended += usize::from(!event["exit_code"].is_null());
    }
    let asked: Vec<String> = (0..10).map(|number| format!("echo {number}")).collect();
    let told: Vec<&str> = commands
        .iter()
        .map(|command| command["command"].as_str().unwrap())
        .collect();
    assert_eq!(told, asked);
}

#[tokio::test]
async fn everybody_hears_what_happens_while_it_happens() {
    let world = World::new().await;
    let (mut one, mut two) = (connect(&world, "").await, connect(&world, "").await);
    // An auth frame to a server without keys is ignored.
    say(&mut one, r#"{"type":"auth","session_api_key":"x"}"#).await;
    let gate = world.path().join("gate");
    let command = format!(
        "echo live; while [ ! -e {} ]; do sleep 0.01; done; echo more",
        gate.display()
    );
    say(&mut one, &json!({"command": command}).to_string()).await;
    let (first, second) = (frame(&mut one).await, frame(&mut two).await);
    assert_eq!(first, second);
    assert_eq!(frame(&mut two).await["stdout"], "live\n");
    std::fs::write(gate, "").unwrap();
    assert_eq!(
        output_of(&mut one, &first).await,
        ("live\nmore\n".to_owned(), 0)
    );
}

#[tokio::test]
async fn stored_events_are_sent_again_when_they_are_asked_for() {
    let world = World::new().await;
    for number in 0..120 {
        let request = json!({"command": format!("exit {}", number % 3)});
        world.post("/api/bash/start_bash_command", &request).await;
    }
    let ended = async {
        loop {
            let (_, page) = world
                .get("/api/bash/bash_events/search?kind__eq=BashOutput&limit=100")
                .await;
            if !page["next_page_id"].is_null() {
                let rest = format!(
                    "/api/bash/bash_events/search?kind__eq=BashOutput&page_id={}",
                    page["next_page_id"].as_str().unwrap()
                );
                let (_, rest) = world.get(&rest).await;
                if rest["items"].as_array().unwrap().len() == 20 {
                    return;
                }
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(Duration::from_mins(1), ended)
        .await
        .expect("all commands end");
    for query in ["?resend_mode=all", "?resend_all=true"] {
        let mut socket = connect(&world, query).await;
        let mut last = String::new();
        for _ in 0..240 {
            let time = frame(&mut socket).await["timestamp"]
                .as_str()
                .unwrap()
                .to_owned();
            assert!(time > last);
            last = time;
        }
        say(&mut socket, r#"{"command":"echo new"}"#).await;
        let command = frame(&mut socket).await;
        assert_eq!(command["command"], "echo new");
        assert_eq!(
            output_of(&mut socket, &command).await,
            ("new\n".to_owned(), 0)
        );
        world.delete("/api/bash/bash_events").await;
        for number in 0..120 {
            let request = json!({"command": format!("exit {}", number % 3)});
            let (status, _) = world.post("/api/bash/execute_bash_command", &request).await;
            assert_eq!(status, 200);
        }
    }
}

#[tokio::test]
async fn a_frame_that_makes_no_sense_is_answered_with_an_error() {
    let world = World::new().await;
    let mut socket = connect(&world, "").await;
    for (frame_sent, code) in [
        (r#"{"bad": 1}"#, "ValidationError"),
        (r#"{"command": 5}"#, "ValidationError"),
        (r#"{"command": "x", "timeout": 1.5}"#, "ValidationError"),
        ("[]", "ValidationError"),
        ("zzz", "JSONDecodeError"),
    ] {
        say(&mut socket, frame_sent).await;
        let error = frame(&mut socket).await;
        assert_eq!(
            (&error["kind"], &error["code"]),
            (&json!("BashError"), &json!(code)),
            "{frame_sent}"
        );
        assert_eq!(error["id"].as_str().unwrap().len(), 32);
    }
    say(&mut socket, "zzz").await;
    assert_eq!(
        frame(&mut socket).await["detail"],
        "Expecting value: line 1 column 1 (char 0)"
    );
    say(&mut socket, r#"{"command":"echo still here"}"#).await;
    assert_eq!(frame(&mut socket).await["kind"], "BashCommand");
}

#[tokio::test]
async fn a_wrong_handshake_is_refused() {
    let world = World::with(|config| config.session_api_keys = vec!["key1".to_owned()]).await;
    for query in [
        "?session_api_key=bad",
        "?session_api_key=key1&resend_mode=since",
        "?session_api_key=key1&resend_mode=bogus",
        "?session_api_key=key1&resend_all=perhaps",
    ] {
        assert_eq!(try_connect(&world, query).await.err(), Some(403), "{query}");
    }
    for first in [
        r#"{"type":"auth","session_api_key":"x"}"#,
        r#"{"command":"echo"}"#,
        "zzz",
    ] {
        let mut socket = connect(&world, "").await;
        say(&mut socket, first).await;
        let closed = hear(&mut socket).await.unwrap_err();
        assert_eq!(
            closed,
            (4001, "Authentication failed".to_owned()),
            "{first}"
        );
    }
    let (_, page) = world.get("/api/bash/bash_events/search").await;
    assert_eq!(page["items"], json!([]));
}

#[tokio::test]
async fn only_fifty_may_follow() {
    let world = World::new().await;
    let mut sockets = Vec::new();
    for _ in 0..50 {
        let mut socket = connect(&world, "").await;
        // Answered only when the socket is being served.
        say(&mut socket, "?").await;
        assert_eq!(frame(&mut socket).await["kind"], "BashError");
        sockets.push(socket);
    }
    let mut one_more = connect(&world, "").await;
    let closed = hear(&mut one_more).await.unwrap_err();
    assert_eq!(closed, (1013, "Too many bash event connections".to_owned()));
}

#[tokio::test]
async fn a_client_that_does_not_read_delays_nobody() {
    let world = World::new().await;
    let stuck = connect(&world, "").await;
    let mut socket = connect(&world, "").await;
    say(
        &mut socket,
        r#"{"command":"head -c 30000000 /dev/zero | tr '\\0' a"}"#,
    )
    .await;
    let command = frame(&mut socket).await;
    let (text, code) = output_of(&mut socket, &command).await;
    assert_eq!((text.len(), code), (30_000_000, 0));
    drop(stuck);
}

#[tokio::test]
async fn the_end_of_the_server_is_told() {
    let world = World::new().await;
    let mut socket = connect(&world, "").await;
    say(&mut socket, "?").await;
    frame(&mut socket).await;
    let World { server, .. } = world;
    server.stop().await.unwrap();
    assert_eq!(hear(&mut socket).await.unwrap_err().0, 1012);
}
