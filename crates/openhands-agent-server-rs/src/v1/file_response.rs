//! A file as an answer: whole or in parts, with what a browser wants to know about it.

use std::fmt::Write as _;
use std::fs::Metadata;
use std::io::{self, Read as _, SeekFrom};
use std::ops::Range;
use std::path::Path;
use std::time::SystemTime;

use axum::body::Body;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use futures_util::{Stream, StreamExt as _, stream};
use sha2::{Digest as _, Sha256};
use tokio::fs::File;
use tokio::io::{AsyncReadExt as _, AsyncSeekExt as _};
use tokio_util::io::ReaderStream;
use uuid::Uuid;

use crate::http::ApiError;
use crate::services::files::pipe::pieces;
use crate::services::files::ranges::{self, Wanted};

/// How much is read at once.
const READ_BYTES: usize = 64 << 10;
/// How much of a large file is read at once.
const AHEAD_BYTES: u64 = 256 << 10;

/// A file to be sent.
pub(crate) struct FileResponse {
    file: File,
    metadata: Metadata,
    content_type: String,
    /// What the browser calls it when it saves it; without, it shows it.
    attachment: Option<String>,
}

impl FileResponse {
    /// Opens a regular file. Nothing else is opened for long: a pipe would wait for ever.
    pub(crate) async fn open(path: &Path, content_type: String) -> io::Result<Self> {
        // Looked at first: opening a device may do something.
        if !tokio::fs::metadata(path).await?.is_file() {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        let file = File::open(path).await?;
        let metadata = file.metadata().await?;
        Ok(Self {
            file,
            metadata,
            content_type,
            attachment: None,
        })
    }

    /// To be saved under a name.
    pub(crate) fn attached_as(mut self, name: &str) -> Self {
        self.attachment = Some(disposition(name));
        self
    }

    /// The answer to a request with these headers.
    pub(crate) fn answer(self, request: &HeaderMap) -> Result<Response, ApiError> {
        let size = self.metadata.len();
        let modified = self.metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH);
        let last_modified = httpdate::fmt_http_date(modified);
        let etag = etag(modified, size);
        let text = |name| {
            request
                .get(name)
                .and_then(|value: &HeaderValue| value.to_str().ok())
        };
        let is_current =
            text(header::IF_RANGE).is_none_or(|known| known == last_modified || known == etag);
        let wanted = match text(header::RANGE) {
            Some(range) if is_current => ranges::wanted(range, size),
            Some(_) | None => Wanted::Whole,
        };
        let mut response = match wanted {
            Wanted::Malformed(reason) => {
                return Ok((StatusCode::BAD_REQUEST, reason).into_response());
            }
            Wanted::Unsatisfiable => return Ok(unsatisfiable(size)),
            Wanted::Whole => self.whole(size),
            Wanted::Parts(parts) => match parts.as_slice() {
                [part] => self.part(part.clone(), size),
                _ => self.parts(parts, size),
            },
        };
        let headers = response.headers_mut();
        headers.insert(header::ACCEPT_RANGES, HeaderValue::from_static("bytes"));
        for (name, value) in [(header::LAST_MODIFIED, last_modified), (header::ETAG, etag)] {
            headers.insert(
                name,
                HeaderValue::try_from(value).map_err(ApiError::internal)?,
            );
        }
        Ok(response)
    }

    fn head(
        &self,
        status: StatusCode,
        content_type: &str,
        length: u64,
    ) -> axum::http::response::Builder {
        let head = Response::builder()
            .status(status)
            .header(header::CONTENT_TYPE, content_type)
            .header(header::CONTENT_LENGTH, length);
        match &self.attachment {
            Some(attachment) => head.header(header::CONTENT_DISPOSITION, attachment),
            None => head,
        }
    }

    fn whole(self, size: u64) -> Response {
        let head = self.head(StatusCode::OK, &self.content_type, size);
        if size <= READ_BYTES as u64 {
            let small = ReaderStream::with_capacity(self.file.take(size), READ_BYTES);
            return built(head.body(Body::from_stream(small)));
        }
        built(head.body(Body::from_stream(read_ahead(self.file, size))))
    }

    fn part(self, part: Range<u64>, size: u64) -> Response {
        let head = self
            .head(
                StatusCode::PARTIAL_CONTENT,
                &self.content_type,
                part.end - part.start,
            )
            .header(header::CONTENT_RANGE, content_range(&part, size));
        built(head.body(Body::from_stream(
            read(self.file, part).map(|item| item.map(|(bytes, _)| bytes)),
        )))
    }

    fn parts(self, parts: Vec<Range<u64>>, size: u64) -> Response {
        let boundary = Uuid::new_v4().simple().to_string();
        let intro = |part: &Range<u64>| {
            format!(
                "--{boundary}\r\nContent-Type: {}\r\nContent-Range: {}\r\n\r\n",
                self.content_type,
                content_range(part, size)
            )
        };
        let end = format!("--{boundary}--");
        let length = parts
            .iter()
            .map(|part| intro(part).len() as u64 + (part.end - part.start) + 2)
            .sum::<u64>()
            + end.len() as u64;
        let kind = format!("multipart/byteranges; boundary={boundary}");
        let head = self.head(StatusCode::PARTIAL_CONTENT, &kind, length);
        let parts: Vec<(String, Range<u64>)> =
            parts.into_iter().map(|part| (intro(&part), part)).collect();
        built(head.body(Body::from_stream(multipart(self.file, parts, end))))
    }
}

