//! The language model: a server of chat completions that answers at once, from a script for each conversation.
//!
//! It runs on a thread of its own and does not look into what it is asked, so that it is never what is waited for: not even a library for
//! servers is between the socket and the script. The script is named by the first part of the path, which is a part of the address that
//! the conversation is given.

use std::collections::HashMap;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use bytes::{Buf as _, BytesMut};
use parking_lot::Mutex;
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

/// More than most requests: one is read in one go.
const READ_BYTES: usize = 64 << 10;

type Scripts = Arc<Mutex<HashMap<String, Arc<Script>>>>;

/// The model's server.
#[derive(Debug)]
pub(crate) struct Model {
    port: u16,
    scripts: Scripts,
}

impl Model {
    /// Starts it on a thread of its own, which ends with the program.
    pub(crate) fn start() -> anyhow::Result<Self> {
        let scripts = Scripts::default();
        let served = Arc::clone(&scripts);
        let listener = std::net::TcpListener::bind(("127.0.0.1", 0))?;
        listener.set_nonblocking(true)?;
        let port = listener.local_addr()?.port();
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        std::thread::Builder::new()
            .name("model".to_owned())
            .spawn(move || {
                runtime.block_on(async { serve(TcpListener::from_std(listener)?, served).await })
            })?;
        Ok(Self { port, scripts })
    }

    /// A script, and the address at which a conversation finds it.
    pub(crate) fn script(&self) -> (Arc<Script>, String) {
        let name = uuid::Uuid::new_v4().simple().to_string();
        let url = format!("http://127.0.0.1:{}/{name}", self.port);
        let script = Arc::new(Script::new());
        self.scripts.lock().insert(name, Arc::clone(&script));
        (script, url)
    }
}

/// Answers whoever connects, for ever.
async fn serve(listener: TcpListener, scripts: Scripts) -> io::Result<()> {
    loop {
        let (socket, _) = listener.accept().await?;
        let scripts = Arc::clone(&scripts);
        // A client that goes away, or sends something else than requests, is left.
        tokio::spawn(async move { attend(socket, &scripts).await });
    }
}

/// Answers the requests of one connection, one after the other.
async fn attend(mut socket: TcpStream, scripts: &Scripts) -> io::Result<()> {
    socket.set_nodelay(true)?;
    let mut room = BytesMut::with_capacity(READ_BYTES);
    loop {
        let Some(arrived) = read_more(&mut socket, &mut room).await? else {
            return Ok(());
        };
        let asked = loop {
            match Asked::find(&room) {
                Some(asked) if room.len() >= asked.length => break asked,
                _ => {}
            }
            if read_more(&mut socket, &mut room).await?.is_none() {
                return Ok(());
            }
        };
        let script = scripts.lock().get(&asked.script).cloned();
        let (status, body) = match script {
            Some(script) => ("200 OK", script.answer(arrived)),
            None => ("404 Not Found", "{}".to_owned()),
        };
        room.advance(asked.length);
        let length = body.len();
        let answer = format!(
            "HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}"
        );
        socket.write_all(answer.as_bytes()).await?;
    }
}

/// Reads what there is, and says when it came; nothing at the end.
async fn read_more(socket: &mut TcpStream, room: &mut BytesMut) -> io::Result<Option<Instant>> {
    room.reserve(READ_BYTES);
    let count = socket.read_buf(room).await?;
    Ok((count > 0).then(Instant::now))
}

/// A request whose head has come.
#[derive(Debug, PartialEq, Eq)]
struct Asked {
    script: String,
    /// Of all of it, with its body.
    length: usize,
}

impl Asked {
    /// As clients of this API write it: a length, and no pieces.
    fn find(bytes: &[u8]) -> Option<Self> {
        let end = bytes.windows(4).position(|four| four == b"\r\n\r\n")?;
        let head = str::from_utf8(bytes.get(..end)?).ok()?;
        let mut lines = head.split("\r\n");
        let path = lines.next()?.split(' ').nth(1)?;
        let script = path.strip_suffix("/chat/completions")?;
        let body = lines.find_map(|line| {
            let (name, value) = line.split_once(':')?;
            let is_length = name.eq_ignore_ascii_case("content-length");
            is_length.then(|| value.trim().parse::<usize>().ok())?
        });
        Some(Self {
            script: script.trim_start_matches('/').to_owned(),
            length: end + 4 + body.unwrap_or_default(),
        })
    }
}

