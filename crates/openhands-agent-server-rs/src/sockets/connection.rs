//! An open socket: what comes from the server goes out in order, what comes from the client is handled in order, and
//! neither waits for the other.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::Poll;
use std::time::Duration;

use axum::extract::ws::{CloseFrame, Message, Utf8Bytes, WebSocket, WebSocketUpgrade};
use bytes::Bytes;
use futures_util::stream::{SplitSink, SplitStream};
use futures_util::{SinkExt, StreamExt};
use tokio::sync::mpsc;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::app::App;

/// How often a client is asked whether it is there, and how long it may take to answer.
const PING: Duration = Duration::from_secs(20);
/// How long a client may take nothing of what it is sent.
const STALLED: Duration = Duration::from_secs(20);
/// How many answers to a client may wait. One that reads none of them waits with its next frame.
const ORDERS: usize = 16;

/// How much of what a client says is read at once. Clients say little, and each open socket has this much memory for it; a longer frame gets
/// more while it is read.
const READ_BUFFER: usize = 4 << 10;

/// Why a socket is closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Closing {
    pub(crate) code: u16,
    pub(crate) reason: &'static str,
}

impl Closing {
    pub(crate) const NORMAL: Self = Self::new(1000, "");
    pub(crate) const FAILED: Self = Self::new(1011, "Subscription failed");
    pub(crate) const SERVER_STOPS: Self = Self::new(1012, "");
    pub(crate) const UNKNOWN: Self = Self::new(4004, "Conversation not found");
    pub(crate) const CROWDED: Self = Self::new(1013, "Too many connections for this conversation");
    pub(crate) const SLOW: Self = Self::new(1013, "slow_consumer");

    pub(crate) const fn new(code: u16, reason: &'static str) -> Self {
        Self { code, reason }
    }

    fn message(self) -> Message {
        Message::Close(Some(CloseFrame {
            code: self.code,
            reason: self.reason.into(),
        }))
    }
}

/// Where the frames for a client come from.
pub(crate) trait Source: Send {
    /// The next frame, or why there is no more. May be dropped while it waits: nothing is lost.
    fn next(&mut self) -> impl Future<Output = Result<Utf8Bytes, Closing>> + Send;

    /// Whether the next frame is there without a wait.
    fn is_ready(&self) -> bool {
        false
    }
}

/// Who handles the frames of a client.
pub(crate) trait Listener: Send + 'static {
    /// Handles a frame; may answer with one.
    fn hear(&mut self, text: Utf8Bytes) -> impl Future<Output = Option<String>> + Send;
}

/// What a socket is to be like.
pub(super) fn shaped(upgrade: WebSocketUpgrade) -> WebSocketUpgrade {
    upgrade.read_buffer_size(READ_BUFFER)
}

/// Closes a socket that was only just opened.
pub(crate) async fn refuse(mut socket: WebSocket, closing: Closing) {
    let _ = socket.send(closing.message()).await;
}

/// What the reading side of a socket has for the writing side.
enum Order {
    Answer(String),
    Ping,
    Close(Closing),
}

