use super::*;
use pretty_assertions::assert_eq;

#[test]
fn literals_are_told_from_shell_syntax() {
    for (command, expected) in [
        ("[\"ls\"]", Some("list literal")),
        ("  [{'a': 1}]", Some("list literal")),
        ("['x']", Some("list literal")),
        ("[[1, 2]]", Some("nested list literal")),
        ("{\"a\": 1}", Some("dict literal")),
        ("{'a': 1}", Some("dict literal")),
        ("[ -d / ]", None),
        ("[[ -d / ]]", None),
        ("[[\t-d / ]]", None),
        ("[[", None),
        ("{ echo a; }", None),
        ("{a,b}", None),
        ("[", None),
        ("ls", None),
        ("", None),
    ] {
        assert_eq!(kind(command), expected, "{command:?}");
    }
}

#[test]
fn the_preview_is_cut_and_quoted_as_python_quotes() {
    assert_eq!(quoted("[\"ls\"]"), "'[\"ls\"]'");
    assert_eq!(quoted("['ls']"), "\"['ls']\"");
    assert_eq!(quoted("['a', \"b\"]\n\\"), "'[\\'a\\', \"b\"]\\n\\\\'");
    let long = format!("[\"{}\"]", "y".repeat(100));
    assert!(
        explanation(&long, "list literal")
            .contains(&format!("It starts with: '[\"{}'\n", "y".repeat(58)))
    );
}
