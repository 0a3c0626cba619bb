//! One kept-alive HTTP connection, with as little between the request and the socket as can be: whoever asks writes and reads the socket. A
//! task of its own for the connection would be woken for every request and wake the asker for every answer, which would be timed, too.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::task::Poll;
use std::time::Duration;

use anyhow::{Context as _, ensure};
use bytes::Bytes;
use http_body_util::{BodyExt as _, Full};
use hyper::client::conn::http1::{self, SendRequest};
use hyper::header::{CONTENT_TYPE, HOST};
use hyper::{Method, Request, Response, StatusCode, body::Incoming};
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::net::TcpStream;

/// The Python server takes minutes for some requests under load; nothing takes longer.
const ANSWER_LIMIT: Duration = Duration::from_mins(3);

/// A connection to a server of this machine.
#[derive(Debug)]
pub(crate) struct Connection {
    port: u16,
    sender: SendRequest<Full<Bytes>>,
    /// Reads and writes the socket; none when it is closed.
    socket: Option<http1::Connection<TokioIo<TcpStream>, Full<Bytes>>>,
}

/// A status and all of its body.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) body: Bytes,
}

impl Answer {
    /// Anything but a success is an error that shows its body.
    pub(crate) fn check(&self) -> anyhow::Result<()> {
        ensure!(
            self.status.is_success(),
            "answered with {}: {}",
            self.status,
            self.shown()
        );
        Ok(())
    }

    /// The body of a success.
    pub(crate) fn json(&self) -> anyhow::Result<Value> {
        self.check()?;
        serde_json::from_slice(&self.body).with_context(|| format!("not JSON: {}", self.shown()))
    }

    fn shown(&self) -> std::borrow::Cow<'_, str> {
        String::from_utf8_lossy(self.body.get(..500).unwrap_or(&self.body))
    }
}

impl Connection {
    pub(crate) async fn open(port: u16) -> anyhow::Result<Self> {
        let socket = TcpStream::connect(("127.0.0.1", port)).await?;
        socket.set_nodelay(true)?;
        let (sender, socket) = http1::handshake(TokioIo::new(socket)).await?;
        Ok(Self {
            port,
            sender,
            socket: Some(socket),
        })
    }

    /// Closes it. The next request opens another one.
    pub(crate) fn close(&mut self) {
        self.socket = None;
    }

    /// Waits for something that needs the socket to be read and written.
    async fn drive<T>(&mut self, work: impl Future<Output = T>) -> T {
        let mut work = pin!(work);
        poll_fn(|cx| {
            if let Poll::Ready(done) = work.as_mut().poll(cx) {
                return Poll::Ready(done);
            }
            let Some(socket) = &mut self.socket else {
                return Poll::Pending;
            };
            if pin!(socket).poll(cx).is_ready() {
                self.socket = None;
            }
            work.as_mut().poll(cx)
        })
        .await
    }

    pub(crate) async fn get(&mut self, path: &str) -> anyhow::Result<Answer> {
        self.send(Method::GET, path, None, Bytes::new()).await
    }

    pub(crate) async fn delete(&mut self, path: &str) -> anyhow::Result<Answer> {
        self.send(Method::DELETE, path, None, Bytes::new()).await
    }

    /// Posts JSON and reads the JSON of a success.
    pub(crate) async fn post(&mut self, path: &str, body: &Value) -> anyhow::Result<Value> {
        let body = Bytes::from(serde_json::to_vec(body)?);
        self.post_bytes(path, "application/json", body)
            .await?
            .json()
            .with_context(|| format!("POST {path}"))
    }

    pub(crate) async fn post_bytes(
        &mut self,
        path: &str,
        content_type: &str,
        body: Bytes,
    ) -> anyhow::Result<Answer> {
        self.send(Method::POST, path, Some(content_type), body)
            .await
    }

    /// Reads a body to its end without keeping it; its size.
    pub(crate) async fn drain(&mut self, path: &str) -> anyhow::Result<usize> {
        let answer = self.begin(Method::GET, path, None, Bytes::new()).await?;
        self.drive(size_of(answer, path)).await
    }

    /// The same of the answer to a POST of JSON.
    pub(crate) async fn drain_post(&mut self, path: &str, body: Bytes) -> anyhow::Result<usize> {
        let json = Some("application/json");
        let answer = self.begin(Method::POST, path, json, body).await?;
        self.drive(size_of(answer, path)).await
    }

    async fn send(
        &mut self,
        method: Method,
        path: &str,
        content_type: Option<&str>,
        body: Bytes,
    ) -> anyhow::Result<Answer> {
        let answer = self.begin(method, path, content_type, body).await?;
        let status = answer.status();
        let body = self.drive(answer.into_body().collect()).await?.to_bytes();
        Ok(Answer { status, body })
    }

    async fn begin(
        &mut self,
        method: Method,
        path: &str,
        content_type: Option<&str>,
        body: Bytes,
    ) -> anyhow::Result<Response<Incoming>> {
        // Servers close connections that were idle for some seconds, perhaps in this very moment: what only looks is asked again.
        let may_ask_again = method == Method::GET;
        match self
            .ask(method.clone(), path, content_type, body.clone())
            .await
        {
            Err(_) if may_ask_again => {
                *self = Self::open(self.port).await?;
                self.ask(method, path, content_type, body).await
            }
            answer => answer,
        }
    }

    /// Whether the server has not closed it since the last answer.
    async fn is_open(&mut self) -> bool {
        poll_fn(|cx| {
            if let Some(socket) = &mut self.socket
                && pin!(socket).poll(cx).is_ready()
            {
                self.socket = None;
            }
            match &self.socket {
                Some(_) => self.sender.poll_ready(cx).map(|ready| ready.is_ok()),
                None => Poll::Ready(false),
            }
        })
        .await
    }

    async fn ask(
        &mut self,
        method: Method,
        path: &str,
        content_type: Option<&str>,
        body: Bytes,
    ) -> anyhow::Result<Response<Incoming>> {
        if !self.is_open().await {
            *self = Self::open(self.port).await?;
        }
        let mut request = Request::builder()
            .method(method)
            .uri(path)
            .header(HOST, "127.0.0.1");
        if let Some(content_type) = content_type {
            request = request.header(CONTENT_TYPE, content_type);
        }
        let request = request.body(Full::new(body))?;
        let asked = self.sender.send_request(request);
        tokio::time::timeout(ANSWER_LIMIT, self.drive(asked))
            .await
            .with_context(|| format!("no answer to {path}"))?
            .with_context(|| format!("asking {path}"))
    }
}

/// Reads a body to its end; its size.
async fn size_of(answer: Response<Incoming>, path: &str) -> anyhow::Result<usize> {
    ensure!(
        answer.status().is_success(),
        "{path} was answered with {}",
        answer.status()
    );
    let (mut body, mut size) = (answer.into_body(), 0);
    while let Some(frame) = body.frame().await {
        size += frame?.data_ref().map_or(0, Bytes::len);
    }
    Ok(size)
}
