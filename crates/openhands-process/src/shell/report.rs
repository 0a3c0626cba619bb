//! What bash says on the control socket after each command.
//!
//! A report is lines with what `command -v python`, and in a full report `jobs -p` and `trap -p`, print; then
//! fields, each after a NUL: the token and the command's number, `$?`, the members of `PIPESTATUS` up to an empty
//! field, `$!`, `$-`, `$PWD`. A short report has one more field, which is empty unless a full one is called for. A
//! full one has an empty field, the prompt as it was printed, and `PROMPT_COMMAND`, which is unset now. At last
//! comes the token, with a line end.

use std::os::unix::ffi::OsStringExt as _;
use std::path::PathBuf;

use super::marks::Token;

/// A report longer than this is a fault: the socket is given up rather than filled.
const MAX_REPORT_BYTES: usize = 4 << 20;

/// The state of the shell after a command.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Report {
    pub(crate) command: u64,
    pub(crate) status: u8,
    pub(crate) last_background: Option<i32>,
    pub(crate) flags: String,
    pub(crate) prompt: Vec<u8>,
    pub(crate) pipe_status: Vec<u8>,
    pub(crate) directory: PathBuf,
    pub(crate) python: String,
    pub(crate) jobs: Vec<i32>,
    pub(crate) traps: bool,
    pub(crate) prompt_command: Vec<u8>,
    /// Whether jobs, traps and prompts were looked at.
    pub(crate) full: bool,
    /// Whether a prompt or `PROMPT_COMMAND` is set, of which a short report says no more.
    pub(crate) restless: bool,
}

/// Collects reports from the bytes of the socket.
#[derive(Debug)]
pub(crate) struct ReportReader {
    token: Token,
    buffer: Vec<u8>,
}

impl ReportReader {
    pub(crate) fn new(token: Token) -> Self {
        Self {
            token,
            buffer: Vec::new(),
        }
    }

    /// Takes bytes in. A line that was interrupted leaves half a report, which is dropped with the next one.
    pub(crate) fn feed(&mut self, bytes: &[u8]) {
        self.buffer.extend_from_slice(bytes);
        if self.buffer.len() > MAX_REPORT_BYTES {
            self.buffer = Vec::new();
        }
    }

    /// The next whole report, if there is one.
    pub(crate) fn next(&mut self) -> Option<Report> {
        let end = format!("\0{}\n", self.token.as_str()).into_bytes();
        loop {
            let at = memchr::memmem::find(&self.buffer, &end)?;
            let rest = self.buffer.split_off(at + end.len());
            let mut body = std::mem::replace(&mut self.buffer, rest);
            if self.buffer.is_empty() {
                self.buffer = Vec::new();
            }
            body.truncate(at);
            let start = format!("\0{}:", self.token.as_str()).into_bytes();
            // The last start wins: what is before it was interrupted.
            let from = memchr::memmem::rfind(&body, &start).unwrap_or(body.len());
            let fields = body.get(from + start.len()..).unwrap_or_default();
            let lines = body
                .get(..from)
                .and_then(|before| before.split(|byte| *byte == 0).next_back());
            if let Some(report) = parse(lines.unwrap_or_default(), fields) {
                return Some(report);
            }
        }
    }
}

fn parse(lines: &[u8], fields: &[u8]) -> Option<Report> {
    let mut fields = fields.split(|byte| *byte == 0);
    let number = |field: &[u8]| std::str::from_utf8(field).ok()?.trim().parse::<i32>().ok();
    let command = std::str::from_utf8(fields.next()?).ok()?.parse().ok()?;
    let status = u8::try_from(number(fields.next()?)?).ok()?;
    let mut pipe_status = Vec::new();
    loop {
        let field = fields.next()?;
        if field.is_empty() {
            break;
        }
        pipe_status.push(u8::try_from(number(field)?).ok()?);
    }
    let last_background = number(fields.next()?);
    let flags = String::from_utf8_lossy(fields.next()?).into_owned();
    let directory = PathBuf::from(std::ffi::OsString::from_vec(fields.next()?.to_vec()));
    let restless = !fields.next()?.is_empty();
    let prompt = fields.next();
    let prompt_command = fields.next().unwrap_or_default().trim_ascii_end().to_vec();
    let said = Said::parse(lines);
    Some(Report {
        command,
        status,
        last_background,
        flags,
        prompt: prompt.unwrap_or_default().to_vec(),
        pipe_status,
        directory,
        python: String::from_utf8_lossy(&said.python).into_owned(),
        jobs: said.jobs,
        traps: said.traps,
        prompt_command,
        full: prompt.is_some(),
        restless,
    })
}

/// The lines that builtins print.
#[derive(Default)]
struct Said {
    python: Vec<u8>,
    jobs: Vec<i32>,
    traps: bool,
}

impl Said {
    fn parse(text: &[u8]) -> Self {
        let mut said = Self::default();
        for line in text.split_inclusive(|byte| *byte == b'\n') {
            let job = std::str::from_utf8(line)
                .ok()
                .and_then(|line| line.trim().parse().ok());
            match job {
                Some(job) => said.jobs.push(job),
                None if line.starts_with(b"trap -- ") => {
                    said.traps = true;
                    // The rest may be lines of the trap.
                    break;
                }
                None => said.python.extend_from_slice(line),
            }
        }
        let length = said.python.trim_ascii_end().len();
        said.python.truncate(length);
        said
    }
}

#[cfg(test)]
#[path = "report_tests.rs"]
mod tests;
