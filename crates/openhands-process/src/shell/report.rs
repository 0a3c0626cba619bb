//! What bash says on the control socket after each command.
//!
//! A report is a run of NUL-ended fields: the token and the command's number, `$?`, `$!`, `$-`, the prompt
//! as it was printed, the members of `PIPESTATUS` up to an empty field, the directory, the interpreter, the
//! process ids of jobs, the traps on DEBUG and ERR, the unset `PROMPT_COMMAND`, and the token again.

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
        let end = format!("\0{}\0", self.token.as_str()).into_bytes();
        loop {
            let at = memchr::memmem::find(&self.buffer, &end)?;
            let rest = self.buffer.split_off(at + end.len());
            let mut body = std::mem::replace(&mut self.buffer, rest);
            if self.buffer.is_empty() {
                self.buffer = Vec::new();
            }
            body.truncate(at);
            let start = format!("{}:", self.token.as_str()).into_bytes();
            // The last start wins: what is before it was interrupted.
            let from = memchr::memmem::rfind(&body, &start).unwrap_or(body.len());
            if let Some(report) = parse(body.get(from + start.len()..).unwrap_or_default()) {
                return Some(report);
            }
        }
    }
}

fn parse(body: &[u8]) -> Option<Report> {
    let mut fields = body.split(|byte| *byte == 0);
    let number = |field: &[u8]| std::str::from_utf8(field).ok()?.trim().parse::<i32>().ok();
    let command = std::str::from_utf8(fields.next()?).ok()?.parse().ok()?;
    let status = u8::try_from(number(fields.next()?)?).ok()?;
    let last_background = number(fields.next()?);
    let flags = String::from_utf8_lossy(fields.next()?).into_owned();
    let prompt = fields.next()?.to_vec();
    let mut pipe_status = Vec::new();
    loop {
        let field = fields.next()?;
        if field.is_empty() {
            break;
        }
        pipe_status.push(u8::try_from(number(field)?).ok()?);
    }
    let line = |field: &[u8]| field.strip_suffix(b"\n").unwrap_or(field).to_vec();
    let directory = PathBuf::from(std::ffi::OsString::from_vec(line(fields.next()?)));
    let python = String::from_utf8_lossy(&line(fields.next()?)).into_owned();
    let jobs = fields
        .next()?
        .split(|byte| *byte == b'\n')
        .filter_map(number)
        .collect();
    let traps = !fields.next()?.is_empty();
    let prompt_command = line(fields.next()?);
    Some(Report {
        command,
        status,
        last_background,
        flags,
        prompt,
        pipe_status,
        directory,
        python,
        jobs,
        traps,
        prompt_command,
    })
}

#[cfg(test)]
#[path = "report_tests.rs"]
mod tests;
