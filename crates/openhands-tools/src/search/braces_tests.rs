use pretty_assertions::assert_eq;
use proptest::prelude::*;

use super::{MAX_ALTERNATIVES, TooManyAlternatives, expand, has_alternatives};

#[track_caller]
fn check(pattern: &str, expected: &[&str]) {
    assert_eq!(expand(pattern).unwrap(), expected, "{pattern}");
}

#[test]
fn alternatives_multiply_nest_and_may_be_empty() {
    check("*.{py,md}", &["*.py", "*.md"]);
    check("{a,b}/{c,d}", &["a/c", "a/d", "b/c", "b/d"]);
    check("{a,{b,c}x}.t", &["a.t", "bx.t", "cx.t"]);
    check("a{,b}", &["a", "ab"]);
    check("src/{x/y,z}/*", &["src/x/y/*", "src/z/*"]);
}

#[test]
fn braces_without_alternatives_stand_for_themselves() {
    check("{a}", &["{a}"]);
    check("{}", &["{}"]);
    check("{{cookiecutter.name}}/*", &["{{cookiecutter.name}}/*"]);
    check("{a,b", &["{a,b"]);
    check("a,b}", &["a,b}"]);
    check("{x{a,b}}", &["{xa}", "{xb}"]);
    check("[{]a,b}", &["[{]a,b}"]);
    check("{[,],x}", &["[,]", "x"]);
    assert!(!has_alternatives("{a}"));
    assert!(has_alternatives("x{a,b}"));
}

#[test]
fn an_explosion_is_refused() {
    assert_eq!(expand(&"{a,b}".repeat(40)), Err(TooManyAlternatives));
    let many = (0..=MAX_ALTERNATIVES)
        .map(|i| i.to_string())
        .collect::<Vec<_>>()
        .join(",");
    assert_eq!(expand(&format!("{{{many}}}")), Err(TooManyAlternatives));
}

proptest! {
    #[test]
    fn never_panics_and_always_ends(pattern in "[{},a\\[\\]!*]{0,30}") {
        if let Ok(alternatives) = expand(&pattern) {
            prop_assert!(!alternatives.is_empty());
            prop_assert_eq!(has_alternatives(&pattern), alternatives != [pattern]);
        }
    }
}
