//! When something came on a connection: noted when it is read from the socket, before anything looks into it.

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Instant;

use axum::extract::connect_info::Connected;
use axum::serve::{IncomingStream, Listener};
use parking_lot::Mutex;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};

/// The moment of the first read since it was last asked for, of one connection.
#[derive(Debug, Clone, Default)]
pub(crate) struct Moment(Arc<Mutex<Option<Instant>>>);

impl Moment {
    fn note(&self) {
        self.0.lock().get_or_insert_with(Instant::now);
    }

    /// The moment, forgotten for the next request. To be asked when all of a request is read: its rest is of the same moment.
    pub(crate) fn take(&self) -> Option<Instant> {
        self.0.lock().take()
    }
}

/// A listener whose connections note such moments.
#[derive(Debug)]
pub(crate) struct Noting(pub(crate) TcpListener);

/// One of its connections.
#[derive(Debug)]
pub(crate) struct Noted {
    socket: TcpStream,
    moment: Moment,
}

impl Listener for Noting {
    type Io = Noted;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Noted, SocketAddr) {
        let (socket, address) = Listener::accept(&mut self.0).await;
        // One that cannot do it is slower, and no worse.
        let _ = socket.set_nodelay(true);
        let moment = Moment::default();
        (Noted { socket, moment }, address)
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.0.local_addr()
    }
}

impl Connected<IncomingStream<'_, Noting>> for Moment {
    fn connect_info(stream: IncomingStream<'_, Noting>) -> Self {
        stream.io().moment.clone()
    }
}

impl AsyncRead for Noted {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        ready!(Pin::new(&mut self.socket).poll_read(cx, buffer))?;
        self.moment.note();
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Noted {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.socket).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.socket).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.socket).poll_shutdown(cx)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.socket).poll_write_vectored(cx, parts)
    }

    fn is_write_vectored(&self) -> bool {
        self.socket.is_write_vectored()
    }
}
