//! The screen: colours and a progress line on a terminal, plain text anywhere else.

use std::io::{IsTerminal as _, Stdout, Write as _};
use std::time::Instant;

/// How a text looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    Plain,
    Bold,
    Dim,
    Call,
    Good,
    Bad,
}

impl Style {
    const fn code(self) -> &'static str {
        match self {
            Self::Plain => "",
            Self::Bold => "\x1b[1m",
            Self::Dim => "\x1b[2m",
            Self::Call => "\x1b[36m",
            Self::Good => "\x1b[32m",
            Self::Bad => "\x1b[31m",
        }
    }
}

const RESET: &str = "\x1b[0m";
const ERASE_LINE: &str = "\r\x1b[2K";
const FRAMES: [char; 10] = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
/// When the terminal does not say how wide it is.
const USUAL_WIDTH: usize = 80;

/// Standard output. What cannot be written is lost: whoever read it is gone.
#[derive(Debug)]
pub(crate) struct Screen {
    out: Stdout,
    is_live: bool,
    has_colour: bool,
    began: Instant,
    status: String,
    is_drawn: bool,
    is_at_line_start: bool,
    frame: usize,
}

impl Screen {
    pub(crate) fn new(env: &[(String, String)]) -> Self {
        let is = |name: &str, test: fn(&str) -> bool| {
            env.iter()
                .any(|(known, value)| known == name && test(value))
        };
        let out = std::io::stdout();
        let is_live = out.is_terminal() && !is("TERM", |term| term == "dumb");
        Self {
            has_colour: is_live && !is("NO_COLOR", |value| !value.is_empty()),
            is_live,
            out,
            began: Instant::now(),
            status: String::new(),
            is_drawn: false,
            is_at_line_start: true,
            frame: 0,
        }
    }

    /// Whether somebody watches who can see a line move.
    pub(crate) fn is_live(&self) -> bool {
        self.is_live
    }

    /// Seconds since the beginning.
    pub(crate) fn seconds(&self) -> f64 {
        self.began.elapsed().as_secs_f64()
    }

    /// Writes a text where the last one ended.
    pub(crate) fn print(&mut self, style: Style, text: &str) {
        if text.is_empty() {
            return;
        }
        self.erase();
        if self.has_colour && style != Style::Plain {
            self.write(&format!("{}{text}{RESET}", style.code()));
        } else {
            self.write(text);
        }
        self.is_at_line_start = text.ends_with('\n');
        let _ = self.out.flush();
    }

    /// Writes a text in lines of its own.
    pub(crate) fn line(&mut self, style: Style, text: &str) {
        self.end_line();
        self.print(style, text);
        self.end_line();
    }

    /// Goes to the start of a line.
    pub(crate) fn end_line(&mut self) {
        if !self.is_at_line_start {
            self.write("\n");
            self.is_at_line_start = true;
        }
    }

    /// What the progress line says from now on; nothing takes it away.
    pub(crate) fn status(&mut self, text: &str) {
        self.status = printable(text);
        self.tick();
    }

    /// Draws the progress line, below all that was written.
    pub(crate) fn tick(&mut self) {
        if !self.is_live || !self.is_at_line_start {
            return;
        }
        self.erase();
        if !self.status.is_empty() {
            self.frame = (self.frame + 1) % FRAMES.len();
            let frame = FRAMES.get(self.frame).copied().unwrap_or_default();
            let line = format!("{frame} {:.0} s  {}", self.seconds(), self.status);
            let line: String = line.chars().take(width().saturating_sub(1)).collect();
            let (on, off) = if self.has_colour {
                (Style::Dim.code(), RESET)
            } else {
                ("", "")
            };
            self.write(&format!("{on}{line}{off}"));
            self.is_drawn = true;
        }
        let _ = self.out.flush();
    }

    fn erase(&mut self) {
        if self.is_drawn {
            self.write(ERASE_LINE);
            self.is_drawn = false;
        }
    }

    fn write(&mut self, text: &str) {
        let _ = self.out.write_all(text.as_bytes());
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        self.erase();
        let _ = self.out.flush();
    }
}

/// A line of its own on the error output that tells how far something is; plain lines where that is no terminal.
#[derive(Debug)]
pub(crate) struct Progressing {
    is_live: bool,
}

impl Progressing {
    const WIDTH: u64 = 30;

    pub(crate) fn new(is_live: bool) -> Self {
        Self { is_live }
    }

    /// A bar, of bytes.
    pub(crate) fn bar(&mut self, text: &str, done: u64, total: u64) {
        if !self.is_live {
            return;
        }
        let filled = (done * Self::WIDTH / total.max(1)).min(Self::WIDTH);
        let bar: String = (0..Self::WIDTH)
            .map(|at| if at < filled { '█' } else { '░' })
            .collect();
        let (done, total) = (done >> 20, total >> 20);
        self.write(&format!("{ERASE_LINE}{bar} {done}/{total} MB {text}"));
    }

    /// What is done now.
    pub(crate) fn step(&mut self, text: &str) {
        if self.is_live {
            self.write(&format!("{ERASE_LINE}{text}"));
        } else {
            self.write(&format!("{text}\n"));
        }
    }

    /// That it is done.
    pub(crate) fn end(&mut self, text: &str) {
        if self.is_live {
            self.write(ERASE_LINE);
        }
        self.write(&format!("{text}\n"));
    }

    fn write(&mut self, text: &str) {
        let mut out = std::io::stderr();
        let _ = out.write_all(text.as_bytes());
        let _ = out.flush();
    }
}

/// A text without what would move the cursor or change colours.
pub(crate) fn printable(text: &str) -> String {
    let text = text.replace('\t', "    ");
    text.chars().filter(|c| !c.is_control()).collect()
}

fn width() -> usize {
    rustix::termios::tcgetwinsize(rustix::stdio::stdout())
        .map(|size| usize::from(size.ws_col))
        .ok()
        .filter(|columns| *columns > 0)
        .unwrap_or(USUAL_WIDTH)
}
