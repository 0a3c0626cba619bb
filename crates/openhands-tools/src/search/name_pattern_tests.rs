use proptest::prelude::*;

use super::NamePattern;

#[track_caller]
fn check(pattern: &str, yes: &[&str], no: &[&str]) {
    let compiled = NamePattern::new(pattern);
    for name in yes {
        assert!(compiled.matches(name), "{pattern:?} should match {name:?}");
    }
    for name in no {
        assert!(
            !compiled.matches(name),
            "{pattern:?} should not match {name:?}"
        );
    }
}

#[test]
fn stars_and_question_marks() {
    check(
        "*.py",
        &["a.py", ".py", ".dot.py", "a.b.py"],
        &["a.pyc", "py", "A.PY"],
    );
    check("a?c", &["abc", "a.c", "aüc"], &["ac", "abbc"]);
    check("*a*b*", &["ab", "xaxbx", "aab"], &["ba", "a"]);
    check("", &[""], &["a"]);
    check("**", &["", "abc"], &[]);
}

#[test]
fn sets_ranges_and_negation() {
    check("[ab].py", &["a.py", "b.py"], &["c.py", "ab.py"]);
    check("[a-c-e]", &["a", "b", "c", "-", "e"], &["d"]);
    check("[--a]", &["-", "0", "A", "a"], &["b"]);
    check("[!a-c]x", &["dx", "-x"], &["ax", "x"]);
    check("[]x]", &["]", "x"], &["[", ""]);
    check("[!]]", &["a"], &["]"]);
    check("[^a]", &["^", "a"], &["b"]);
    check("[z-a]", &[], &["a", "m", "z"]);
    check("[!z-a]", &["a", "m"], &[""]);
}

#[test]
fn an_unclosed_set_braces_and_backslashes_are_ordinary_characters() {
    check("[ab", &["[ab"], &["a"]);
    check("a[", &["a["], &["a"]);
    check("[!", &["[!"], &["x"]);
    check("*.{py,md}", &["x.{py,md}"], &["x.py"]);
    check(r"\*", &[r"\", r"\x"], &["*"]);
}

#[test]
fn overrides_escape_what_the_walker_would_read_differently() {
    let line = |p: &str| NamePattern::new(p).to_override();
    assert_eq!(line("*.py").as_deref(), Some(r"*\.py"));
    assert_eq!(line("!x {a,b}").as_deref(), Some(r"\!x\ \{a\,b\}"));
    assert_eq!(line("[ab]?").as_deref(), Some("??"));
    assert_eq!(line("src/*.py"), None);
    assert_eq!(line("tab\t"), None);
}

proptest! {
    #[test]
    fn never_panics_and_a_plain_name_matches_itself(pattern in ".{0,20}", name in "[^*?\\[]{0,20}") {
        let _ = NamePattern::new(&pattern).matches(&name);
        let _ = NamePattern::new(&pattern).to_override();
        prop_assert!(NamePattern::new(&name).matches(&name));
    }
}

#[test]
fn many_stars_stay_fast() {
    let pattern = NamePattern::new(&format!("{}b", "*a".repeat(30)));
    assert!(!pattern.matches(&"a".repeat(5_000)));
}
