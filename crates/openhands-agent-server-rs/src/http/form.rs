//! A form with files (`multipart/form-data`), read as it comes. What a part holds is handed on as it came from the network, without a copy.

use axum::body::BodyDataStream;
use axum::extract::Request;
use axum::http::{HeaderMap, StatusCode, header};
use bytes::{Buf as _, Bytes, BytesMut};
use futures_util::StreamExt as _;
use memchr::memmem::{self, Finder};

use super::ApiError;

/// The longest line of a part's head, and how many lines it may have.
const MAX_LINE_BYTES: usize = 64 << 10;
const MAX_LINES: usize = 32;

const LINE_END: &[u8] = b"\r\n";

/// Why a form cannot be read, in the words that clients were told before.
#[derive(Debug, thiserror::Error)]
pub(crate) enum FormError {
    #[error("Invalid `boundary` for `multipart/form-data` request")]
    NoBoundary,
    #[error("incomplete multipart stream")]
    Incomplete,
    #[error("field {0:?} received with incomplete data")]
    IncompletePart(String),
    #[error("failed to read headers")]
    Head,
    #[error("failed to read stream")]
    Body(#[source] axum::Error),
}

impl From<FormError> for ApiError {
    fn from(error: FormError) -> Self {
        let status = match error {
            FormError::Body(_) => StatusCode::INTERNAL_SERVER_ERROR,
            _ => StatusCode::BAD_REQUEST,
        };
        Self::new(status, error.to_string())
    }
}

/// What a part says of itself.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct Part {
    pub(crate) name: Option<String>,
    pub(crate) file_name: Option<String>,
}

/// A form that is being read.
pub(crate) struct Form {
    body: BodyDataStream,
    /// What has come and was not handed on.
    read: Bytes,
    /// What ends a part: a line end, and the line that begins the next.
    delimiter: Finder<'static>,
    /// The part whose data come next; none before the first, and between two.
    part: Option<Part>,
    at_end: bool,
}

impl Form {
    /// The form of a request; nothing of it is read yet.
    pub(crate) fn of(request: Request) -> Result<Self, FormError> {
        let boundary = boundary(request.headers()).ok_or(FormError::NoBoundary)?;
        let delimiter = [LINE_END, b"--", boundary.as_bytes()].concat();
        Ok(Self {
            body: request.into_body().into_data_stream(),
            // The first part begins like the others, after something that nobody wants.
            read: Bytes::from_static(LINE_END),
            delimiter: Finder::new(&delimiter).into_owned(),
            part: Some(Part::default()),
            at_end: false,
        })
    }

    /// The next part; none at the end. What is left of the last one is passed over.
    pub(crate) async fn next_part(&mut self) -> Result<Option<Part>, FormError> {
        while self.data().await?.is_some() {}
        if self.at_end {
            return Ok(None);
        }
        while self.read.len() < 2 {
            self.more().await?;
        }
        if self.read.starts_with(b"--") {
            self.at_end = true;
            return Ok(None);
        }
        // Only blanks may follow on the line.
        if !self.line().await?.trim_ascii().is_empty() {
            return Err(FormError::Incomplete);
        }
        let mut part = Part::default();
        for _ in 0..=MAX_LINES {
            let line = self.line().await?;
            if line.is_empty() {
                self.part = Some(part.clone());
                return Ok(Some(part));
            }
            let colon = memchr::memchr(b':', &line).ok_or(FormError::Head)?;
            let (name, value) = line.split_at_checked(colon).ok_or(FormError::Head)?;
            if name.eq_ignore_ascii_case(b"content-disposition") {
                part.name = parameter(value, "name");
                part.file_name = parameter(value, "filename");
            }
        }
        Err(FormError::Head)
    }

