use proptest::prelude::*;

use super::*;
use crate::file_editor::with_plain_breaks;

/// Gives one byte at a time, so that every chunk boundary is met.
struct Trickle<'a>(&'a [u8]);

impl Read for Trickle<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let take = buffer.len().min(1);
        self.0.read(&mut buffer[..take])
    }
}

fn lines(bytes: &[u8], offset: usize, limit: usize) -> Lines {
    read_lines(bytes, offset, limit).unwrap()
}

#[test]
fn offset_and_limit_choose_lines() {
    let read = lines(b"one\ntwo\nthree\nfour\n", 1, 2);
    let expected = Lines {
        numbered: "     2  two\n     3  three\n".to_owned(),
        total: 4,
        last: 3,
    };
    assert_eq!(read, expected);
}

#[test]
fn a_last_line_without_a_break_has_none() {
    assert_eq!(lines(b"x\ny", 0, 10).numbered, "     1  x\n     2  y");
    assert_eq!(lines(b"", 0, 10), Lines::default());
    assert_eq!(lines(b"\n", 0, 10).total, 1);
}

#[test]
fn marks_are_no_text_and_wide_text_is_read() {
    assert_eq!(lines(b"\xEF\xBB\xBFhi\n", 0, 1).numbered, "     1  hi\n");
    assert_eq!(
        lines(b"\xFF\xFEh\0i\0\r\0\n\0", 0, 1).numbered,
        "     1  hi\n"
    );
}

#[test]
fn lines_of_absurd_length_are_refused_only_when_asked_for() {
    let mut bytes = vec![b'x'; MAX_SHOWN_BYTES + 1];
    bytes.extend(b"\nshort\n");
    assert!(read_lines(&bytes[..], 0, 1).is_err());
    assert_eq!(lines(&bytes, 1, 1).numbered, "     2  short\n");
}

#[test]
fn a_break_over_the_edge_of_a_chunk_is_one_break() {
    for shift in 0..3 {
        let bytes = [vec![b'x'; CHUNK_BYTES - shift], b"\r\ny\r".to_vec()].concat();
        assert_eq!(lines(&bytes, 0, 9).total, 2, "{shift}");
    }
}

proptest! {
    #[test]
    fn the_lines_are_those_of_the_plain_text(
        bytes in prop::collection::vec(prop_oneof![Just(b'\r'), Just(b'\n'), b'a'..b'c', any::<u8>()], 0..30),
        offset in 0usize..5, limit in 0usize..5,
    ) {
        prop_assume!(!bytes.starts_with(&[0xFF, 0xFE]) && !bytes.starts_with(&[0xFE, 0xFF]) && !bytes.starts_with(b"\xEF\xBB\xBF"));
        let text = with_plain_breaks(&String::from_utf8_lossy(&bytes));
        let all: Vec<&str> = text.split_inclusive('\n').collect();
        let expected = all.iter().enumerate().skip(offset).take(limit)
            .map(|(at, line)| format!("{:6}  {line}", at + 1)).collect::<Vec<_>>().concat();
        let read = read_lines(Trickle(&bytes), offset, limit).unwrap();
        prop_assert_eq!(&read, &lines(&bytes, offset, limit));
        prop_assert_eq!(read.total, all.len());
        prop_assert_eq!(read.numbered, expected);
    }
}
