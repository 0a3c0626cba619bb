//! The lines that drive bash: how a command is handed to it, and how it reports back.
//!
//! Bash reads its lines from descriptor 0, which is our private socket; the terminal is on 1 and 2. A
//! command is one line that gives it the terminal as descriptor 0 as well, followed by a second line that
//! reports. They are two, because bash tells of finished jobs and runs `PROMPT_COMMAND` between lines, and
//! because an interrupt drops the rest of the line it hits, but not the next one.
//!
//! Nothing here may depend on what the user can change: words are never split or matched against files,
//! aliases are kept off by a backslash and functions by `builtin`, every line silences its own trace, and
//! no line fails in a way that `set -e` would see.

use std::ffi::OsStr;
use std::fmt::Write as _;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use super::marks::{Mark, Token};

/// Above this, or with many quotes, quoting a command costs bash more than reading it from a file.
const MAX_QUOTED_BYTES: usize = 32 << 10;
const MAX_QUOTE_COUNT: usize = 256;

/// A descriptor for a big command's text: high, so that it is nobody else's.
const TEXT_FD: u32 = 219;

/// How many numbers from 10 on are kept free of our socket for a command that may use them.
const DECOYS: usize = 40;

/// How a command is handed to bash.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// As the argument of `eval`: any text will do, and it is read line by line, as typed.
    Eval,
    /// Between braces. The text must be whole and well-formed. Unlike `eval` it adds no level to a trace,
    /// and no command of its own that `set -e`, or a trap on ERR or DEBUG, would see.
    Group,
}

/// What bash must know again before the next command sees it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Restore {
    /// `$?` of the command before.
    pub(crate) status: u8,
    /// `PIPESTATUS` of the command before, if this one may look at it.
    pub(crate) pipe_status: Vec<u8>,
    /// The user's `PROMPT_COMMAND`, as `declare -p` printed it; it is unset between commands.
    pub(crate) prompt_command: Vec<u8>,
    /// Whether the command starts with `set -x` or `set -v` on; they are off between commands.
    pub(crate) xtrace: bool,
    pub(crate) verbose: bool,
    /// Whether a mark between the command's output and what the shell says is wanted.
    pub(crate) mark_done: bool,
}

/// Writes driver lines for one shell.
#[derive(Debug, Clone)]
pub(crate) struct Script {
    tty: Vec<u8>,
    token: Token,
}

impl Script {
    pub(crate) fn new(tty: &Path, token: Token) -> Self {
        Self {
            tty: tty.as_os_str().as_bytes().to_vec(),
            token,
        }
    }

    /// The lines that turn a bare bash into a ready one, which then reports as command 0.
    pub(crate) fn start(&self, startup_files: bool) -> Vec<u8> {
        let mut out = String::new();
        let tty = String::from_utf8_lossy(&self.tty);
        // Startup files look at PS1 to see whether the shell is interactive. What is set of the history is as in a bash that begins with one.
        // The C library makes room for what is printed when the first of it is, and for a terminal it is a fourth of that for the socket.
        out.push_str(
            "PS1='\\s-\\v\\$ ' PS2='> ' HISTFILE=${HISTFILE-~/.bash_history} HISTSIZE=${HISTSIZE-500} \
             HISTFILESIZE=${HISTFILESIZE-$HISTSIZE}; \\builtin set +o history; \\builtin printf '\\r'\n",
        );
        if startup_files {
            for file in ["/etc/bash.bashrc", "/etc/bash/bashrc", "~/.bashrc"] {
                let _ = writeln!(
                    out,
                    "if [[ -r {file} ]]; then \\builtin . {file} 0<>{tty}; fi"
                );
            }
        }
        out.push_str(
            "{ \\builtin set +H; \\builtin unset -v MAILCHECK TMOUT; } 2>/dev/null; \
             \\builtin set +o history; \\builtin history -c\n",
        );
        out.push_str(&self.define_reports());
        for line in self.full_report(&format!("{}:0 0 0", self.token.as_str())) {
            out.push_str(&line);
            out.push('\n');
        }
        out.into_bytes()
    }

