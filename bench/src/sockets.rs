//! Subscribers: WebSockets whose frames are stamped when they arrive.

use std::time::{Duration, Instant, SystemTime};

use anyhow::{Context as _, bail};
use futures_util::{FutureExt as _, StreamExt as _};
use tokio::net::TcpStream;
use tokio::sync::mpsc::UnboundedSender;
use tokio::task::JoinSet;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::{WebSocketStream, client_async_with_config};

use crate::servers::Server;

/// Longer than the Python server needs for a frame under any load of this benchmark.
const FRAME_LIMIT: Duration = Duration::from_mins(1);

/// One subscriber.
#[derive(Debug)]
pub(crate) struct Listener {
    socket: WebSocketStream<TcpStream>,
}

impl Listener {
    /// Follows a conversation: it has begun when this returns.
    pub(crate) async fn events(server: &Server, conversation: &str) -> anyhow::Result<Self> {
        let mut listener = Self::open(server, &format!("/sockets/events/{conversation}")).await?;
        listener.next(&["\"full_state\""]).await?;
        Ok(listener)
    }

    /// Follows the commands of the server.
    pub(crate) async fn commands(server: &Server) -> anyhow::Result<Self> {
        Self::open(server, "/sockets/bash-events").await
    }

    async fn open(server: &Server, path: &str) -> anyhow::Result<Self> {
        let stream = TcpStream::connect(("127.0.0.1", server.port)).await?;
        stream.set_nodelay(true)?;
        let url = format!("ws://127.0.0.1:{}{path}", server.port);
        // The state of a long conversation is a frame of megabytes.
        let config = WebSocketConfig::default()
            .max_message_size(None)
            .max_frame_size(None);
        let (socket, _) = client_async_with_config(url, stream, Some(config)).await?;
        Ok(Self { socket })
    }

    /// The arrival of the next frame that has all these words in it.
    pub(crate) async fn next(&mut self, words: &[&str]) -> anyhow::Result<Instant> {
        Ok(self.next_frame(words).await?.0)
    }

    /// The same with the time of day and the text.
    pub(crate) async fn next_frame(
        &mut self,
        words: &[&str],
    ) -> anyhow::Result<(Instant, SystemTime, String)> {
        let frame = async {
            while let Some(frame) = self.socket.next().await {
                let (arrived, clock) = (Instant::now(), SystemTime::now());
                match frame? {
                    Message::Text(text) if words.iter().all(|word| text.contains(word)) => {
                        return Ok((arrived, clock, text.to_string()));
                    }
                    Message::Close(why) => bail!("the socket was closed: {why:?}"),
                    _ => {}
                }
            }
            bail!("the socket ended")
        };
        tokio::time::timeout(FRAME_LIMIT, frame)
            .await
            .with_context(|| format!("no frame with {words:?}"))?
    }

    /// Takes what has arrived already. It would else be read, and its time be counted, with what comes next.
    pub(crate) fn catch_up(&mut self) -> anyhow::Result<()> {
        while let Some(frame) = self.socket.next().now_or_never() {
            frame.context("the socket ended")??;
        }
        Ok(())
    }

    /// Reports the arrival of every user message, in one of these tasks: the socket is closed with it.
    pub(crate) fn report_messages(mut self, to: UnboundedSender<Instant>, tasks: &mut JoinSet<()>) {
        tasks.spawn(async move {
            while let Some(Ok(frame)) = self.socket.next().await {
                if let Message::Text(text) = frame
                    && text.contains("\"MessageEvent\"")
                    && to.send(Instant::now()).is_err()
                {
                    return;
                }
            }
        });
    }
}
