//! All output of a command in one answer, for who waits for its end.
//!
//! Nothing is copied for it where that can be helped: little output stays in memory as the events have it, and large pieces
//! are read again from the files of their events when the answer is sent. Only many small pieces that are large
//! together, and more pieces than files may be open, are written once more, to a file without a name.
//!
//! An answer that is large already is sent while the command still prints.

use std::fs::File;
use std::io::{self, Write as _};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bytes::Bytes;
use futures_util::stream::{self, BoxStream, StreamExt as _};
use openhands_protocol::Form;
use openhands_protocol::bash::BashOutput;
use openhands_sdk_rs::tools::blocking;
use tokio::sync::{Semaphore, mpsc};

use super::flow;
use super::parts::{OpenFile, Part, Share, bytes_of};
use super::written::{NO_TEXT, Written};

/// What is held in memory, both streams together, with the events around the text.
const MAX_IN_MEMORY: usize = 1 << 20;

/// The same when the answer is being sent. Who reads it as fast as it comes gets it without a look into files.
const MAX_ON_ITS_WAY: usize = 3 << 20;

/// How many files of events are kept open for one answer.
const MAX_OPEN_FILES: usize = 64;

/// An output that was stored, or at least announced.
#[derive(Debug)]
pub(super) struct Stored {
    /// The event without its text.
    pub(super) output: BashOutput,
    pub(super) written: Written,
    /// The file of the event, if it is large and could be stored.
    pub(super) file: Option<File>,
}

/// An answer as JSON.
pub(crate) struct Answer {
    /// How long it is; not known while there is more to come.
    pub(crate) length: Option<u64>,
    pub(crate) json: BoxStream<'static, io::Result<Bytes>>,
}

/// The output of a command so far.
pub(crate) struct Joined {
    /// The last event, without its text.
    last: Option<BashOutput>,
    stdout: Vec<Part>,
    stderr: Vec<Part>,
    /// How many bytes there may be in memory, and how many files may be open.
    memory: Arc<Semaphore>,
    files: Arc<Semaphore>,
    spool: Spool,
}

impl Joined {
    /// Nothing yet. Large output is kept in this directory meanwhile, if that can be done.
    pub(super) fn new(directory: &Path) -> Self {
        Self {
            last: None,
            stdout: Vec::new(),
            stderr: Vec::new(),
            memory: Arc::new(Semaphore::new(MAX_IN_MEMORY)),
            files: Arc::new(Semaphore::new(MAX_OPEN_FILES)),
            spool: Spool::new(directory),
        }
    }

    /// Takes the next event.
    pub(super) async fn push(mut self, stored: Stored) -> io::Result<Self> {
        let Stored {
            output,
            written,
            file,
        } = stored;
        self.last = Some(output);
        let in_memory = share_of(&self.memory, written.json.len());
        let (stdout, stderr, is_kept) = match (in_memory, file) {
            (None, Some(file)) => {
                let share = share_of(&self.files, 1);
                let is_kept = share.is_some();
                let file = Arc::new(OpenFile {
                    file,
                    _share: share,
                });
                let part = |range: Range<usize>| {
                    Part::File(Arc::clone(&file), range.start as u64..range.end as u64)
                };
                (part(written.stdout), part(written.stderr), is_kept)
            }
            (share, _) => {
                let is_kept = share.is_some();
                let part =
                    |range: Range<usize>| Part::Memory(written.json.slice(range), share.clone());
                let (stdout, stderr) = (part(written.stdout.clone()), part(written.stderr.clone()));
                (stdout, stderr, is_kept)
            }
        };
        if is_kept {
            self.stdout
                .extend(Some(stdout).filter(|part| part.len() > 0));
            self.stderr
                .extend(Some(stderr).filter(|part| part.len() > 0));
            return Ok(self);
        }
        blocking(move || {
            let this = &mut self;
            this.spool.push(stdout, &mut this.stdout)?;
            this.spool.push(stderr, &mut this.stderr)?;
            Ok(self)
        })
        .await
        .map_err(io::Error::other)?
    }

    /// Whether there was any event.
    pub(super) fn is_empty(&self) -> bool {
        self.last.is_none()
    }

    /// Whether there is so much that it should be on its way.
    pub(super) fn is_much(&self) -> bool {
        self.stdout.iter().map(Part::len).sum::<u64>() >= MAX_IN_MEMORY as u64
    }

    /// What there is of the first stream, which is then somebody else's.
    pub(super) fn take_stdout(&mut self) -> Vec<Part> {
        std::mem::take(&mut self.stdout)
    }

