use pretty_assertions::assert_eq;
use proptest::prelude::*;

use super::{Chunk, FileText};

fn change(text: &str, at: usize, deleted: usize, inserted: &[&str]) -> String {
    let chunk = Chunk {
        at,
        deleted,
        inserted: inserted.iter().map(|&line| line.to_owned()).collect(),
    };
    FileText::new(text).changed(&[chunk]).to_file()
}

#[test]
fn new_lines_take_the_break_of_their_neighbours() {
    assert_eq!(change("a\r\nb\r\n", 1, 1, &["B"]), "a\r\nB\r\n");
    assert_eq!(change("a\r\nb\r\n", 2, 0, &["c"]), "a\r\nb\r\nc\r\n");
    assert_eq!(change("a\r\nb", 1, 1, &["B", "C"]), "a\r\nB\r\nC");
    assert_eq!(change("a\rb\r", 0, 0, &["x"]), "x\ra\rb\r");
    assert_eq!(change("a\nb\r\nc\n", 1, 1, &["B"]), "a\nB\r\nc\n");
    assert_eq!(change("", 0, 1, &["x", "y"]), "x\ny");
}

#[test]
fn lines_left_alone_keep_their_own_breaks() {
    let mixed = "a\nb\r\nc\rd\ne";
    assert_eq!(change(mixed, 3, 1, &["D"]), "a\nb\r\nc\rD\ne");
    assert_eq!(change(mixed, 0, 2, &[]), "c\rd\ne");
    assert_eq!(change(mixed, 4, 1, &[]), "a\nb\r\nc\rd");
}

#[test]
fn a_byte_order_mark_stays_and_is_not_part_of_the_first_line() {
    let text = FileText::new("\u{feff}a\nb\n");
    assert_eq!(text.lines(), ["a", "b", ""]);
    assert_eq!(text.plain(), "a\nb\n");
    assert_eq!(change("\u{feff}a\nb\n", 0, 1, &["A"]), "\u{feff}A\nb\n");
}

proptest! {
    #[test]
    fn reading_and_writing_changes_nothing(text in "[ab\u{feff}\r\n]{0,30}") {
        prop_assert_eq!(FileText::new(&text).to_file(), text.clone());
        prop_assert_eq!(FileText::new(&text).changed(&[]).to_file(), text);
    }
}
