use std::borrow::Cow;

use openhands_protocol::message::{
    Content, Message, Role, TextContent, ThinkingBlock, ThinkingText,
};
use openhands_protocol::tool::{
    BrowserObservation, FileEditorObservation, McpToolObservation, TerminalObservation,
};
use openhands_protocol::{Form, Observation};
use pretty_assertions::assert_eq;
use proptest::prelude::*;
use serde_json::json;

use super::{HIDDEN, Masker};

#[test]
fn values_are_hidden_and_the_rest_is_not_touched() {
    let masker = Masker::new(["s3cr3t", "", "  "]);
    assert_eq!(masker.value_count(), 1);
    assert_eq!(
        masker.mask("a s3cr3t, s3cr3ts3cr3t"),
        format!("a {HIDDEN}, {HIDDEN}{HIDDEN}")
    );
    assert!(matches!(masker.mask("S3CR3T s3cr3"), Cow::Borrowed(_)));
    assert!(matches!(
        Masker::default().mask("s3cr3t"),
        Cow::Borrowed("s3cr3t")
    ));
    assert!(Masker::new([]).is_empty() && Masker::new([" "]).is_empty());
    assert!(!format!("{masker:?} {:?}", masker.stream()).contains("s3cr3t"));
}

#[test]
fn no_part_of_a_longer_value_is_left_by_a_shorter_one() {
    let masker = Masker::new(["abc", "abcdef", "b"]);
    assert_eq!(masker.mask("xabcdefx b"), format!("x{HIDDEN}x {HIDDEN}"));
}

#[test]
fn a_value_is_hidden_also_when_a_program_trimmed_it() {
    let masker = Masker::new(["from a file\n"]);
    assert_eq!(masker.mask("from a file"), HIDDEN);
    assert_eq!(masker.mask("from a file\n$"), format!("{HIDDEN}$"));
}

#[test]
fn all_texts_of_json_are_masked_but_no_names() {
    let masker = Masker::new(["key"]);
    let mut value = json!({"key": ["a key", {"x": "key"}], "n": 1, "none": null});
    assert!(masker.mask_json(&mut value));
    let hidden = format!("a {HIDDEN}");
    assert_eq!(
        value,
        json!({"key": [hidden, {"x": HIDDEN}], "n": 1, "none": null})
    );
    assert!(!masker.mask_json(&mut value));
}

#[test]
fn a_message_keeps_its_signed_thinking() {
    let masker = Masker::new(["key"]);
    let thinking = ThinkingBlock::Thinking(ThinkingText {
        thinking: "the key".to_owned(),
        signature: Some("key".to_owned()),
        ..ThinkingText::default()
    });
    let mut message = Message {
        role: Role::Assistant,
        content: vec![Content::text("the key"), Content::image("data:key")],
        reasoning_content: Some("a key".to_owned()),
        thinking_blocks: vec![thinking.clone()],
        ..Message::default()
    };
    masker.mask_message(&mut message);
    assert_eq!(message.content[0], Content::text(format!("the {HIDDEN}")));
    assert_eq!(message.content[1], Content::image("data:key"));
    assert_eq!(
        message.reasoning_content.as_deref(),
        Some(format!("a {HIDDEN}").as_str())
    );
    assert_eq!(message.thinking_blocks, [thinking]);

    let mut thought = [TextContent::new("key")];
    masker.mask_texts(&mut thought);
    assert_eq!(thought[0].text, HIDDEN);
}

