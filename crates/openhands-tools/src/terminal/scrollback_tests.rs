use super::*;
use pretty_assertions::assert_eq;

/// On the terminal tool's screen.
fn shown(text: &str) -> (&str, bool) {
    visible(
        text,
        Size {
            rows: 200,
            columns: 256,
        },
    )
}

fn numbers(last: usize) -> String {
    (1..=last)
        .map(|n| n.to_string())
        .collect::<Vec<_>>()
        .join("\n")
}

#[test]
fn twenty_thousand_lines_show_what_the_reference_shows() {
    let text = numbers(20_000);
    let (visible, lost) = shown(&text);
    assert!(lost);
    assert_eq!(visible.lines().next(), Some("9989"));
    assert_eq!(visible.lines().count(), 10_012);
    assert_eq!(visible.lines().last(), Some("20000"));
}

#[test]
fn nothing_is_lost_until_the_history_is_full() {
    assert!(!shown(&numbers(10_176)).1);
    let text = numbers(10_177);
    let (visible, lost) = shown(&text);
    assert!(lost);
    assert_eq!(visible.lines().count(), 9_189);
    assert_eq!(shown(""), ("", false));
    assert_eq!(shown("x"), ("x", false));
}

#[test]
fn a_line_that_wraps_takes_several_rows() {
    let wide = format!("{}\n", "w".repeat(256 * 3)).repeat(4_000);
    let (visible, lost) = shown(&wide);
    assert!(lost);
    assert!(visible.lines().count() < 4_000);
    assert!(visible.starts_with('w'));
}

#[test]
fn one_very_long_line_is_kept_whole() {
    let line = "y".repeat(40_000);
    assert_eq!(shown(&line), (line.as_str(), false));
}
