//! The connections of clients: requests are answered one after the other, answers leave at once, and what a connection needed is given back
//! after its end.

use std::convert::Infallible;
use std::io::{self, IoSlice};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};

use axum::body::Body;
use axum::extract::Request;
use axum::response::Response;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::lanes::{InLane, Lanes};
use crate::memory;

/// What is read of a large body at once. The library's own limit is half of it, and makes an upload a twentieth slower: each read wakes who writes
/// to the disk, and the client. With two megabytes it is slower again, they do not stay in the processor's cache until they are written.
const MAX_READ_BYTES: usize = 768 << 10;

/// Answers the requests of all who connect, until `stop`. Then nobody else may connect, and it ends when the last request is answered.
pub(crate) async fn serve<A, F>(
    mut listener: TcpListener,
    lanes: Arc<Lanes>,
    stop: CancellationToken,
    answer: A,
) where
    A: Fn(Request) -> F + Clone + Send + Sync + 'static,
    F: Future<Output = Response> + Send + 'static,
{
    let connections = TaskTracker::new();
    let end = Arc::new(End::default());
    loop {
        let stream = tokio::select! {
            biased;
            () = stop.cancelled() => break,
            // It waits and tries again when there are no descriptors left.
            (stream, _) = axum::serve::Listener::accept(&mut listener) => stream,
        };
        // Short answers leave at once instead of waiting for more to send along. A connection that cannot do it is slower, and no worse.
        let _ = stream.set_nodelay(true);
        let (Some(lane), Ok(stream)) = (lanes.enter(), stream.into_std()) else {
            continue;
        };
        let handle = lane.handle().clone();
        let attending = attend(stream, lane, Arc::clone(&end), answer.clone());
        connections.spawn_on(attending, &handle);
    }
    drop(listener);
    end.tell();
    connections.close();
    connections.wait().await;
}

/// Answers the requests of one client. One that breaks off is no problem of ours.
async fn attend<A, F>(stream: std::net::TcpStream, lane: InLane, end: Arc<End>, answer: A)
where
    A: Fn(Request) -> F,
    F: Future<Output = Response> + Send + 'static,
{
    // On the thread where it stays.
    let Ok(stream) = TcpStream::from_std(stream) else {
        return;
    };
    let service = service_fn(|request: hyper::Request<hyper::body::Incoming>| {
        let answering = answer(request.map(Body::new));
        async move { Ok::<_, Infallible>(answering.await) }
    });
    let io = TokioIo::new(Connection(stream, lane));
    let mut http = http1::Builder::new();
    http.max_buf_size(MAX_READ_BYTES);
    let connection = http.serve_connection(io, service);
    let mut connection = pin!(connection.with_upgrades());
    let mut told = pin!(end.told.notified());
    let (mut is_listening, mut is_ending) = (false, false);
    std::future::poll_fn(|cx| {
        // Once is enough: the task is woken. To ask each time would be a lock that all connections share, for each request.
        if !is_listening {
            is_listening = true;
            let _ = told.as_mut().poll(cx);
        }
        if !is_ending && end.is_near.load(Ordering::Acquire) {
            is_ending = true;
            connection.as_mut().graceful_shutdown();
        }
        connection.as_mut().poll(cx).map(drop)
    })
    .await;
}

/// Tells connections that no more requests are taken.
#[derive(Debug, Default)]
struct End {
    is_near: AtomicBool,
    told: Notify,
}

impl End {
    fn tell(&self) {
        self.is_near.store(true, Ordering::Release);
        self.told.notify_waiters();
    }
}

/// A client's connection; also under a websocket.
#[derive(Debug)]
pub(crate) struct Connection(TcpStream, #[allow(dead_code, reason = "held")] InLane);

impl Drop for Connection {
    fn drop(&mut self) {
        memory::shrink_after_crowd();
    }
}

impl AsyncRead for Connection {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(cx, buffer)
    }
}

impl AsyncWrite for Connection {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(cx, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        parts: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write_vectored(cx, parts)
    }

    fn is_write_vectored(&self) -> bool {
        self.0.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(cx)
    }
}
