//! Talking to conversations: starting them, saying something, waiting for what comes of it.

use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream};

use crate::harness::World;
use crate::model::Model;

/// How long anything may take on a busy machine.
pub(crate) const DEADLINE: Duration = Duration::from_mins(1);

/// A message that carries the answers of the model.
pub(crate) fn script(steps: &Value, run: bool) -> Value {
    json!({"role": "user", "run": run, "content": [{"type": "text", "text": format!("go MOCK:{steps}")}]})
}

impl World {
    /// Starts a conversation without a title of its own.
    pub(crate) async fn start(&self, model: &Model, tools: &[&str], more: Value) -> String {
        let mut request = json!({
            "agent": model.agent(tools),
            "workspace": {"working_dir": self.path().join("project")},
            "autotitle": false,
        });
        let members = request.as_object_mut().unwrap();
        members.extend(more.as_object().unwrap().clone());
        let (status, info) = self.post("/api/conversations", &request).await;
        assert_eq!(status, 201, "{info}");
        info["id"].as_str().unwrap().to_owned()
    }

    /// Waits until a conversation does something.
    pub(crate) async fn wait_for_status(&self, id: &str, wanted: &str) -> Value {
        let path = format!("/api/conversations/{id}");
        self.wait_for(&path, |info| info["execution_status"] == wanted)
            .await
    }

    /// Asks until the answer is as wanted.
    pub(crate) async fn wait_for(&self, path: &str, wanted: impl Fn(&Value) -> bool) -> Value {
        let asking = async {
            loop {
                let (_, body) = self.get(path).await;
                if wanted(&body) {
                    return body;
                }
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        tokio::time::timeout(DEADLINE, asking)
            .await
            .unwrap_or_else(|_| panic!("{path} never answered as wanted"))
    }

    /// Opens a socket.
    pub(crate) async fn socket(&self, path: &str) -> Socket {
        let url = self.url(path).replacen("http", "ws", 1);
        let (socket, _) = tokio_tungstenite::connect_async(url).await.unwrap();
        Socket(socket)
    }
}

/// An open socket.
pub(crate) struct Socket(WebSocketStream<MaybeTlsStream<TcpStream>>);

impl Socket {
    /// The next frame; none when the server closed it, with the code.
    pub(crate) async fn next(&mut self) -> Result<Value, u16> {
        loop {
            let frame = tokio::time::timeout(DEADLINE, self.0.next()).await;
            match frame.expect("a frame comes").transpose().unwrap_or(None) {
                Some(Message::Text(text)) => return Ok(serde_json::from_str(&text).unwrap()),
                Some(Message::Close(close)) => {
                    return Err(close.map_or(1005, |close| close.code.into()));
                }
                Some(_) => {}
                None => return Err(1006),
            }
        }
    }

    /// All frames up to the first that is as wanted.
    pub(crate) async fn until(&mut self, wanted: impl Fn(&Value) -> bool) -> Vec<Value> {
        let mut seen = Vec::new();
        loop {
            let frame = self.next().await.unwrap();
            let is_last = wanted(&frame);
            seen.push(frame);
            if is_last {
                return seen;
            }
        }
    }

    pub(crate) async fn send(&mut self, frame: &Value) {
        let text = Message::text(frame.to_string());
        self.0.send(text).await.unwrap();
    }
}

/// Whether a frame is the whole state, with this status.
pub(crate) fn is_state(frame: &Value, status: &str) -> bool {
    let event = if frame["type"] == "transient" {
        &frame["event"]
    } else {
        frame
    };
    event["key"] == "full_state" && event["value"]["execution_status"] == status
}
