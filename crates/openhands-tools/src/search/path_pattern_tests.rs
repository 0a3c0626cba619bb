use proptest::prelude::*;

use super::PathPattern;

#[track_caller]
fn check(pattern: &str, yes: &[&str], no: &[&str]) {
    let compiled = PathPattern::new(pattern).unwrap();
    for path in yes {
        let names: Vec<&str> = path.split('/').collect();
        assert!(
            compiled.matches(&names),
            "{pattern:?} should match {path:?}"
        );
        for depth in 0..names.len() {
            let below = &names[..depth];
            assert!(
                compiled.may_match_below(below, false),
                "{pattern:?} has to enter {below:?}"
            );
        }
    }
    for path in no {
        let names: Vec<&str> = path.split('/').collect();
        assert!(
            !compiled.matches(&names),
            "{pattern:?} should not match {path:?}"
        );
    }
}

#[test]
fn a_pattern_without_double_star_matches_at_every_depth() {
    check(
        "*.py",
        &["a.py", "src/a.py", "x/y/z/a.py"],
        &["a.pyc", ".dot.py", "src/.dot.py", ".hidden/h.py"],
    );
    check(
        "src/*.py",
        &["src/a.py", "lib/src/a.py"],
        &["src/deep/a.py", "a.py"],
    );
    check("deep/c.txt", &["src/deep/c.txt", "deep/c.txt"], &["c.txt"]);
    check("./src//*.py", &["src/a.py"], &["a.py"]);
    check("**.py", &["a.py", "src/a.py"], &["a.txt"]);
}

#[test]
fn double_star_is_read_from_the_search_directory_on() {
    check(
        "**/*.py",
        &["a.py", "src/a.py", "x/y/a.py"],
        &[".hidden/h.py", "src/.dot.py"],
    );
    check(
        "src/**/*.txt",
        &["src/c.txt", "src/deep/c.txt", "src/a/b/c.txt"],
        &["lib/src/c.txt", "c.txt"],
    );
    check(
        "src/**",
        &["src/a", "src/b/c"],
        &["a", "lib/src/a", "src/.x"],
    );
    check("**", &["a", "a/b"], &[".a", "a/.b"]);
    check(
        "**/src/**/test/**/*.rs",
        &["src/test/a.rs", "x/src/y/test/z/a.rs"],
        &["test/src/a.rs"],
    );
}

#[test]
fn hidden_names_only_where_the_pattern_names_them() {
    check(".*", &["src/.dot.py", ".env"], &[".hidden/h.py", "a.py"]);
    check(
        ".hidden/*",
        &[".hidden/h.py", "x/.hidden/h.py"],
        &[".hidden/.h", "h.py"],
    );
    check(
        "**/.github/**/*.yml",
        &[".github/ci.yml", "a/.github/w/ci.yml"],
        &["ci.yml"],
    );
    check("?dot.py", &[], &[".dot.py"]);
    check("[.]env", &[], &[".env"]);
    check("{.env,*.py}", &[".env", "a.py"], &[".b.py"]);
}

#[test]
fn braces_negation_and_everything() {
    check("*.{py,md}", &["a.py", "x/README.md"], &["a.txt"]);
    check(
        "{src,lib}/**/*.rs",
        &["src/a.rs", "lib/x/b.rs"],
        &["bin/a.rs"],
    );
    check(
        "!*.py",
        &["a.txt", "src/b.md"],
        &["a.py", "src/a.py", ".hidden/x", ".env"],
    );
    check("", &["a", "b/c"], &[".a"]);
    check("*", &["a", "b/c"], &[".a"]);
}

#[test]
fn patterns_for_directories_and_above_match_nothing() {
    check("src/", &[], &["src/a.py", "src"]);
    check("../*.py", &[], &["a.py"]);
    check("a/../b", &[], &["b", "a/b"]);
    check(".", &[], &["a.py", "src/a.py"]);
}

#[test]
fn directories_that_cannot_hold_a_match_are_not_entered() {
    let pattern = PathPattern::new("src/**/*.py").unwrap();
    assert!(pattern.may_match_below(&["src", "x", "y"], false));
    assert!(!pattern.may_match_below(&["lib"], false));
    assert!(!pattern.may_match_below(&["src", ".git"], false));
    assert!(
        !PathPattern::new("**/*.py")
            .unwrap()
            .may_match_below(&[".git"], false)
    );
}

#[test]
fn links_to_directories_are_entered_only_by_name() {
    let enters = |pattern: &str, names: &[&str]| {
        PathPattern::new(pattern)
            .unwrap()
            .may_match_below(names, true)
    };
    assert!(enters("link/*.py", &["link"]));
    assert!(enters("*/a.py", &["link"]));
    assert!(enters("src/link/**/*.py", &["src", "link"]));
    assert!(!enters("*.py", &["link"]));
    assert!(!enters("**/*.py", &["link"]));
    assert!(!enters("link/**/*.py", &["link", "again"]));
}

proptest! {
    #[test]
    fn never_panics_and_enters_every_directory_on_the_way(
        pattern in "(!?)[*./a{},b\\[\\]?]{0,16}",
        names in prop::collection::vec("[.]?[ab]{1,3}", 1..6),
    ) {
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        if let Ok(pattern) = PathPattern::new(&pattern)
            && pattern.matches(&names)
        {
            for depth in 1..names.len() {
                prop_assert!(pattern.may_match_below(&names[..depth], false));
            }
        }
    }
}