    /// The line that runs a command.
    pub(crate) fn command(
        &self,
        number: u64,
        text: &str,
        form: Form,
        environment: &[(String, String)],
        restore: &Restore,
    ) -> Vec<u8> {
        let mut out = Vec::with_capacity(text.len() + 256);
        restore_prompt_command(&restore.prompt_command, &mut out);
        for (name, value) in environment {
            out.extend_from_slice(b"{ \\builtin export ");
            out.extend_from_slice(name.as_bytes());
            out.push(b'=');
            quote(value, &mut out);
            out.extend_from_slice(b" || \\builtin :; } 2>/dev/null; ");
        }
        if restore.mark_done {
            let mark = self.print(Mark(number));
            out.extend_from_slice(b"__oh_done() { { ");
            out.extend_from_slice(&mark);
            out.extend_from_slice(
                b"; \\builtin unset -f __oh_done; } 2>/dev/null; \\builtin return $1; }; ",
            );
        }
        let deep = text.contains("exec");
        if deep {
            out.extend_from_slice(b"{ ");
        }
        restore_status(restore, &mut out);
        let done: &[u8] = if restore.mark_done {
            b"; __oh_done $?"
        } else {
            b""
        };
        match form {
            Form::Eval if quotable(text) => {
                out.extend_from_slice(b"\\builtin eval ");
                quote(text, &mut out);
                out.extend_from_slice(b" 0<>");
                out.extend_from_slice(&self.tty);
                out.extend_from_slice(done);
            }
            Form::Eval => self.eval_document(text, done, &mut out),
            Form::Group => {
                out.extend_from_slice(b"{ ");
                out.extend_from_slice(text.as_bytes());
                out.extend_from_slice(b"\n} 0<>");
                out.extend_from_slice(&self.tty);
                out.extend_from_slice(done);
            }
        }
        if deep {
            // Bash keeps our socket under the first free number from 10 on while a command runs, where an `exec`
            // of the command could close it. These take the first numbers for copies that nobody misses.
            let decoys = format!(" {TEXT_FD}</dev/null").repeat(DECOYS);
            out.extend_from_slice(format!("; }}{decoys}").as_bytes());
        }
        out.push(b'\n');
        out
    }

    /// A text that is better not quoted, as a document that `eval` reads.
    fn eval_document(&self, text: &str, done: &[u8], out: &mut Vec<u8>) {
        let tty = String::from_utf8_lossy(&self.tty);
        let end = self.token.as_str();
        let start = format!(
            "{{ \\builtin eval \"$(</dev/fd/{TEXT_FD})\" 0<>{tty} {TEXT_FD}<&-; }} {TEXT_FD}<<'{end}'"
        );
        out.extend_from_slice(start.as_bytes());
        out.extend_from_slice(done);
        out.push(b'\n');
        out.extend_from_slice(text.as_bytes());
        out.push(b'\n');
        out.extend_from_slice(end.as_bytes());
    }

    fn print(&self, mark: Mark) -> Vec<u8> {
        let mut out = format!("\\builtin printf '{}' >", mark.printf(&self.token)).into_bytes();
        out.extend_from_slice(&self.tty);
        out
    }

    /// The line that reports; see [`super::report`] for what it sends. A full one looks at jobs, traps and prompts as
    /// well, and takes away what would show or run while the shell is idle.
    ///
    /// It starts with a plain word: after an unclosed quote in an `eval`, bash 5.2 takes no other as the first word
    /// of the next line.
    pub(crate) fn report(&self, number: u64, full: bool) -> Vec<u8> {
        let token = self.token.as_str();
        let told = format!("{token}:{number} \"$?\" \"${{PIPESTATUS[@]}}\"");
        let line = if full {
            let lines = self.full_report("\"${@:2}\"").join("\n");
            let lines = escape(&lines);
            format!("{REPORT}_all $'{lines}' {told} >/dev/null 2>&1\n")
        } else {
            format!("{REPORT} {told}\n")
        };
        line.into_bytes()
    }

    /// The functions that report: bash is slow to parse, so it does so once. They cannot be unset or replaced.
    ///
    /// Descriptor 0 is the control socket here, as it is for every line of ours. What a full report does is not in them, but comes
    /// with each call: it is rare, and bash would keep 30 kB for what it has parsed of it.
    fn define_reports(&self) -> String {
        let token = self.token.as_str();
        format!(
            "{REPORT}() {{ \\builtin command -v python || \\builtin :; \
             \\builtin printf '\\0%s' \"$@\" '' \"${{!-}}\" \"$-\" \"${{PWD-}}\" \
             \"${{PS0-}}${{PS1-}}${{PS2-}}${{PROMPT_COMMAND[*]+x}}\" $'{token}\\n'; }} >&0\n\
             {REPORT}_all() {{ \\builtin eval \"$1\"; }}; {FIXED}() {{ [[ $1 = *r* ]]; }}; \
             \\builtin readonly -f {REPORT} {REPORT}_all {FIXED}\n"
        )
    }