/// All headers come from here or were checked, so that nothing can be wrong with them.
fn built(response: Result<Response, axum::http::Error>) -> Response {
    response.unwrap_or_else(|error| ApiError::internal(error).into_response())
}

fn unsatisfiable(size: u64) -> Response {
    let range = [(header::CONTENT_RANGE, format!("bytes */{size}"))];
    (StatusCode::RANGE_NOT_SATISFIABLE, range, "").into_response()
}

fn content_range(part: &Range<u64>, size: u64) -> String {
    format!("bytes {}-{}/{size}", part.start, part.end.saturating_sub(1))
}

/// A mark of this state of the file.
fn etag(modified: SystemTime, size: u64) -> String {
    let since = modified
        .duration_since(SystemTime::UNIX_EPOCH)
        .unwrap_or_default();
    let digest = Sha256::digest(format!("{}-{size}", since.as_nanos()));
    let mut etag = "\"".to_owned();
    for byte in digest.iter().take(16) {
        let _ = write!(etag, "{byte:02x}");
    }
    etag.push('"');
    etag
}

/// A whole file, read by a thread that is ahead of the network: neither waits for the other. One that has become shorter is an error, so that
/// nobody takes what is there for all.
fn read_ahead(file: File, size: u64) -> impl Stream<Item = io::Result<Bytes>> + Send {
    let file = file.try_into_std();
    pieces(move |send| {
        // Nothing is under way in a file that was just opened.
        let mut file = file.map_err(|_| io::Error::other("the file is in use"))?;
        let mut left = size;
        while left > 0 {
            let wanted = left.min(AHEAD_BYTES);
            let mut piece = Vec::with_capacity(usize::try_from(wanted).unwrap_or_default());
            let count = (&mut file).take(wanted).read_to_end(&mut piece)? as u64;
            if count == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            left -= count;
            send(piece.into())?;
        }
        Ok(())
    })
}

/// A part of a file, piece by piece; the file comes along, to be read on. One that has become shorter is an error, so
/// that nobody takes what is there for all.
fn read(
    file: File,
    part: Range<u64>,
) -> impl Stream<Item = io::Result<(Bytes, Option<File>)>> + Send {
    stream::try_unfold(Some((file, part, false)), async |state| {
        let Some((mut file, part, has_begun)) = state else {
            return Ok(None);
        };
        if !has_begun {
            file.seek(SeekFrom::Start(part.start)).await?;
        }
        let left = part.end - part.start;
        let mut piece =
            Vec::with_capacity(usize::try_from(left).unwrap_or(READ_BYTES).min(READ_BYTES));
        let count = (&mut file).take(left).read_buf(&mut piece).await? as u64;
        if count == 0 && left > 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let rest = part.start + count..part.end;
        Ok(Some(if rest.is_empty() {
            ((piece.into(), Some(file)), None)
        } else {
            ((piece.into(), None), Some((file, rest, true)))
        }))
    })
}

/// Parts of a file, each with its introduction, and the end.
fn multipart(
    file: File,
    parts: Vec<(String, Range<u64>)>,
    end: String,
) -> impl Stream<Item = io::Result<Bytes>> + Send {
    // Each part has a handle of its own, made when it is its turn.
    let start = (Some(file), parts.into_iter());
    let bodies = stream::try_unfold(start, async |(file, mut parts)| {
        let (Some(file), Some((intro, part))) = (file, parts.next()) else {
            return Ok(None);
        };
        let again = file.try_clone().await?;
        let body = read(file, part).map(|item| item.map(|(bytes, _)| bytes));
        let text =
            |text: String| stream::once(async move { Ok::<_, io::Error>(Bytes::from(text)) });
        let whole = text(intro).chain(body).chain(text("\r\n".to_owned()));
        Ok::<_, io::Error>(Some((whole, (Some(again), parts))))
    });
    let bodies = bodies.flat_map(|body| match body {
        Ok(body) => body.boxed(),
        Err(error) => stream::once(async move { Err(error) }).boxed(),
    });
    bodies.chain(stream::once(async move { Ok(Bytes::from(end)) }))
}

/// How a file is to be called when it is saved. Only what cannot end the header or the quotes stands in it as it is.
pub(crate) fn disposition(name: &str) -> String {
    let quoted = percent_encoded(name, "/");
    if quoted == name {
        format!("attachment; filename=\"{name}\"")
    } else {
        format!("attachment; filename*=utf-8''{quoted}")
    }
}

/// Everything but letters, digits, `_.-~` and what is named becomes `%XX`.
pub(crate) fn percent_encoded(text: &str, also: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        let letter = char::from(byte);
        if byte.is_ascii_alphanumeric()
            || "_.-~".contains(letter)
            || byte.is_ascii() && also.contains(letter)
        {
            encoded.push(letter);
        } else {
            let _ = write!(encoded, "%{byte:02X}");
        }
    }
    encoded
}