#[test]
fn every_text_of_an_observation_is_masked() {
    let masker = Masker::new(["s3cr3t"]);
    let mut terminal = TerminalObservation::with_text("out s3cr3t");
    terminal.command = Some("echo s3cr3t".to_owned());
    terminal.exit_code = Some(0);
    terminal.metadata.working_dir = Some("/s3cr3t".to_owned());
    terminal.extra.insert("later", json!(["s3cr3t"]));
    let mut observation = Observation::Terminal(terminal);
    masker.mask_observation(&mut observation);
    let shown = Form::PEER.to_string(&observation).unwrap();
    assert!(!shown.contains("s3cr3t"), "{shown}");
    assert_eq!(shown.matches(HIDDEN).count(), 4);
    let Observation::Terminal(terminal) = observation else {
        panic!("{shown}");
    };
    assert_eq!(terminal.exit_code, Some(0));

    let mut edit = FileEditorObservation::with_text("s3cr3t");
    edit.old_content = Some("s3cr3t".to_owned());
    edit.new_content = Some("s3cr3t and more".to_owned());
    let mut observation = Observation::FileEditor(edit);
    masker.mask_observation(&mut observation);
    let shown = Form::PEER.to_string(&observation).unwrap();
    assert_eq!(shown.matches(HIDDEN).count(), 3, "{shown}");
}

#[test]
fn an_observation_without_a_value_stays_as_it_is() {
    let before = Observation::Terminal(TerminalObservation::with_text("nothing here"));
    for masker in [Masker::default(), Masker::new(["s3cr3t"])] {
        let mut observation = before.clone();
        masker.mask_observation(&mut observation);
        assert_eq!(observation, before);
    }
}

#[test]
fn pictures_are_not_broken_but_their_addresses_are_masked() {
    let masker = Masker::new(["AAAA"]);
    let picture = "data:image/png;base64,xxAAAAxx";
    let mut browser = BrowserObservation::with_text("AAAA");
    browser.content.push(Content::image(picture));
    browser
        .content
        .push(Content::image("https://host/AAAA.png"));
    browser.screenshot_data = Some("AAAA".to_owned());
    let mut observation = Observation::Browser(browser);
    masker.mask_observation(&mut observation);
    let Observation::Browser(browser) = observation else {
        panic!("another kind");
    };
    assert_eq!(browser.content[0], Content::text(HIDDEN));
    assert_eq!(browser.content[1], Content::image(picture));
    assert_eq!(
        browser.content[2],
        Content::image(format!("https://host/{HIDDEN}.png"))
    );
    assert_eq!(browser.screenshot_data.as_deref(), Some("AAAA"));
}

#[test]
fn a_value_that_is_a_word_of_the_protocol_does_not_break_an_observation() {
    let masker = Masker::new(["view", "text", "kind", "TerminalObservation"]);
    let json = json!({
        "kind": "FileEditorObservation", "command": "view", "path": "view",
        "content": [{"type": "text", "text": "a text to view"}],
    });
    let mut observation = Observation::from_slice(json.to_string().as_bytes()).unwrap();
    masker.mask_observation(&mut observation);
    let Observation::FileEditor(edit) = &observation else {
        panic!("{observation:?}");
    };
    assert_eq!(edit.path.as_deref(), Some(HIDDEN));
    assert_eq!(observation.text(), format!("a {HIDDEN} to {HIDDEN}"));
    assert_eq!(edit.command.as_str(), "view");
}

#[test]
fn an_observation_of_unknown_kind_is_masked_too() {
    let masker = Masker::new(["s3cr3t"]);
    let json =
        json!({"kind": "NewObservation", "output": {"deep": "s3cr3t"}, "content": ["s3cr3t"]});
    let mut observation = Observation::from_slice(json.to_string().as_bytes()).unwrap();
    masker.mask_observation(&mut observation);
    assert_eq!(
        Form::PEER.to_value(&observation).unwrap(),
        json!({"kind": "NewObservation", "output": {"deep": HIDDEN}, "content": [HIDDEN]})
    );

    let mut mcp = Observation::McpTool(McpToolObservation::with_text("s3cr3t"));
    masker.mask_observation(&mut mcp);
    assert_eq!(mcp.text(), HIDDEN);
}

proptest! {
    #[test]
    fn no_value_is_left(
        values in prop::collection::vec("[ab]{1,4}", 1..5),
        text in "[abx]{0,40}",
    ) {
        let masker = Masker::new(values.iter().map(String::as_str));
        let masked = masker.mask(&text);
        for piece in masked.split(HIDDEN) {
            for value in &values {
                prop_assert!(!piece.contains(value.as_str()), "{value} in {masked}");
            }
        }
    }
}