    /// A full report, as lines: bash forgets what it has parsed after each of them, and needs no more memory than for the longest. `told`
    /// is what is told of the command.
    ///
    /// No word in them is one that an alias could replace. After the second, nothing shows or runs between lines.
    fn full_report(&self, told: &str) -> [String; 6] {
        let hush = |prompt| {
            format!(
                "\\builtin test -z \"${{{prompt}-}}\" || {FIXED} \"${{{prompt}@a}}\" || {prompt}="
            )
        };
        let token = self.token.as_str();
        [
            "\\builtin printf '\\0' >&0; \\builtin command -v python >&0 || \\builtin :; \
             \\builtin jobs -p >&0; \\builtin trap -p DEBUG ERR >&0"
                .to_owned(),
            format!(
                "\\builtin printf '\\0%s' {told} '' \"${{!-}}\" \"$-\" \"${{PWD-}}\" '' \
                 \"${{PS1:+${{PS1@P}}}}${{PS0:+${{PS0@P}}}}\" '' >&0; \
                 \\builtin test -z \"${{PROMPT_COMMAND[*]+x}}\" || {FIXED} \"${{PROMPT_COMMAND@a}}\" || \
                 {{ \\builtin declare -p PROMPT_COMMAND >&0; \\builtin unset -v PROMPT_COMMAND; }}"
            ),
            hush("PS0"),
            hush("PS1"),
            hush("PS2"),
            format!(
                "\\builtin set +xv; \
                 \\builtin shopt -qo history && \\builtin set +o history && \\builtin history -c; \
                 \\builtin printf '\\0%s\\n' {token} >&0"
            ),
        ]
    }
}

/// Names of our functions start so.
pub(crate) const REPORT: &str = "__oh_report";

/// Whether these attributes of a variable, as `@a` gives them, are those of one that cannot be changed.
const FIXED: &str = "__oh_report_fixed";

/// Sets `PROMPT_COMMAND` again, from what `declare -p` printed, on the command's own line: one of its own would
/// run it once more. As an assignment, because only a plain `declare` could have an array for its argument.
fn restore_prompt_command(declared: &[u8], out: &mut Vec<u8>) {
    const NAME: &[u8] = b"PROMPT_COMMAND=";
    let Some(at) = memchr::memmem::find(declared, NAME) else {
        return;
    };
    let (attributes, assignment) = declared.split_at(at);
    out.extend_from_slice(assignment);
    if attributes.contains(&b'x') {
        out.extend_from_slice(b"; \\builtin export PROMPT_COMMAND");
    }
    out.extend_from_slice(b"; ");
}

/// Brings `$?`, and `PIPESTATUS` if asked for, back to what they were.
fn restore_status(restore: &Restore, out: &mut Vec<u8>) {
    if restore.pipe_status.len() > 1 {
        let parts: Vec<String> = restore
            .pipe_status
            .iter()
            .map(|s| format!("(exit {s})"))
            .collect();
        out.extend_from_slice(parts.join(" | ").as_bytes());
        out.extend_from_slice(b"; ");
        return;
    }
    let options = options(restore);
    if restore.status == 0 && options.is_empty() {
        return;
    }
    // A function is the only way to an arbitrary status without a fork; it removes itself. It also turns traces on,
    // because a command that did so after it would have a status of its own.
    let then = if restore.status == 0 { "&&" } else { "||" };
    let line = format!(
        "__oh_status() {{ {{ \\builtin unset -f __oh_status; {options}\\builtin return {}; }} 2>/dev/null; }}; __oh_status {then} ",
        restore.status
    );
    out.extend_from_slice(line.as_bytes());
}

/// Turns the traces on again that were on before.
fn options(restore: &Restore) -> &'static str {
    match (restore.xtrace, restore.verbose) {
        (false, false) => "",
        (true, false) => "\\builtin set -x; ",
        (false, true) => "\\builtin set -v; ",
        (true, true) => "\\builtin set -xv; ",
    }
}

fn quotable(text: &str) -> bool {
    text.len() <= MAX_QUOTED_BYTES
        && text.bytes().filter(|byte| *byte == b'\'').count() <= MAX_QUOTE_COUNT
}

/// Appends `text` as one word that means exactly itself.
pub(crate) fn quote(text: &str, out: &mut Vec<u8>) {
    out.push(b'\'');
    for (index, part) in text.split('\'').enumerate() {
        if index > 0 {
            out.extend_from_slice(b"'\\''");
        }
        out.extend_from_slice(part.as_bytes());
    }
    out.push(b'\'');
}

/// The text between `$'` and `'` that means exactly `text`, on one line: an interrupt drops the line that it hits, and must not leave a
/// part of it.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len() * 2);
    for character in text.chars() {
        match character {
            '\n' => out.push_str("\\n"),
            '\'' | '\\' => out.extend(['\\', character]),
            other => out.push(other),
        }
    }
    out
}

/// Whether this is a name that bash can export.
pub fn is_variable_name(name: &OsStr) -> bool {
    let bytes = name.as_bytes();
    bytes
        .first()
        .is_some_and(|first| first.is_ascii_alphabetic() || *first == b'_')
        && bytes
            .iter()
            .all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
}
