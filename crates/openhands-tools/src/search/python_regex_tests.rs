use pretty_assertions::assert_eq;
use proptest::prelude::*;

use super::translate;

/// The messages were read off CPython's `re.compile`.
const REFUSED: &[(&str, &str)] = &[
    ("[unclosed", "unterminated character set at position 0"),
    ("ab[]", "unterminated character set at position 2"),
    ("[a-", "unterminated character set at position 0"),
    ("*a", "nothing to repeat at position 0"),
    ("a|*", "nothing to repeat at position 2"),
    ("^*", "nothing to repeat at position 1"),
    ("{3}", "nothing to repeat at position 0"),
    ("(?:+)", "nothing to repeat at position 3"),
    ("a**", "multiple repeat at position 2"),
    ("a+?+", "multiple repeat at position 3"),
    ("a{2}{3}", "multiple repeat at position 4"),
    ("a{3,1}", "min repeat greater than max repeat at position 2"),
    ("(", "missing ), unterminated subpattern at position 0"),
    (
        "foo(bar",
        "missing ), unterminated subpattern at position 3",
    ),
    (
        "(?:a|(b)",
        "missing ), unterminated subpattern at position 0",
    ),
    ("a)", "unbalanced parenthesis at position 1"),
    ("[z-a]", "bad character range z-a at position 1"),
    (r"[\d-z]", r"bad character range \d-z at position 1"),
    (r"\", "bad escape (end of pattern) at position 0"),
    (r"*\", "bad escape (end of pattern) at position 1"),
    (r"*a\", "nothing to repeat at position 0"),
    (r"\p", r"bad escape \p at position 0"),
    (r"[\p]", r"bad escape \p at position 1"),
    (r"[\8]", r"bad escape \8 at position 1"),
    (r"\x1", r"incomplete escape \x1 at position 0"),
    (r"\u12", r"incomplete escape \u12 at position 0"),
    (r"\U00110000", r"bad escape \U00110000 at position 0"),
    (
        r"\777",
        r"octal escape value \777 outside of range 0-0o377 at position 0",
    ),
    (r"\1", "invalid group reference 1 at position 1"),
    (r"(a\1)", "cannot refer to an open group at position 2"),
    ("(?P<1>x)", "bad character in group name '1' at position 4"),
    (
        "(?P<a b>x)",
        "bad character in group name 'a b' at position 4",
    ),
    ("(?P<>x)", "missing group name at position 4"),
    ("(?P<a", "missing >, unterminated name at position 4"),
    ("(?P=x)", "unknown group name 'x' at position 4"),
    ("(?Pz)", "unknown extension ?Pz at position 1"),
    ("(?<n>x)", "unknown extension ?<n at position 1"),
    ("(?@x)", "unknown extension ?@ at position 1"),
    ("(?", "unexpected end of pattern at position 2"),
    (
        "(?P<a>x)(?P<a>y)",
        "redefinition of group name 'a' as group 2; was group 1 at position 12",
    ),
    (
        "x(?i)",
        "global flags not at the start of the expression at position 1",
    ),
    (
        "(?L)x",
        "bad inline flags: cannot use 'L' flag with a str pattern at position 3",
    ),
    (
        "(?au)x",
        "bad inline flags: flags 'a', 'u' and 'L' are incompatible at position 4",
    ),
    (
        "(?i-i:x)",
        "bad inline flags: flag turned on and off at position 5",
    ),
    (
        "(?x-x:y)",
        "bad inline flags: flag turned on and off at position 5",
    ),
    (
        "(?-a:x)",
        "bad inline flags: cannot turn off flags 'a', 'u' and 'L' at position 4",
    ),
    ("(?-)", "missing flag at position 3"),
    ("(?-i", "missing : at position 4"),
    ("(?iz)", "unknown flag at position 3"),
    ("(?i", "missing -, : or ) at position 3"),
    ("(?#", "missing ), unterminated comment at position 0"),
    ("(?(2)a|b)", "invalid group reference 2 at position 3"),
    ("(?(0)a|b)", "bad group number at position 3"),
    ("(?(x)a|b)", "unknown group name 'x' at position 3"),
    (
        "(?(1)a|b|c)",
        "conditional backref with more than two branches at position 8",
    ),
    ("(?<=a+)b", "look-behind requires fixed-width pattern"),
    ("(?<!a|bc)d", "look-behind requires fixed-width pattern"),
    (
        r"(?<=(a)\1)",
        "cannot refer to group defined in the same lookbehind subpattern at position 9",
    ),
    (
        "a\nb(",
        "missing ), unterminated subpattern at position 3 (line 2, column 2)",
    ),
    (
        "[[:alpha:](\\d]",
        "missing ), unterminated subpattern at position 10",
    ),
    (
        "(\n",
        "missing ), unterminated subpattern at position 0 (line 1, column 1)",
    ),
];

#[test]
fn wrong_patterns_get_the_message_of_python() {
    for (pattern, expected) in REFUSED {
        let message = translate(pattern).map_err(|e| e.to_string());
        assert_eq!(message, Err((*expected).to_owned()), "{pattern:?}");
    }
}

#[test]
fn what_python_takes_for_plain_text_is_escaped() {
    let cases = [
        ("interface{}", r"interface\{\}"),
        ("fn x() {", r"fn x() \{"),
        ("{a,b}", r"\{a,b\}"),
        ("a{,3}", "a{0,3}"),
        ("a{2}?", "a{2,2}?"),
        ("]", r"\]"),
        ("[[]", r"[\x{5b}]"),
        ("[a-c&&b]", r"[\x{61}-\x{63}\x{26}\x{26}\x{62}]"),
        ("[]^-]", r"[\x{5d}\x{5e}\x{2d}]"),
        ("[^\\w\\b]", r"[^\w\x{8}]"),
        (r"a\Z", r"a\z"),
        (r"\u00e9\x41\101\0", "éAA\0"),
        (r"\/\-\ ", "/- "),
        ("(?#note)a(?P<n>b)", "a(b)"),
        ("(?x) a b # c\n d", "abd"),
        ("(?i:a)(?s-m:.)", "(?i:a)(?s-m:.)"),
        (r"(?a)\d[\W]", r"[0-9][[^0-9A-Za-z_]]"),
        (r"\ud800", r"[^\s\S]"),
        (r"[\ud800]", r"[^\s\S]"),
        (r"[^\ud800]", r"[\s\S]"),
        ("[[:alpha:]_]", r"[[:alpha:]\x{5f}]"),
        (
            "[[:alpha:]",
            r"[\x{5b}\x{3a}\x{61}\x{6c}\x{70}\x{68}\x{61}\x{3a}]",
        ),
    ];
    for (pattern, expected) in cases {
        let translated = translate(pattern).unwrap();
        assert_eq!(translated.source, expected, "{pattern:?}");
        assert!(
            regex::bytes::Regex::new(&translated.source).is_ok(),
            "{pattern:?}"
        );
        assert!(!translated.needs_backtracking, "{pattern:?}");
    }
}

#[test]
fn what_only_backtracking_can_run_is_marked() {
    let cases = [
        ("foo(?=bar)", "foo(?=bar)"),
        ("(?<!x)y", "(?<!x)y"),
        (r"(a)\1x", r"(a)(?:\1)x"),
        (r"(?P<q>['\x22]).*(?P=q)", r"([\x{27}\x{22}]).*(?:\1)"),
        ("a++", "a++"),
        ("(?>a|b)c", "(?>a|b)c"),
        ("(a)?(?(1)b|c)", "(a)?(?(1)b|c)"),
        ("(?P<n>a)?(?(n)b)", "(a)?(?(1)b)"),
    ];
    for (pattern, expected) in cases {
        let translated = translate(pattern).unwrap();
        assert_eq!(translated.source, expected, "{pattern:?}");
        assert!(translated.needs_backtracking, "{pattern:?}");
        assert!(
            fancy_regex::Regex::new(&translated.source).is_ok(),
            "{pattern:?}"
        );
    }
}

#[test]
fn patterns_that_name_line_breaks_are_marked() {
    for pattern in [r"a\nb", "a\nb", r"[\n]", r"\Afoo", r"foo\Z", r"\x0a"] {
        assert!(translate(pattern).unwrap().spans_lines, "{pattern:?}");
    }
    for pattern in [r"a\s+b", r"[^\n]", "^a$", "."] {
        assert!(!translate(pattern).unwrap().spans_lines, "{pattern:?}");
    }
}

#[test]
fn endless_nesting_is_refused_without_overflowing_the_stack() {
    for opening in ["(", "(?:", "(?=", "(?(1)", "(?i:"] {
        let pattern = opening.repeat(100_000);
        assert!(translate(&pattern).is_err(), "{opening}");
    }
}

proptest! {
    #[test]
    fn never_panics(pattern in ".{0,40}") {
        let _ = translate(&pattern);
    }

    #[test]
    fn what_is_accepted_runs(pattern in r"[a-c()\[\]{}|*+?.^$\\dwsbAZ<=!:iP,0-9 -]{0,14}") {
        if let Ok(translated) = translate(&pattern) {
            // Large counts may exceed the size limit of the engines, nothing else may go wrong.
            let outcome = if translated.needs_backtracking {
                fancy_regex::Regex::new(&translated.source).map(|_| ()).map_err(|e| e.to_string())
            } else {
                regex::bytes::Regex::new(&translated.source).map(|_| ()).map_err(|e| e.to_string())
            };
            if let Err(message) = outcome {
                prop_assert!(message.contains("size limit"), "{pattern:?} -> {:?}: {message}", translated.source);
            }
        }
    }
}
