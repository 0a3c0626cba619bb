//! All output of a command in one answer, for who waits for its end: in memory while it is small, in a file without a
//! name once it is not. It is kept as the text between the quotes of JSON strings, as the events have it already, so that
//! an answer of any size is sent without being held or written anew.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use bytes::Bytes;
use futures_util::stream::{self, Stream, StreamExt as _};
use openhands_protocol::Form;
use openhands_protocol::bash::BashOutput;
use openhands_sdk_rs::tools::blocking;
use serde::Deserialize;
use serde_json::value::RawValue;

/// What is held in memory of one stream.
const MAX_IN_MEMORY: usize = 1 << 20;

/// What is read from the file at once.
const READ_BYTES: usize = 256 << 10;

/// What an output without text has in it; the text goes where the nulls are.
const NO_TEXT: &str = r#""stdout":null,"stderr":null"#;

/// The output of a command so far.
pub(crate) struct Joined {
    /// The last event, without its text.
    last: Option<BashOutput>,
    stdout: Spool,
    stderr: Spool,
}

/// The text of an event, as it is written in it.
#[derive(Deserialize)]
struct Texts<'a> {
    #[serde(borrow)]
    stdout: Option<&'a RawValue>,
    #[serde(borrow)]
    stderr: Option<&'a RawValue>,
}

impl Joined {
    /// Nothing yet. Large output is kept in this directory meanwhile, if that can be done.
    pub(super) fn new(directory: &Path) -> Self {
        Self {
            last: None,
            stdout: Spool::new(directory),
            stderr: Spool::new(directory),
        }
    }

    /// Takes the next event, with its JSON.
    pub(super) async fn push(mut self, event: BashOutput, json: Bytes) -> io::Result<Self> {
        self.last = Some(BashOutput {
            stdout: None,
            stderr: None,
            ..event
        });
        if json.len() + self.stdout.len() + self.stderr.len() <= MAX_IN_MEMORY {
            self.take(&json)?;
            return Ok(self);
        }
        blocking(move || self.take(&json).map(|()| self))
            .await
            .map_err(io::Error::other)?
    }

    fn take(&mut self, json: &[u8]) -> io::Result<()> {
        let texts: Texts = serde_json::from_slice(json)?;
        for (text, spool) in [
            (texts.stdout, &mut self.stdout),
            (texts.stderr, &mut self.stderr),
        ] {
            let text = text.map(RawValue::get).unwrap_or_default();
            let inside = text.strip_prefix('"').and_then(|t| t.strip_suffix('"'));
            spool.push(inside.unwrap_or_default().as_bytes())?;
        }
        Ok(())
    }

    /// Whether there was any event.
    pub(super) fn is_empty(&self) -> bool {
        self.last.is_none()
    }

    /// The answer as JSON: its length, and its bytes piece by piece.
    pub(crate) fn into_json(
        self,
    ) -> io::Result<(u64, impl Stream<Item = io::Result<Bytes>> + Send + 'static)> {
        let text = Form::REST.to_string(&self.last).map_err(io::Error::other)?;
        let (head, tail) = text
            .split_once(NO_TEXT)
            .ok_or_else(|| io::Error::other("an output without a place for text"))?;
        let stdout = self.stdout.quoted(&format!(r#"{head}"stdout":"#));
        let stderr = self.stderr.quoted(r#","stderr":"#);
        let length = stdout.0 + stderr.0 + tail.len() as u64;
        let tail = stream::iter([Ok(Bytes::copy_from_slice(tail.as_bytes()))]);
        Ok((length, stdout.1.chain(stderr.1).chain(tail)))
    }

    /// The answer as a value.
    #[cfg(test)]
    pub(crate) async fn into_output(self) -> BashOutput {
        let (length, pieces) = self.into_json().unwrap();
        let pieces: Vec<_> = pieces.collect().await;
        let json = pieces.into_iter().map(Result::unwrap).collect::<Vec<_>>();
        let json = json.concat();
        assert_eq!(json.len() as u64, length);
        serde_json::from_slice(&json).unwrap()
    }
}

/// Bytes that are appended and read once.
struct Spool {
    directory: PathBuf,
    memory: Vec<u8>,
    /// What came before the bytes in memory.
    file: Option<File>,
    in_file: u64,
    /// Whether files cannot be had: the disk is full, or cannot be written.
    has_no_file: bool,
}

impl Spool {
    fn new(directory: &Path) -> Self {
        Self {
            directory: directory.to_owned(),
            memory: Vec::new(),
            file: None,
            in_file: 0,
            has_no_file: false,
        }
    }

    fn len(&self) -> usize {
        usize::try_from(self.in_file).unwrap_or(usize::MAX) + self.memory.len()
    }

    fn push(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.memory.extend_from_slice(bytes);
        if self.memory.len() > MAX_IN_MEMORY && !self.has_no_file {
            match self.spill() {
                Ok(()) => self.memory.clear(),
                Err(error) => {
                    tracing::warn!(%error, "large output is kept in memory");
                    self.has_no_file = true;
                    if let Some(file) = &mut self.file {
                        // What a failed write left behind is not part of it.
                        file.set_len(self.in_file)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn spill(&mut self) -> io::Result<()> {
        if self.file.is_none() {
            self.file = Some(tempfile::tempfile_in(&self.directory)?);
        }
        if let Some(file) = &mut self.file {
            file.write_all(&self.memory)?;
            self.in_file += self.memory.len() as u64;
        }
        Ok(())
    }

    /// A JSON string of it after `head`, or null if it is empty: its length, and its bytes piece by piece.
    fn quoted(mut self, head: &str) -> (u64, impl Stream<Item = io::Result<Bytes>> + Send + use<>) {
        let is_empty = self.len() == 0;
        let (open, close) = if is_empty { ("null", "") } else { ("\"", "\"") };
        let length = head.len() + open.len() + self.len() + close.len();
        let first = Bytes::from(format!("{head}{open}"));
        let mut last = std::mem::take(&mut self.memory);
        last.extend_from_slice(close.as_bytes());
        let pieces = stream::iter([Ok(first)])
            .chain(self.read_file())
            .chain(stream::iter([Ok(Bytes::from(last))]));
        (length as u64, pieces)
    }

    fn read_file(self) -> impl Stream<Item = io::Result<Bytes>> + Send + 'static {
        let file = self.file.map(|file| (file, true));
        stream::try_unfold(file, |state| async move {
            let Some((mut file, is_first)) = state else {
                return Ok(None);
            };
            let read = blocking(move || -> io::Result<_> {
                if is_first {
                    file.seek(SeekFrom::Start(0))?;
                }
                let mut piece = Vec::with_capacity(READ_BYTES);
                (&mut file)
                    .take(READ_BYTES as u64)
                    .read_to_end(&mut piece)?;
                Ok((piece, file))
            });
            let (piece, file) = read.await.map_err(io::Error::other)??;
            Ok((!piece.is_empty()).then(|| (Bytes::from(piece), Some((file, false)))))
        })
    }
}

#[cfg(test)]
#[path = "joined_tests.rs"]
mod tests;
