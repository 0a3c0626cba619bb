//! A server that is killed under load loses nothing that it acknowledged, and clients go on where they were.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::{Value, json};

use crate::crowd::{Crowd, endless};
use crate::socket::{Heard, Socket};

const CONVERSATIONS: usize = 20;

/// Kills in `./test`; `OPENHANDS_KILLS` sets another number.
const ROUNDS: usize = 3;

/// So many events are seen in each round before the kill.
const SEEN_PER_ROUND: usize = 400;

/// What a client knows of a conversation.
#[derive(Debug, Default)]
struct Client {
    /// Ids by their number in the log.
    seen: BTreeMap<i64, String>,
    /// Texts that were answered with a 200.
    acknowledged: Vec<String>,
}

impl Client {
    fn last(&self) -> i64 {
        self.seen.keys().next_back().copied().unwrap_or(-1)
    }

    /// Takes a frame in. Numbers follow each other without a gap, and none comes twice.
    fn take(&mut self, frame: &Value) {
        if frame["type"] != "durable" {
            return;
        }
        let seq = frame["seq"].as_i64().unwrap();
        assert_eq!(seq, self.last() + 1, "after {}: {frame}", self.last());
        let id = frame["event"]["id"].as_str().unwrap().to_owned();
        self.seen.insert(seq, id);
    }

    /// Takes in what has come. A socket of a killed server ends, after what it still brought.
    fn catch_up(&mut self, socket: &mut Socket) {
        for heard in socket.rest() {
            if let Heard::Frame(frame) = heard {
                self.take(&frame);
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_acknowledged_is_lost() {
    let rounds = std::env::var("OPENHANDS_KILLS").map_or(ROUNDS, |count| count.parse().unwrap());
    let mut crowd = Crowd::new(CONVERSATIONS).await;
    let mut clients: Vec<Client> = Vec::new();
    clients.resize_with(CONVERSATIONS, Client::default);
    for round in 0..rounds {
        let mut sockets = watch_all(&crowd, &mut clients).await;
        work_until_killed(&mut crowd, &mut clients, &mut sockets, round).await;
        crowd.restart().await;
        for (id, client) in crowd.conversations.iter().zip(&clients) {
            check(&crowd, id, client, round).await;
        }
    }
    let events: usize = clients.iter().map(|client| client.seen.len()).sum();
    let said: usize = clients.iter().map(|client| client.acknowledged.len()).sum();
    println!("{rounds} kills: {events} events seen, {said} messages acknowledged, none lost");
}

/// Each client goes on after the last event that it saw.
async fn watch_all(crowd: &Crowd, clients: &mut [Client]) -> Vec<Socket> {
    let mut sockets = Vec::new();
    for (id, client) in crowd.conversations.iter().zip(clients) {
        let path = format!("/sockets/session/{id}?after_seq={}", client.last());
        let mut socket = Socket::open(&crowd.server.authority, &path, &[])
            .await
            .unwrap();
        let first = socket.next().await;
        let Some(Heard::Frame(sync)) = &first else {
            panic!("{id}: {first:?}");
        };
        assert_eq!(sync["type"], "sync", "{sync}");
        assert_eq!(sync["from_seq"], json!(client.last()), "{sync}");
        let through = sync["through_seq"].as_i64().unwrap();
        while client.last() < through {
            match socket.next().await {
                Some(Heard::Frame(frame)) => client.take(&frame),
                other => panic!("{id}: {other:?} before {through}"),
            }
        }
        sockets.push(socket);
    }
    sockets
}

/// Lets all conversations run, talks to them meanwhile, and kills the server in the middle of it.
async fn work_until_killed(
    crowd: &mut Crowd,
    clients: &mut [Client],
    sockets: &mut [Socket],
    round: usize,
) {
    let before: usize = clients.iter().map(|client| client.seen.len()).sum();
    for (id, client) in crowd.conversations.iter().zip(clients.iter_mut()) {
        let text = format!("round {round} begins: {}", endless(0.0));
        let answer = crowd.say(id, &text, true).await.unwrap();
        assert_eq!(answer.status, 200, "{}", answer.value());
        client.acknowledged.push(text);
    }
    let mut turn = 0;
    loop {
        let at = turn % clients.len();
        turn += 1;
        let text = format!("round {round} goes on: {turn}");
        let answer = crowd
            .say(&crowd.conversations[at], &text, false)
            .await
            .unwrap();
        assert_eq!(answer.status, 200, "{}", answer.value());
        clients[at].acknowledged.push(text);
        for (client, socket) in clients.iter_mut().zip(sockets.iter_mut()) {
            client.catch_up(socket);
        }
        let seen: usize = clients.iter().map(|client| client.seen.len()).sum();
        if seen >= before + SEEN_PER_ROUND && turn >= clients.len() {
            break;
        }
    }
    crowd.server.kill();
    // What was on its way when the server died was sent, too: it counts as seen.
    for (client, socket) in clients.iter_mut().zip(sockets.iter_mut()) {
        while let Some(Heard::Frame(frame)) = socket.next_within(Duration::from_secs(5)).await {
            client.take(&frame);
        }
    }
}

/// What was seen is where it was, and what was acknowledged is there.
async fn check(crowd: &Crowd, id: &str, client: &Client, round: usize) {
    let events = crowd.events(id).await;
    for (seq, seen) in &client.seen {
        let at = usize::try_from(*seq).unwrap();
        let found = events
            .get(at)
            .map(|event| event["id"].as_str().unwrap_or_default());
        assert_eq!(
            found,
            Some(seen.as_str()),
            "round {round}, {id}: event {seq}"
        );
    }
    let said: Vec<&str> = events
        .iter()
        .filter(|event| event["source"] == "user" && event["kind"] == "MessageEvent")
        .filter_map(|event| event["llm_message"]["content"][0]["text"].as_str())
        .collect();
    for text in &client.acknowledged {
        let count = said.iter().filter(|said| *said == text).count();
        assert_eq!(count, 1, "round {round}, {id}: {text:?}");
    }
    let info = crowd.get(&format!("/api/conversations/{id}")).await;
    assert_eq!(
        info["execution_status"], "error",
        "a run that was cut off: {id}"
    );
}