/// Serves a socket until one side ends it. There may be many for one conversation, and each event goes to all of them: so what is seldom to be
/// done is left to the task that reads, and who writes waits for two things only.
pub(crate) async fn serve(
    socket: WebSocket,
    mut source: impl Source,
    listener: impl Listener,
    app: &App,
) {
    let stop = app.stopping();
    // The end of the server waits until clients have been told.
    let _open = (app.metrics.socket(), app.sockets.token());
    let (mut sink, stream) = socket.split();
    let (orders, mut to_do) = mpsc::channel(ORDERS);
    let gone = CancellationToken::new();
    let _ended = gone.clone().drop_guard();
    // Ends with this function: its token is cancelled when this returns.
    tokio::spawn(gone.run_until_cancelled_owned(attend(stream, listener, orders, stop.clone())));
    let closing = loop {
        let frame = tokio::select! {
            biased;
            order = to_do.recv() => match order {
                Some(Order::Answer(answer)) => Message::Text(Utf8Bytes::from(answer)),
                Some(Order::Ping) => Message::Ping(Bytes::new()),
                Some(Order::Close(closing)) => break closing,
                None => break Closing::NORMAL,
            },
            next = source.next() => match next {
                Ok(text) => Message::Text(text),
                Err(closing) => break closing,
            },
        };
        let mut sending = pin!(send_with_more(&mut sink, frame, &mut source));
        // Most of it leaves at once, and needs no clock.
        let sent = match poll_fn(|cx| Poll::Ready(sending.as_mut().poll(cx))).await {
            Poll::Ready(sent) => sent,
            Poll::Pending => in_time(sending, stop).await,
        };
        if let Err(closing) = sent {
            break closing;
        }
    };
    let _ = tokio::time::timeout(Duration::from_millis(500), sink.send(closing.message())).await;
}

/// Sends a frame, and all that is there to be sent by then, in one go.
async fn send_with_more(
    sink: &mut SplitSink<WebSocket, Message>,
    frame: Message,
    source: &mut impl Source,
) -> Result<(), Closing> {
    let gone = |_| Closing::NORMAL;
    sink.feed(frame).await.map_err(gone)?;
    while source.is_ready() {
        match source.next().await {
            Ok(text) => sink.feed(Message::Text(text)).await.map_err(gone)?,
            Err(closing) => {
                sink.flush().await.map_err(gone)?;
                return Err(closing);
            }
        }
    }
    sink.flush().await.map_err(gone)
}

/// Whoever takes nothing for so long is given up.
async fn in_time(
    sending: impl Future<Output = Result<(), Closing>>,
    stop: &CancellationToken,
) -> Result<(), Closing> {
    match stop
        .run_until_cancelled(tokio::time::timeout(STALLED, sending))
        .await
    {
        Some(Ok(sent)) => sent,
        Some(Err(_)) => Err(Closing::SLOW),
        None => Err(Closing::SERVER_STOPS),
    }
}

/// Hears the client, asks now and then whether it is there, and says when and why the socket is to be closed.
async fn attend(
    stream: SplitStream<WebSocket>,
    listener: impl Listener,
    orders: mpsc::Sender<Order>,
    stop: CancellationToken,
) {
    let is_alive = AtomicBool::new(true);
    let closing = tokio::select! {
        biased;
        () = stop.cancelled() => Closing::SERVER_STOPS,
        () = read(stream, listener, &orders, &is_alive) => Closing::NORMAL,
        () = keep_asking(&orders, &is_alive) => Closing::SLOW,
    };
    let _ = orders.send(Order::Close(closing)).await;
}

/// Ends when the client does not answer any more.
async fn keep_asking(orders: &mpsc::Sender<Order>, is_alive: &AtomicBool) {
    let mut ping = tokio::time::interval_at(Instant::now() + PING, PING);
    loop {
        ping.tick().await;
        if !is_alive.swap(false, Ordering::Relaxed) || orders.send(Order::Ping).await.is_err() {
            return;
        }
    }
}

/// Ends when the client does.
async fn read(
    mut stream: SplitStream<WebSocket>,
    mut listener: impl Listener,
    orders: &mpsc::Sender<Order>,
    is_alive: &AtomicBool,
) {
    while let Some(Ok(message)) = stream.next().await {
        // Whatever comes shows that somebody is there.
        is_alive.store(true, Ordering::Relaxed);
        let text = match message {
            Message::Text(text) => text,
            // Read as text; what is none is answered as such.
            Message::Binary(bytes) => String::from_utf8_lossy(&bytes).into_owned().into(),
            Message::Ping(_) | Message::Pong(_) => continue,
            Message::Close(_) => return,
        };
        if let Some(answer) = listener.hear(text).await
            && orders.send(Order::Answer(answer)).await.is_err()
        {
            return;
        }
    }
}
