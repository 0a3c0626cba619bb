use super::*;
use crate::security::tests::call;
use pretty_assertions::assert_eq;

#[test]
fn string_leaves_are_executable_and_member_names_are_not() {
    let action = call(
        "tool",
        r#"{"key": ["a", {"b": "c"}], "n": 1, "no": null, "t": true, "e": ""}"#,
    );
    assert_eq!(executable(&action).strings, ["a", "c"]);
    assert_eq!(executable(&action).joined(), "tool a c");
}

#[test]
fn arguments_that_are_no_json_are_looked_at_as_text() {
    assert_eq!(executable(&call("t", "rm -rf /")).strings, ["rm -rf /"]);
    assert_eq!(executable(&call("t", "\"rm -rf /\"")).strings, ["rm -rf /"]);
}

#[test]
fn what_is_looked_at_is_bounded_over_all_strings() {
    let long = "é".repeat(20_000);
    let action = call("t", &serde_json::json!([long, long, "more"]).to_string());
    let lengths: Vec<usize> = executable(&action)
        .strings
        .iter()
        .map(|text| text.chars().count())
        .collect();
    assert_eq!(lengths, [20_000, 10_000]);
}

#[test]
fn thought_reasoning_and_summary_are_spoken() {
    let mut action = call("t", "{}");
    action.thought = vec![openhands_protocol::message::TextContent::new("one")];
    action.reasoning_content = Some("two".into());
    action.summary = Some("three".into());
    assert_eq!(spoken(&action), "one two three");
}

#[test]
fn invisible_characters_go_and_look_alikes_fold() {
    for hidden in [
        "\u{200b}",
        "\u{ad}",
        "\0",
        "\u{7}",
        "\u{2060}",
        "\u{feff}",
        "\u{202e}",
        "\u{e0041}",
        "\u{fe0f}",
        "\u{180e}",
        "\u{61c}",
        "\u{34f}",
    ] {
        assert_eq!(normalize(&format!("r{hidden}m")), "rm", "{hidden:?}");
    }
    assert_eq!(normalize("ｒｍ\u{a0}\u{3000}-ℝ"), "rm  -R");
    assert_eq!(normalize("a\tb\nc\r"), "a\tb\nc\r");
}