/// What the model does when it is asked.
#[derive(Debug, Clone)]
pub(crate) enum Turn {
    /// Runs this command.
    Terminal(String),
    /// Replaces a word in this file, there and back: it must hold `one` at first.
    Edit(PathBuf),
}

/// The answers of one conversation, and when they were asked for.
#[derive(Debug)]
pub(crate) struct Script {
    scene: Mutex<Scene>,
    ended: watch::Sender<bool>,
}

#[derive(Debug)]
struct Scene {
    turn: Option<Turn>,
    left: usize,
    calls: usize,
    /// The text that ends the run, and which call it answers: made before it is asked for.
    last: Option<(usize, String)>,
    arrivals: Vec<Instant>,
}

impl Script {
    fn new() -> Self {
        Self {
            scene: Mutex::new(Scene {
                turn: None,
                left: 0,
                calls: 0,
                last: None,
                arrivals: Vec::new(),
            }),
            ended: watch::Sender::new(true),
        }
    }

    /// From now on: this turn so many times, then a plain text, which ends the run.
    pub(crate) fn play(&self, turn: Option<Turn>, times: usize) {
        self.ended.send_replace(false);
        let mut scene = self.scene.lock();
        scene.left = if turn.is_some() { times } else { 0 };
        let call = scene.calls + scene.left + 1;
        let text = json!({"role": "assistant", "content": "done"});
        scene.last = Some((call, completion(call, "stop", &text)));
        scene.turn = turn;
        scene.arrivals.clear();
    }

    /// The next answer is the text that ends the run.
    pub(crate) fn stop(&self) {
        self.scene.lock().left = 0;
    }

    /// Waits for that text to be asked for.
    pub(crate) async fn ended(&self, limit: Duration) -> anyhow::Result<()> {
        tokio::time::timeout(limit, self.ended.subscribe().wait_for(|ended| *ended))
            .await
            .context("the agent does not ask the model")??;
        Ok(())
    }

    /// When the model was asked since the last [`Self::play`].
    pub(crate) fn arrivals(&self) -> Vec<Instant> {
        self.scene.lock().arrivals.clone()
    }

    fn answer(&self, arrived: Instant) -> String {
        let mut scene = self.scene.lock();
        scene.arrivals.push(arrived);
        if scene.left == 0
            && let Some((call, last)) = scene.last.take()
        {
            // Fewer may have been played than were announced.
            scene.calls = call;
            drop(scene);
            self.ended.send_replace(true);
            return last;
        }
        scene.calls += 1;
        let number = scene.calls;
        let Some(turn) = scene.turn.clone().filter(|_| scene.left > 0) else {
            drop(scene);
            // Asked again after the end.
            let text = json!({"role": "assistant", "content": "done"});
            return completion(number, "stop", &text);
        };
        scene.left -= 1;
        drop(scene);
        let (name, arguments) = turn.call(number);
        completion(
            number,
            "tool_calls",
            &json!({
                "role": "assistant",
                "content": "",
                "tool_calls": [{
                    "id": format!("call_{number}"),
                    "type": "function",
                    "function": {"name": name, "arguments": arguments.to_string()},
                }],
            }),
        )
    }
}

impl Turn {
    fn call(&self, number: usize) -> (&'static str, serde_json::Value) {
        match self {
            Self::Terminal(command) => (
                "terminal",
                json!({"command": command, "security_risk": "LOW", "summary": "run it"}),
            ),
            Self::Edit(file) => {
                // The file says which way: an earlier run may have ended at either word.
                let text = std::fs::read_to_string(file).unwrap_or_default();
                let (old, new) = if text.contains("one") {
                    ("one", "two")
                } else {
                    ("two", "one")
                };
                (
                    "file_editor",
                    json!({"command": "str_replace", "path": file, "old_str": old, "new_str": new,
                        "security_risk": "LOW", "summary": format!("edit {number}")}),
                )
            }
        }
    }
}

fn completion(number: usize, reason: &str, message: &serde_json::Value) -> String {
    json!({
        "id": format!("chatcmpl-{number}"),
        "object": "chat.completion",
        "created": 1_700_000_000,
        "model": "mock",
        "choices": [{"index": 0, "finish_reason": reason, "message": message}],
        "usage": {"prompt_tokens": 1000, "completion_tokens": 10, "total_tokens": 1010},
    })
    .to_string()
}

#[cfg(test)]
#[path = "model_tests.rs"]
mod tests;
