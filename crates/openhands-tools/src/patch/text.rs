//! The text of a file as a patch sees it: lines, with their breaks kept aside.
//!
//! Patches are written with plain line feeds. Matching therefore looks at lines without their breaks, while a line
//! that a patch leaves alone keeps the break it had, and a new line gets that of its neighbour.

/// How a line ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Break {
    Lf,
    CrLf,
    Cr,
}

impl Break {
    fn as_str(self) -> &'static str {
        match self {
            Self::Lf => "\n",
            Self::CrLf => "\r\n",
            Self::Cr => "\r",
        }
    }
}

const BYTE_ORDER_MARK: char = '\u{feff}';

/// One change inside a file: lines taken out at a place, and lines put there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Chunk {
    /// Index of the first line taken out, or of the line before which is inserted.
    pub(crate) at: usize,
    pub(crate) deleted: usize,
    pub(crate) inserted: Vec<String>,
}

/// Lines and breaks of a file. There is always one line more than breaks: the text behind the last break.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FileText {
    lines: Vec<String>,
    breaks: Vec<Break>,
    has_mark: bool,
}

impl FileText {
    pub(crate) fn new(text: &str) -> Self {
        let (has_mark, text) = match text.strip_prefix(BYTE_ORDER_MARK) {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let (mut lines, mut breaks) = (Vec::new(), Vec::new());
        let mut line = String::new();
        let mut chars = text.chars().peekable();
        while let Some(c) = chars.next() {
            let ending = match c {
                '\n' => Break::Lf,
                '\r' if chars.next_if_eq(&'\n').is_some() => Break::CrLf,
                '\r' => Break::Cr,
                other => {
                    line.push(other);
                    continue;
                }
            };
            lines.push(std::mem::take(&mut line));
            breaks.push(ending);
        }
        lines.push(line);
        Self {
            lines,
            breaks,
            has_mark,
        }
    }

    pub(crate) fn lines(&self) -> &[String] {
        &self.lines
    }

    /// The text with plain line feeds: what patches, and the reports about them, speak of.
    pub(crate) fn plain(&self) -> String {
        self.lines.join("\n")
    }

    /// The text as it stands in the file.
    pub(crate) fn to_file(&self) -> String {
        let mut out = String::new();
        if self.has_mark {
            out.push(BYTE_ORDER_MARK);
        }
        let mut breaks = self.breaks.iter();
        for (index, line) in self.lines.iter().enumerate() {
            out.push_str(line);
            if index + 1 < self.lines.len() {
                out.push_str(breaks.next().copied().unwrap_or(Break::Lf).as_str());
            }
        }
        out
    }

    /// The text after all chunks, which are in the order of their places and do not overlap.
    pub(crate) fn changed(&self, chunks: &[Chunk]) -> Self {
        let mut out: Vec<(String, Break)> = Vec::with_capacity(self.lines.len());
        let mut at = 0;
        for chunk in chunks {
            self.copy(at, chunk.at, &mut out);
            let ending = self.break_near(chunk.at);
            out.extend(chunk.inserted.iter().map(|line| (line.clone(), ending)));
            at = chunk.at + chunk.deleted;
        }
        self.copy(at, self.lines.len(), &mut out);
        let (lines, mut breaks): (Vec<String>, Vec<Break>) = out.into_iter().unzip();
        breaks.pop();
        Self {
            lines,
            breaks,
            has_mark: self.has_mark,
        }
    }

    fn copy(&self, from: usize, to: usize, out: &mut Vec<(String, Break)>) {
        for (index, line) in self.lines.iter().enumerate().take(to).skip(from) {
            out.push((line.clone(), self.break_near(index)));
        }
    }

    /// The break of a line, or of the one before it if it has none of its own.
    fn break_near(&self, index: usize) -> Break {
        let own = self.breaks.get(index);
        own.or_else(|| self.breaks.last())
            .copied()
            .unwrap_or(Break::Lf)
    }
}

#[cfg(test)]
#[path = "text_tests.rs"]
mod tests;
