//! A client of the server's sockets: frames as they come, and how it ends.

use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio::sync::mpsc;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::{Error, Message, protocol::WebSocketConfig};
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream};
use tokio_util::task::AbortOnDropHandle;

/// How long a frame may take to come.
pub(crate) const DEADLINE: Duration = Duration::from_secs(30);

/// What comes from a socket.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Heard {
    Frame(Value),
    /// It was closed, with code and reason.
    Closed(u16, String),
}

/// An open socket.
#[derive(Debug)]
pub(crate) struct Socket {
    frames: mpsc::UnboundedReceiver<Heard>,
    say: mpsc::UnboundedSender<String>,
    _reader: AbortOnDropHandle<()>,
}

impl Socket {
    /// Opens a socket, or says with which status the handshake was refused.
    pub(crate) async fn open(
        authority: &str,
        path: &str,
        headers: &[(&str, &str)],
    ) -> Result<Self, u16> {
        let mut request = format!("ws://{authority}{path}")
            .into_client_request()
            .expect("a url");
        for (name, value) in headers {
            let name: tokio_tungstenite::tungstenite::http::HeaderName = name.parse().unwrap();
            request.headers_mut().insert(name, value.parse().unwrap());
        }
        let config = WebSocketConfig::default().max_message_size(Some(256 << 20));
        let connect = tokio_tungstenite::connect_async_with_config(request, Some(config), false);
        let stream = match tokio::time::timeout(DEADLINE, connect)
            .await
            .expect("a handshake in time")
        {
            Ok((stream, _)) => stream,
            Err(Error::Http(answer)) => return Err(answer.status().as_u16()),
            Err(error) => panic!("{path}: {error}"),
        };
        let (heard, frames) = mpsc::unbounded_channel();
        let (say, said) = mpsc::unbounded_channel();
        let reader = AbortOnDropHandle::new(tokio::spawn(carry(stream, heard, said)));
        Ok(Self {
            frames,
            say,
            _reader: reader,
        })
    }

    pub(crate) fn say(&self, frame: &str) {
        let _ = self.say.send(frame.to_owned());
    }

    /// What comes next, if it comes in time.
    pub(crate) async fn next(&mut self) -> Option<Heard> {
        self.next_within(DEADLINE).await
    }

    pub(crate) async fn next_within(&mut self, limit: Duration) -> Option<Heard> {
        tokio::time::timeout(limit, self.frames.recv())
            .await
            .ok()
            .flatten()
    }

    /// What has come and was not asked for.
    pub(crate) fn rest(&mut self) -> Vec<Heard> {
        std::iter::from_fn(|| self.frames.try_recv().ok()).collect()
    }
}

async fn carry(
    mut stream: WebSocketStream<MaybeTlsStream<TcpStream>>,
    heard: mpsc::UnboundedSender<Heard>,
    mut said: mpsc::UnboundedReceiver<String>,
) {
    loop {
        let message = tokio::select! {
            message = stream.next() => message,
            frame = said.recv() => match frame {
                Some(frame) => {
                    if stream.send(Message::text(frame)).await.is_err() {
                        return;
                    }
                    continue;
                }
                None => return,
            },
        };
        let news = match message {
            Some(Ok(Message::Text(text))) => {
                Heard::Frame(serde_json::from_str(&text).unwrap_or_else(|_| json!(text.as_str())))
            }
            Some(Ok(Message::Close(Some(frame)))) => {
                Heard::Closed(frame.code.into(), frame.reason.as_str().to_owned())
            }
            Some(Ok(Message::Close(None))) => Heard::Closed(1005, String::new()),
            Some(Ok(_)) => continue,
            Some(Err(error)) => Heard::Closed(1006, error.to_string()),
            None => return,
        };
        let is_end = matches!(news, Heard::Closed(..));
        if heard.send(news).is_err() {
            return;
        }
        if is_end {
            // The close is answered before the connection goes.
            let _ = stream.close(None).await;
            return;
        }
    }
}
