use super::*;
use proptest::prelude::*;

#[test]
fn matchers_name_tools() {
    for (matcher, tool, expected) in [
        ("*", Some("x"), true),
        ("", Some("x"), true),
        (" ", Some("x"), false),
        ("*", None, true),
        ("", None, true),
        ("x", None, false),
        ("x.*", None, false),
        ("x", Some("x"), true),
        ("x", Some("X"), false),
        ("term", Some("terminal"), false),
        ("/term/", Some("terminal"), false),
        ("/x/y/", Some("x/y"), true),
        ("/x", Some("/x"), true),
        ("/", Some("/"), true),
        ("//", Some(""), false),
        ("a|b", Some("b"), true),
        ("a|b", Some("ab"), false),
        ("^a$", Some("a"), true),
        ("a$", Some("a\n"), false),
        (".", Some("\n"), false),
        ("(?i)a", Some("A"), true),
        (r"a\d", Some("a1"), true),
        ("mcp__.*", Some("mcp__x"), true),
        ("a{2}", Some("aa"), false),
        ("/a{2}/", Some("aa"), true),
        ("(?=a).", Some("a"), true),
        (r"(a)\1", Some("aa"), true),
        // Not to be read as a regular expression: the name itself.
        ("a(b", Some("a(b"), true),
        ("?", Some("?"), true),
        ("[bad", Some("x"), false),
        ("*x", Some("x"), false),
        ("/[/", Some("x"), false),
    ] {
        assert_eq!(matches(matcher, tool), expected, "{matcher:?} {tool:?}");
    }
}

#[test]
fn a_pattern_that_would_take_forever_ends() {
    let name = "a".repeat(60);
    assert!(!matches(r"(?:(a+)+\1)+b", Some(&name)));
}

proptest! {
    #[test]
    fn any_matcher_and_name_get_an_answer(matcher in ".{0,30}", tool in ".{0,30}") {
        matches(&matcher, Some(&tool));
    }

    #[test]
    fn a_name_of_letters_matches_itself(name in "[a-z_]{1,20}") {
        prop_assert!(matches(&name, Some(&name)));
    }
}
