use super::*;
use serde_json::json;

#[test]
fn errors_name_line_and_column() {
    let error = read("{\n \"a\": x}").unwrap_err().to_string();
    // compat: line breaks are escaped before the text is judged.
    assert_eq!(
        error,
        "Expecting property name enclosed in double quotes: line 1 column 2 (char 1)"
    );
    let error = Reader::new("{\n \"a\": x}", Controls::Refused)
        .whole()
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "Expecting value: line 2 column 7 (char 8)"
    );
}

#[test]
fn escapes_are_read() {
    for (text, expected) in [
        (r#""\u0041\n\/\"\\	""#, "A\n/\"\\\t"),
        ("\"\t\\ud83d\\ude00\"", "😀"),
        ("\"\t\\ud83dx\"", "\u{fffd}x"),
        ("\"\t\\ud83d\\u0041\"", "\u{fffd}A"),
        ("\"\t\\ude00\"", "\u{fffd}"),
    ] {
        let expected = if expected.contains('\t') || text.starts_with("\"\\") {
            expected.to_owned()
        } else {
            format!("\t{expected}")
        };
        assert_eq!(read(text).unwrap(), json!(expected), "{text}");
    }
}

#[test]
fn numbers_are_read() {
    for text in [
        "-0",
        "0",
        "10",
        "1.5",
        "-2e3",
        "1E+2",
        "18446744073709551615",
    ] {
        let read = Reader::new(text, Controls::Allowed).whole().unwrap();
        assert_eq!(read, serde_json::from_str::<Value>(text).unwrap(), "{text}");
    }
}
