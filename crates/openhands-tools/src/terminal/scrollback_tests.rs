use super::*;
use pretty_assertions::assert_eq;

fn numbers(last: usize) -> String {
    (1..=last)
        .map(|n| n.to_string())
        .collect::<Vec<_>>()
        .join("\n")
}

#[test]
fn twenty_thousand_lines_show_what_the_reference_shows() {
    let text = numbers(20_000);
    let (shown, lost) = visible(&text);
    assert!(lost);
    assert_eq!(shown.lines().next(), Some("9989"));
    assert_eq!(shown.lines().count(), 10_012);
    assert_eq!(shown.lines().last(), Some("20000"));
}

#[test]
fn nothing_is_lost_until_the_history_is_full() {
    assert!(!visible(&numbers(10_176)).1);
    let text = numbers(10_177);
    let (shown, lost) = visible(&text);
    assert!(lost);
    assert_eq!(shown.lines().count(), 9_189);
    assert_eq!(visible(""), ("", false));
    assert_eq!(visible("x"), ("x", false));
}

#[test]
fn a_line_that_wraps_takes_several_rows() {
    let wide = format!("{}\n", "w".repeat(256 * 3)).repeat(4_000);
    let (shown, lost) = visible(&wide);
    assert!(lost);
    assert!(shown.lines().count() < 4_000);
    assert!(shown.starts_with('w'));
}

#[test]
fn one_very_long_line_is_kept_whole() {
    let line = "y".repeat(40_000);
    assert_eq!(visible(&line), (line.as_str(), false));
}
