use super::events_for_tests::*;
use super::*;
use openhands_protocol::message::Content;
use pretty_assertions::assert_eq;
use serde_json::Value;

fn pushed(events: &[Event]) -> View {
    let mut view = View::default();
    for event in events {
        view.push(event);
    }
    view
}

fn ids(view: &View) -> Vec<&str> {
    view.ids().map(EventId::as_str).collect()
}

/// Role, calls, answered call and texts of each message.
fn sketch(view: &View) -> Vec<String> {
    let sketch = |message: &Arc<Message>| {
        let calls = message
            .tool_calls
            .iter()
            .flatten()
            .map(|call| call.id.as_str());
        let texts = message.content.iter().filter_map(Content::as_text);
        let words: Vec<_> = message
            .tool_call_id
            .iter()
            .map(ToolCallId::as_str)
            .chain(calls)
            .chain(texts)
            .collect();
        format!("{}: {}", message.role.as_str(), words.join(" | "))
    };
    view.messages().iter().map(sketch).collect()
}

#[test]
fn views_and_messages_are_those_of_the_reference() {
    let recorded = include_str!("../tests/fixtures/views.json");
    let recorded: Value = serde_json::from_str(recorded).unwrap();
    let cases = recorded["cases"].as_array().unwrap();
    assert_eq!(cases.len(), 18);
    for case in cases {
        let name = case["name"].as_str().unwrap();
        let events: Vec<Event> = serde_json::from_value(case["events"].clone()).unwrap();
        for view in [View::of(&events), pushed(&events)] {
            assert_eq!(serde_json::json!(ids(&view)), case["ids"], "{name}");
            let cuts = view.cut_points();
            assert_eq!(
                serde_json::json!(cuts.as_slice()),
                case["cut_points"],
                "{name}"
            );
            assert_eq!(
                view.is_condensation_requested(),
                case["requested"],
                "{name}"
            );
            let wanted: Vec<Message> = serde_json::from_value(case["messages"].clone()).unwrap();
            let messages: Vec<Message> = view.messages().iter().map(|m| (**m).clone()).collect();
            assert_eq!(messages, wanted, "{name}");
        }
    }
}

#[test]
fn an_open_step_of_a_thinking_loop_leaves_the_rest_of_it() {
    let mut events = turns(2, true);
    events.push(action("a", "c", "r", false));
    let mut view = pushed(&events);
    assert_eq!(ids(&view), ["s", "u", "a0", "o0", "a1", "o1"]);
    view.push(&observation("o", "c", "a", "at last"));
    assert_eq!(ids(&view), ["s", "u", "a0", "o0", "a1", "o1", "a", "o"]);
}

#[test]
fn a_result_that_comes_after_a_user_message_stands_behind_its_call() {
    let mut view = pushed(&[
        user("u1", "go"),
        action("a1", "c1", "r", false),
        action("a2", "c2", "r", false),
        observation("o1", "c1", "a1", "one"),
        user("u2", "more"),
    ]);
    assert_eq!(sketch(&view), ["user: go | more"]);
    view.push(&observation("o2", "c2", "a2", "two"));
    assert_eq!(
        sketch(&view),
        [
            "user: go",
            "assistant: c1 | c2",
            "tool: c1 | one",
            "tool: c2 | two",
            "user: more"
        ]
    );
}

#[test]
fn a_call_id_that_is_used_again_is_a_call_of_its_own() {
    let view = pushed(&[
        user("u", "go"),
        action("a1", "c", "r1", false),
        observation("o1", "c", "a1", "one"),
        action("a2", "c", "r2", false),
        error("o2", "c", "two"),
        observation("late", "c", "a2", "three"),
    ]);
    assert_eq!(
        sketch(&view),
        [
            "user: go",
            "assistant: c",
            "tool: c | one",
            "assistant: c",
            "tool: c | two"
        ]
    );
}

#[test]
fn results_of_one_batch_with_equal_call_ids_go_to_the_actions_they_name() {
    let view = pushed(&[
        action("a1", "c", "r", false),
        action("a2", "c", "r", false),
        observation("o2", "c", "a2", "two"),
        observation("o1", "c", "a1", "one"),
        observation("o3", "c", "a1", "three"),
    ]);
    assert_eq!(ids(&view), ["a1", "a2", "o2", "o1"]);
}

#[test]
fn a_message_that_did_not_change_is_the_same_allocation() {
    let mut events = vec![system("s"), user("u1", "one"), user("u2", "two")];
    events.extend(turns(3, false).split_off(2));
    events.extend([
        action("b1", "d1", "q", false),
        action("b2", "d2", "q", false),
        observation("p1", "d1", "b1", "one"),
        observation("p2", "d2", "b2", "two"),
    ]);
    let mut view = pushed(&events);
    let before = view.messages();
    view.push(&agent("m", "done"));
    let after = view.messages();
    assert_eq!(after.len(), before.len() + 1);
    assert!(before.iter().zip(&after).all(|(b, a)| Arc::ptr_eq(b, a)));

    // What stays after a condensation stays the same, joined messages too.
    view.push(&condensation(
        "k",
        &["a0", "o0", "a1", "o1"],
        Some("sum"),
        3,
    ));
    let condensed = view.messages();
    let kept = |message: &&Arc<Message>| before.iter().any(|old| Arc::ptr_eq(old, message));
    assert_eq!(condensed.iter().filter(kept).count(), 1 + 2 + 3);
    assert_eq!(sketch(&view)[1], "user: one | two | sum");
}

#[test]
fn a_summary_goes_to_its_offset_or_to_the_end() {
    for (offset, wanted) in [
        (-1, ["k-summary", "s", "u", "m"]),
        (1, ["s", "k-summary", "u", "m"]),
        (99, ["s", "u", "m", "k-summary"]),
    ] {
        let view = pushed(&[
            system("s"),
            user("u", "go"),
            agent("m", "yes"),
            condensation("k", &[], Some("sum"), offset),
        ]);
        assert_eq!(ids(&view), wanted);
    }
}

#[test]
fn a_request_stands_until_a_condensation() {
    let mut view = pushed(&[request("q")]);
    assert!(view.is_condensation_requested());
    view.push(&condensation("k", &[], None, 0));
    assert!(!view.is_condensation_requested());
}

#[test]
fn a_step_whose_loop_lost_its_start_is_not_shown() {
    let mut events = turns(3, true);
    events.push(condensation("k", &["a0", "o0"], Some("sum"), 2));
    events.push(agent("m", "done"));
    assert_eq!(ids(&pushed(&events)), ["s", "u", "k-summary", "m"]);
    // A loop that was forgotten whole leaves nothing behind.
    let rest = ["a1", "o1", "a2", "o2"];
    events.push(condensation("k2", &rest, None, 2));
    let view = pushed(&events);
    assert!(view.pairing.is_empty());
}

#[test]
fn a_long_tool_text_is_cut_in_the_middle() {
    let view = pushed(&[
        action("a", "c", "r", false),
        observation("o", "c", "a", &"x".repeat(40_000)),
    ]);
    let text = Content::join_text(&view.messages()[1].content);
    assert_eq!(text.chars().count(), 30_000);
    assert!(text.contains("<response clipped>"));
}