    /// The next piece of the part; none at its end.
    pub(crate) async fn data(&mut self) -> Result<Option<Bytes>, FormError> {
        while let Some(part) = &self.part {
            if let Some(end) = self.delimiter.find(&self.read) {
                let piece = self.read.split_to(end);
                self.read.advance(self.delimiter.needle().len());
                self.part = None;
                return Ok(Some(piece).filter(|piece| !piece.is_empty()));
            }
            let sure = self.read.len() - self.begun_delimiter();
            if sure > 0 {
                return Ok(Some(self.read.split_to(sure)));
            }
            let name = part.name.clone();
            self.more().await.map_err(|error| match (error, name) {
                (FormError::Incomplete, Some(name)) => FormError::IncompletePart(name),
                (error, _) => error,
            })?;
        }
        Ok(None)
    }

    /// How much of the end may be the start of a delimiter.
    fn begun_delimiter(&self) -> usize {
        let delimiter = self.delimiter.needle();
        let most = self.read.len().min(delimiter.len() - 1);
        let end = self.read.get(self.read.len() - most..).unwrap_or_default();
        memchr::memchr_iter(b'\r', end)
            .filter_map(|at| end.get(at..))
            .find(|begun| delimiter.starts_with(begun))
            .map_or(0, <[u8]>::len)
    }

    /// The next line, without its end.
    async fn line(&mut self) -> Result<Bytes, FormError> {
        loop {
            if let Some(end) = memmem::find(&self.read, LINE_END) {
                let line = self.read.split_to(end);
                self.read.advance(LINE_END.len());
                return Ok(line);
            }
            if self.read.len() > MAX_LINE_BYTES {
                return Err(FormError::Head);
            }
            self.more().await?;
        }
    }

    /// Reads on. The end of the body is an error: a form says itself where it ends.
    async fn more(&mut self) -> Result<(), FormError> {
        let piece = self.body.next().await.ok_or(FormError::Incomplete)?;
        let piece = piece.map_err(FormError::Body)?;
        if self.read.is_empty() {
            self.read = piece;
            return Ok(());
        }
        // Seldom: a line of a head, or what may be a delimiter, came in two pieces.
        let mut both = BytesMut::with_capacity(self.read.len() + piece.len());
        both.extend_from_slice(&self.read);
        both.extend_from_slice(&piece);
        self.read = both.freeze();
        Ok(())
    }
}

/// What stands between the parts of a form.
fn boundary(headers: &HeaderMap) -> Option<String> {
    let kind = headers.get(header::CONTENT_TYPE)?.as_bytes();
    let is_form = kind.split(|byte| *byte == b';').next().is_some_and(|kind| {
        kind.trim_ascii()
            .eq_ignore_ascii_case(b"multipart/form-data")
    });
    parameter(kind, "boundary").filter(|boundary| is_form && !boundary.is_empty())
}

/// A parameter of a header's value, as in `form-data; name="file"`.
fn parameter(value: &[u8], wanted: &str) -> Option<String> {
    let mut rest = value;
    loop {
        // The kind before the first parameter, or the end of the last one.
        let start = memchr::memchr(b';', rest)?;
        rest = rest.get(start + 1..)?;
        let equals = memchr::memchr2(b'=', b';', rest)?;
        if rest.get(equals) == Some(&b';') {
            continue;
        }
        let (name, after) = rest.split_at_checked(equals)?;
        let after = after.get(1..)?.trim_ascii_start();
        let (text, left) = match after.strip_prefix(b"\"") {
            Some(quoted) => quoted.split_at_checked(closing_quote(quoted)?)?,
            None => after.split_at_checked(memchr::memchr(b';', after).unwrap_or(after.len()))?,
        };
        rest = left;
        if name.trim_ascii().eq_ignore_ascii_case(wanted.as_bytes()) {
            let text = str::from_utf8(text.trim_ascii()).ok()?;
            // Only quotes: browsers send the backslashes of Windows as they are.
            return Some(text.replace("\\\"", "\""));
        }
    }
}

/// Where the first quote is that no backslash stands before.
fn closing_quote(text: &[u8]) -> Option<usize> {
    memchr::memchr_iter(b'"', text)
        .find(|at| at.checked_sub(1).and_then(|before| text.get(before)) != Some(&b'\\'))
}

#[cfg(test)]
#[path = "form_tests.rs"]
mod tests;
