//! One line for each log record: what clients send cannot make lines of its own.

use std::io::{self, Write};

use tracing_subscriber::fmt::MakeWriter;

/// Writes each record as one line. Control characters inside of it are escaped: a line break in a path, a name or a
/// message stays visible and begins no new line.
#[derive(Debug, Clone)]
pub(crate) struct OneLine<M>(pub(crate) M);

/// The writer of one record.
#[derive(Debug)]
pub(crate) struct LineWriter<W>(W);

impl<'a, M: MakeWriter<'a>> MakeWriter<'a> for OneLine<M> {
    type Writer = LineWriter<M::Writer>;

    fn make_writer(&'a self) -> Self::Writer {
        LineWriter(self.0.make_writer())
    }

    fn make_writer_for(&'a self, meta: &tracing::Metadata<'_>) -> Self::Writer {
        LineWriter(self.0.make_writer_for(meta))
    }
}

impl<W: Write> Write for LineWriter<W> {
    /// Takes a whole record: that is how the formatter hands them over.
    fn write(&mut self, record: &[u8]) -> io::Result<usize> {
        self.0.write_all(&escaped(record))?;
        Ok(record.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// The record with its control characters escaped, and the line break at its end.
fn escaped(record: &[u8]) -> Vec<u8> {
    let (line, end) = match record.split_last() {
        Some((b'\n', line)) => (line, &b"\n"[..]),
        _ => (record, &b""[..]),
    };
    let mut written = Vec::with_capacity(record.len());
    // Text that is not UTF-8 is replaced: a log is text.
    for character in String::from_utf8_lossy(line).chars() {
        if character.is_control() || matches!(character, '\u{2028}' | '\u{2029}') {
            written.extend(character.escape_default().to_string().into_bytes());
        } else {
            let mut buffer = [0; 4];
            written.extend_from_slice(character.encode_utf8(&mut buffer).as_bytes());
        }
    }
    written.extend_from_slice(end);
    written
}

#[cfg(test)]
#[path = "lines_tests.rs"]
mod tests;