    /// The answer, when all of it is there.
    pub(super) fn into_answer(self) -> io::Result<Answer> {
        let text = Form::REST.to_string(&self.last).map_err(io::Error::other)?;
        let (head, tail) = text
            .split_once(NO_TEXT)
            .ok_or_else(|| io::Error::other("an output without a place for text"))?;
        let mut parts = Vec::new();
        quote(&mut parts, format!(r#"{head}"stdout":"#), self.stdout);
        quote(&mut parts, r#","stderr":"#.to_owned(), self.stderr);
        parts.push(Part::frame(tail.to_owned()));
        Ok(Answer {
            length: Some(parts.iter().map(Part::len).sum()),
            json: bytes_of(stream::iter(parts.into_iter().map(Ok))).boxed(),
        })
    }

    /// The answer, sent while its end is yet to come.
    pub(super) fn flow(self, outputs: mpsc::Receiver<Stored>) -> Answer {
        self.memory.add_permits(MAX_ON_ITS_WAY - MAX_IN_MEMORY);
        Answer {
            length: None,
            json: bytes_of(flow::begin(self, outputs)).boxed(),
        }
    }

    /// What follows the first stream in an answer that began with it.
    pub(super) fn into_rest(self) -> io::Result<Vec<Part>> {
        let text = Form::REST.to_string(&self.last).map_err(io::Error::other)?;
        let (head, tail) = text
            .split_once(NO_TEXT)
            .ok_or_else(|| io::Error::other("an output without a place for text"))?;
        let before = head.trim_start_matches('{').trim_end_matches(',');
        let mut parts = Vec::new();
        quote(&mut parts, r#","stderr":"#.to_owned(), self.stderr);
        parts.push(Part::frame(format!(",{before}{tail}")));
        Ok(parts)
    }
}

impl Answer {
    /// As a value.
    #[cfg(test)]
    pub(crate) async fn into_output(self) -> BashOutput {
        let pieces: Vec<_> = self.json.collect().await;
        let json = pieces.into_iter().map(Result::unwrap).collect::<Vec<_>>();
        let json = json.concat();
        if let Some(length) = self.length {
            assert_eq!(json.len() as u64, length);
        }
        serde_json::from_slice(&json).unwrap()
    }
}

/// So much of what there may be, if so much is left.
fn share_of(all: &Arc<Semaphore>, count: usize) -> Share {
    let count = u32::try_from(count).ok()?;
    let permit = Arc::clone(all).try_acquire_many_owned(count).ok()?;
    Some(Arc::new(permit))
}

/// Appends a JSON string after `head`, or null if there is no text.
fn quote(to: &mut Vec<Part>, head: String, text: Vec<Part>) {
    let (open, close) = if text.is_empty() {
        ("null", "")
    } else {
        ("\"", "\"")
    };
    to.push(Part::frame(head + open));
    to.extend(text);
    to.push(Part::frame(close));
}

/// Text in a file without a name.
struct Spool {
    directory: PathBuf,
    file: Option<Arc<OpenFile>>,
    length: u64,
    /// Whether files cannot be had: the disk is full, or cannot be written.
    has_no_file: bool,
}

impl Spool {
    fn new(directory: &Path) -> Self {
        Self {
            directory: directory.to_owned(),
            file: None,
            length: 0,
            has_no_file: false,
        }
    }

    /// Writes a text, and adds it to the parts of its stream.
    fn push(&mut self, part: Part, parts: &mut Vec<Part>) -> io::Result<()> {
        let text = part.read()?;
        if text.is_empty() {
            return Ok(());
        }
        if !self.has_no_file {
            match self.append(&text) {
                Ok((file, range)) => {
                    match parts.last_mut() {
                        Some(Part::File(last, before))
                            if Arc::ptr_eq(last, &file) && before.end == range.start =>
                        {
                            before.end = range.end;
                        }
                        _ => parts.push(Part::File(file, range)),
                    }
                    return Ok(());
                }
                Err(error) => {
                    tracing::warn!(%error, "large output is kept in memory");
                    self.has_no_file = true;
                    if let Some(file) = &self.file {
                        // What a failed write left behind is not part of it.
                        file.file.set_len(self.length)?;
                    }
                }
            }
        }
        parts.push(Part::Memory(text, None));
        Ok(())
    }

    fn append(&mut self, text: &[u8]) -> io::Result<(Arc<OpenFile>, Range<u64>)> {
        let file = match &self.file {
            Some(file) => Arc::clone(file),
            None => Arc::new(OpenFile {
                file: tempfile::tempfile_in(&self.directory)?,
                _share: None,
            }),
        };
        self.file = Some(Arc::clone(&file));
        (&file.file).write_all(text)?;
        let start = self.length;
        self.length += text.len() as u64;
        Ok((file, start..self.length))
    }
}

#[cfg(test)]
#[path = "joined_tests.rs"]
mod tests;
