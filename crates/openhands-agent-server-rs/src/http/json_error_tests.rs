use pretty_assertions::assert_eq;

use super::json_error;

/// Probed on the reference: its parser's words, and the character they are about.
const PROBED: &[(&str, usize, &str)] = &[
    (r#"{"a":"#, 5, "Expecting value"),
    (
        r#"{"command":"a", }"#,
        16,
        "Expecting property name enclosed in double quotes",
    ),
    (r#"{"command" "a"}"#, 11, "Expecting ':' delimiter"),
    (r#"{"command":"a" "b":1}"#, 15, "Expecting ',' delimiter"),
    (r#"{"command":"a"} x"#, 16, "Extra data"),
    (r#"{"command":"a"#, 11, "Unterminated string starting at"),
    ("{\"command\":\"a\nb\"}", 13, "Invalid control character at"),
    (r#"{"command":"a\xb"}"#, 13, r"Invalid \escape"),
    (r#"{"command":"a\u12"}"#, 14, r"Invalid \uXXXX escape"),
    (r#"{"command":[1,]}"#, 14, "Expecting value"),
    (r#"{"command":[1 2]}"#, 14, "Expecting ',' delimiter"),
    (r#"{"command":tru}"#, 11, "Expecting value"),
    (
        "{1:2}",
        1,
        "Expecting property name enclosed in double quotes",
    ),
    ("   ", 3, "Expecting value"),
    (r#"{"a":01}"#, 6, "Expecting ',' delimiter"),
    (r#"{"a":1.}"#, 6, "Expecting ',' delimiter"),
    (r#"{"é":x}"#, 5, "Expecting value"),
    ("[1,[", 4, "Expecting value"),
    ("[", 1, "Expecting value"),
    ("[1", 2, "Expecting ',' delimiter"),
    (r#"{"a""#, 4, "Expecting ':' delimiter"),
    (
        r#"{"a":1,"#,
        7,
        "Expecting property name enclosed in double quotes",
    ),
    (r#"{"a":"\"#, 5, "Unterminated string starting at"),
    (
        r#"{"a":{{"a":{"#,
        6,
        "Expecting property name enclosed in double quotes",
    ),
];

#[test]
fn errors_are_those_of_the_reference() {
    for (text, place, said) in PROBED {
        assert_eq!(json_error(text), Some((*place, *said)), "{text}");
    }
}

#[test]
fn what_is_right_has_no_error() {
    for text in [
        r#"{"a":[1,-0.5e+3,true,null,"\u00e9\n"],"b":{}}"#,
        " [] ",
        "0",
    ] {
        assert_eq!(json_error(text), None, "{text}");
    }
}

#[test]
fn depth_is_bounded() {
    let deep = "[".repeat(100_000);
    assert_eq!(json_error(&deep).unwrap().1, "Too deeply nested");
}
