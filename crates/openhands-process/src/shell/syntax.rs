//! Whether a command's text is whole, or bash would wait for more lines of it.
//!
//! A scan that knows quotes, words and simple operators settles most commands, and a parser most of the others.
//! The rest is put to `bash -n`, which parses and runs nothing.

use std::path::Path;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use crate::grammar::bash_tree;
use crate::spawn::{Cgroup, Spawn, Stdio};

/// What the scan can tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scan {
    /// Whole and well-formed.
    Simple,
    /// It takes a parser to tell.
    Unclear,
}

/// What bash says about a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Syntax {
    /// Whole and well-formed, alone as well as between braces.
    WellFormed,
    /// Bash would wait for more lines.
    Incomplete,
    /// Not well-formed, or only line by line.
    Other,
}

/// Words that open, join or close a compound command.
const RESERVED: [&str; 22] = [
    "if", "then", "elif", "else", "fi", "for", "while", "until", "do", "done", "case", "esac",
    "select", "in", "function", "time", "coproc", "{", "}", "!", "[[", "]]",
];

/// Looks for anything that could leave the text unfinished or ill-formed.
pub(crate) fn scan(text: &str) -> Scan {
    match scan_words(text.as_bytes()) {
        Some(()) => Scan::Simple,
        None => Scan::Unclear,
    }
}

/// Returns `None` as soon as something is beyond it.
fn scan_words(text: &[u8]) -> Option<()> {
    let mut at = 0;
    // Whether a command has begun since the last operator, and whether one must follow it.
    let (mut in_command, mut command_due, mut word_due) = (false, false, false);
    while let Some(byte) = text.get(at).copied() {
        match byte {
            b' ' | b'\t' => at += 1,
            b';' | b'&' | b'|' => {
                if !in_command || word_due {
                    return None;
                }
                let doubled = text.get(at + 1) == Some(&byte);
                if (doubled && byte == b';') || text.get(at + 1) == Some(&b'>') {
                    return None;
                }
                command_due = byte == b'|' || doubled;
                in_command = false;
                at += if doubled || text.get(at + 1) == Some(&b'&') {
                    2
                } else {
                    1
                };
            }
            b'<' | b'>' => {
                if word_due {
                    return None;
                }
                at += redirection(text.get(at..)?)?;
                (in_command, word_due, command_due) = (true, true, false);
            }
            b'#' => return None,
            _ => {
                let length = word(text.get(at..)?)?;
                let word = text.get(at..at + length)?;
                let keyword = RESERVED.iter().any(|reserved| reserved.as_bytes() == word);
                if keyword && !in_command {
                    return None;
                }
                (in_command, word_due, command_due) = (true, false, false);
                at += length;
            }
        }
    }
    (in_command || !text.is_empty()).then_some(())?;
    (!word_due && !command_due).then_some(())
}

/// Length of a redirection operator that wants one word.
fn redirection(text: &[u8]) -> Option<usize> {
    for operator in [&b"<<<"[..], b">>", b">&", b"<&", b"<>", b">|"] {
        if text.starts_with(operator) {
            return Some(operator.len());
        }
    }
    let next = text.get(1);
    (next != Some(&b'<') && next != Some(&b'(')).then_some(1)
}

/// Length of the word at the start of `text`.
fn word(text: &[u8]) -> Option<usize> {
    let mut at = 0;
    while let Some(byte) = text.get(at).copied() {
        match byte {
            b' ' | b'\t' | b';' | b'&' | b'|' | b'<' | b'>' => break,
            b'\n' | b'\r' | b'(' | b')' | b'`' | 0 => return None,
            b'\\' => {
                let escaped = text.get(at + 1)?;
                (*escaped != b'\n').then_some(())?;
                at += 2;
            }
            b'\'' => at += 2 + memchr::memchr(b'\'', text.get(at + 1..)?)?,
            b'"' => at += double_quoted(text.get(at..)?)?,
            b'$' => match text.get(at + 1) {
                Some(b'(' | b'{' | b'[' | b'\'' | b'"') => return None,
                _ => at += 1,
            },
            _ => at += 1,
        }
    }
    Some(at)
}

/// Length of a string between double quotes, if nothing in it is expanded but plain variables.
fn double_quoted(text: &[u8]) -> Option<usize> {
    let mut at = 1;
    loop {
        match text.get(at)? {
            b'"' => return Some(at + 1),
            b'\\' => at += 2,
            b'`' => return None,
            b'$' if matches!(text.get(at + 1), Some(b'(' | b'{' | b'[')) => return None,
            _ => at += 1,
        }
    }
}

/// Whether a parser finds the text whole. It never takes an unfinished one for whole, except that it does not
/// know how `\'` is read between `$'` and `'`.
pub(crate) fn parses(text: &str) -> bool {
    if text.contains("$'") || ends_in_continuation(text) {
        return false;
    }
    bash_tree(text).is_some_and(|tree| !tree.root_node().has_error())
}

/// Asks bash.
pub(crate) async fn ask_bash(bash: &Path, text: &str, between_braces: bool) -> Syntax {
    if ends_in_continuation(text) {
        return Syntax::Incomplete;
    }
    match parse_only(bash, text).await {
        Verdict::Incomplete => return Syntax::Incomplete,
        Verdict::Wrong => return Syntax::Other,
        Verdict::Right => {}
    }
    if !between_braces {
        return Syntax::Other;
    }
    // Both, because a text that closes one kind of bracket and opens it again passes the other.
    for (open, close) in [("{", "}"), ("(", ")")] {
        if parse_only(bash, &format!("{open}\n{text}\n{close}\n")).await != Verdict::Right {
            return Syntax::Other;
        }
    }
    Syntax::WellFormed
}

/// Whether the last line ends in a backslash that is not itself escaped.
pub(crate) fn ends_in_continuation(text: &str) -> bool {
    text.bytes().rev().take_while(|byte| *byte == b'\\').count() % 2 == 1
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Right,
    Incomplete,
    Wrong,
}

/// Texts by which bash's parser says that it ran out of text.
const RAN_OUT: [&str; 3] = [
    "unexpected EOF while looking for matching",
    "unexpected end of file",
    "delimited by end-of-file",
];

async fn parse_only(bash: &Path, text: &str) -> Verdict {
    let started = Spawn::new(bash)
        .args(["--norc", "--noprofile", "-n"])
        .env("LC_ALL", "C.UTF-8")
        .env("LANGUAGE", "C")
        .cwd("/")
        .stdin(Stdio::Pipe)
        .stderr(Stdio::Pipe)
        .cgroup(Cgroup::Off)
        .start()
        .await;
    // A text that cannot be checked is left to bash itself.
    let Ok(mut tree) = started else {
        return Verdict::Wrong;
    };
    let (stdin, stderr) = (tree.stdin.take(), tree.stderr.take());
    let write = async {
        if let Some(mut stdin) = stdin {
            let _ = stdin.write_all(text.as_bytes()).await;
            let _ = stdin.write_all(b"\n").await;
        }
    };
    let mut said = Vec::new();
    let read = async {
        if let Some(stderr) = stderr {
            let _ = stderr.take(64 << 10).read_to_end(&mut said).await;
        }
    };
    tokio::join!(write, read);
    let exit = tree.wait().await;
    let said = String::from_utf8_lossy(&said);
    if RAN_OUT.iter().any(|sign| said.contains(sign)) {
        Verdict::Incomplete
    } else if exit.success() {
        Verdict::Right
    } else {
        Verdict::Wrong
    }
}

#[cfg(test)]
#[path = "syntax_tests.rs"]
mod tests;
