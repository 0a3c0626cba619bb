use super::*;

#[test]
fn a_final_break_ends_the_last_line() {
    for (text, lines) in [
        ("", 0),
        ("\n", 1),
        ("a", 1),
        ("a\n", 1),
        ("a\n\n", 2),
        ("a\nb", 2),
    ] {
        assert_eq!(line_count(text), lines, "{text:?}");
    }
}

#[test]
fn line_ranges_are_cut_at_the_end_of_the_text() {
    let text = "one\ntwo\nthree";
    assert_eq!(lines_between(text, 1, 1), "one\n");
    assert_eq!(lines_between(text, 2, 3), "two\nthree");
    assert_eq!(lines_between(text, 2, 99), "two\nthree");
    assert_eq!(lines_between(text, 4, 9), "");
    assert_eq!(lines_between(text, 3, 2), "");
    assert_eq!(lines_between("", 1, 4), "");
}

#[test]
fn only_line_feeds_end_lines() {
    let shown = numbered("a\u{c}b\u{2028}c\n", "f", 1, Dialect::V1);
    assert_eq!(
        shown,
        "Here's the result of running `cat -n` on f:\n     1\ta\u{c}b\u{2028}c\n"
    );
}

#[test]
fn an_empty_file_is_a_header_only() {
    let header = "Here's the result of running `cat -n` on f:\n";
    assert_eq!(numbered("", "f", 1, Dialect::V1), header);
    assert_eq!(
        numbered("", "f", 1, Dialect::V0),
        format!("{header}     1\t\n")
    );
}

#[test]
fn the_older_dialect_numbers_the_line_after_the_last_break() {
    let shown = numbered("a = 1\nb = 2\n", "e.py", 1, Dialect::V0);
    let lines = "     1\ta = 1\n     2\tb = 2\n     3\t\n";
    assert_eq!(
        shown,
        format!("Here's the result of running `cat -n` on e.py:\n{lines}")
    );
}

#[test]
fn numbers_wider_than_the_column_are_not_cut() {
    assert!(numbered_range("x", "f", 1_234_567).ends_with("\n1234567\tx\n"));
}
