//! A small HTTP client that sends a request exactly as it was recorded: paths as they are, bodies with any method.

use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// How long an answer may take, on a busy machine.
pub(crate) const DEADLINE: Duration = Duration::from_mins(1);

/// A request to a server on this machine.
#[derive(Debug, Clone, Default)]
pub(crate) struct Request {
    pub(crate) method: String,
    /// With its query.
    pub(crate) path: String,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Request {
    pub(crate) fn new(method: &str, path: &str) -> Self {
        Self {
            method: method.to_owned(),
            path: path.to_owned(),
            ..Self::default()
        }
    }

    pub(crate) fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    pub(crate) fn json(self, body: &Value) -> Self {
        let mut request = self.header("Content-Type", "application/json");
        request.body = body.to_string().into_bytes();
        request
    }

    fn has(&self, name: &str) -> bool {
        self.headers
            .iter()
            .any(|(known, _)| known.eq_ignore_ascii_case(name))
    }

    fn head(&self, authority: &str) -> String {
        let mut head = format!("{} {} HTTP/1.1\r\n", self.method, self.path);
        if !self.has("host") {
            head.push_str(&format!("Host: {authority}\r\n"));
        }
        for (name, value) in &self.headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        if !self.body.is_empty() || self.method == "POST" {
            head.push_str(&format!("Content-Length: {}\r\n", self.body.len()));
        }
        head.push_str("Connection: close\r\n\r\n");
        head
    }
}

/// What came back.
#[derive(Debug, Clone)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(known, _)| known == name)
            .map(|(_, value)| value.as_str())
    }

    /// The body as JSON when it says that it is, else as text; null when there is none.
    pub(crate) fn value(&self) -> Value {
        if self.body.is_empty() {
            return Value::Null;
        }
        let is_json = self
            .header("content-type")
            .is_some_and(|kind| kind.starts_with("application/json"));
        if is_json && let Ok(value) = serde_json::from_slice(&self.body) {
            return value;
        }
        Value::String(String::from_utf8_lossy(&self.body).into_owned())
    }
}

/// Sends a request to `127.0.0.1:8000` and the like, and reads the whole answer.
pub(crate) async fn send(authority: &str, request: &Request) -> std::io::Result<Answer> {
    let exchange = async {
        let mut stream = TcpStream::connect(authority).await?;
        stream.write_all(request.head(authority).as_bytes()).await?;
        stream.write_all(&request.body).await?;
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).await?;
        parse(&bytes, request.method == "HEAD")
    };
    tokio::time::timeout(DEADLINE, exchange)
        .await
        .unwrap_or_else(|_| {
            Err(std::io::Error::other(format!(
                "no answer to {} {}",
                request.method, request.path
            )))
        })
}

fn parse(bytes: &[u8], is_head: bool) -> std::io::Result<Answer> {
    let bad = || std::io::Error::other("not an HTTP answer");
    let end = bytes
        .windows(4)
        .position(|four| four == b"\r\n\r\n")
        .ok_or_else(bad)?;
    let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
    let mut lines = head.split("\r\n");
    let status = lines
        .next()
        .and_then(|line| line.split(' ').nth(1)?.parse().ok())
        .ok_or_else(bad)?;
    let headers: Vec<(String, String)> = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
        .collect();
    let rest = &bytes[end + 4..];
    let is_chunked = headers
        .iter()
        .any(|(name, value)| name == "transfer-encoding" && value.eq_ignore_ascii_case("chunked"));
    let body = match (is_head, is_chunked) {
        (true, _) => Vec::new(),
        (false, true) => join_chunks(rest).ok_or_else(bad)?,
        (false, false) => rest.to_vec(),
    };
    Ok(Answer {
        status,
        headers,
        body,
    })
}

fn join_chunks(mut rest: &[u8]) -> Option<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let line = rest.windows(2).position(|two| two == b"\r\n")?;
        let size = std::str::from_utf8(&rest[..line]).ok()?;
        let size = usize::from_str_radix(size.split(';').next()?.trim(), 16).ok()?;
        rest = rest.get(line + 2..)?;
        if size == 0 {
            return Some(body);
        }
        body.extend_from_slice(rest.get(..size)?);
        rest = rest.get(size + 2..)?;
    }
}

/// A text as one part of a query: everything but plain letters and digits is encoded.
pub(crate) fn encoded(text: &str) -> String {
    let mut encoded = String::new();
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/:".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            encoded.push_str(&format!("%{byte:02X}"));
        }
    }
    encoded
}
