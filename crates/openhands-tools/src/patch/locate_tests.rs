use pretty_assertions::assert_eq;

use super::{Place, find_context, find_header, trim};

fn lines(text: &str) -> Vec<String> {
    text.split('\n').map(str::to_owned).collect()
}

fn context(text: &str, context: &str, start: usize, at_end: bool) -> Option<(usize, u64)> {
    let place = find_context(&lines(text), &lines(context), start, at_end)?;
    Some((place.line, place.fuzz))
}

#[test]
fn an_exact_match_anywhere_wins_over_a_bent_one_earlier() {
    assert_eq!(context("  a\na \na", "a", 0, false), Some((2, 0)));
    assert_eq!(context("  a\na ", "a", 0, false), Some((1, 1)));
    assert_eq!(context("x\n  a", "a", 0, false), Some((1, 100)));
    assert_eq!(context("a\nb\na\nb", "a\nb", 1, false), Some((2, 0)));
    assert_eq!(context("a\nb", "b\nc", 0, false), None);
    assert_eq!(context("a", "a\nb\nc", 0, false), None);
}

#[test]
fn no_context_means_here() {
    let text = lines("a\nb\n");
    assert_eq!(
        find_context(&text, &[], 1, false),
        Some(Place { line: 1, fuzz: 0 })
    );
    assert_eq!(
        find_context(&text, &[], 1, true),
        Some(Place { line: 3, fuzz: 0 })
    );
}

#[test]
fn the_end_is_tried_first_and_elsewhere_costs() {
    assert_eq!(context("a\nb\na", "a", 0, true), Some((2, 0)));
    assert_eq!(context("a\nb\na\n", "a", 0, true), Some((0, 10_000)));
    assert_eq!(context("a\nb \n", "b", 0, true), Some((1, 10_001)));
    assert_eq!(context("a", "x\na", 0, true), None);
}

#[test]
fn a_header_leads_behind_its_line() {
    let text = lines("class A:\n  def f():\nclass B:\n  def f():");
    let header =
        |header, start, nested| find_header(&text, header, start, nested).map(|p| (p.line, p.fuzz));
    assert_eq!(header("class B:", 0, false), Some((3, 0)));
    assert_eq!(header("def f():", 0, false), Some((2, 1)));
    assert_eq!(header("  def f():", 3, false), None);
    assert_eq!(header("  def f():", 3, true), Some((4, 0)));
    assert_eq!(header("class Z:", 0, false), None);
}

#[test]
fn blank_is_what_python_strips() {
    assert_eq!(trim("\u{1c}\u{85} a \u{a0}\u{3000}\u{1f}"), "a");
    assert_eq!(trim("\u{feff}a"), "\u{feff}a");
}
