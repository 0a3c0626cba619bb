use pretty_assertions::assert_eq;
use proptest::prelude::*;

use super::Verdict;

fn said(stdout: &str) -> Verdict {
    Verdict::of_program(0, stdout.as_bytes(), b"")
}

#[test]
fn only_exit_code_2_blocks() {
    for (code, success, blocked) in [
        (0, true, false),
        (1, false, false),
        (2, false, true),
        (3, false, false),
        (127, false, false),
        (-9, false, false),
    ] {
        let verdict = Verdict::of_program(code, b"out", b"err");
        assert_eq!(
            (verdict.success, verdict.blocked),
            (success, blocked),
            "{code}"
        );
        assert_eq!((verdict.exit_code, verdict.error), (code, None));
        assert_eq!(
            (verdict.stdout.as_str(), verdict.stderr.as_str()),
            ("out", "err")
        );
    }
}

#[test]
fn the_reason_is_that_of_the_json_then_standard_error_then_a_sentence() {
    let reason = |stdout: &str, stderr: &str| {
        Verdict::of_program(2, stdout.as_bytes(), stderr.as_bytes()).blocking_reason()
    };
    assert_eq!(
        reason(r#"{"reason": "from json"}"#, "from stderr").as_deref(),
        Some("from json")
    );
    assert_eq!(
        reason(r#"{"reason": ""}"#, " from stderr\n").as_deref(),
        Some("from stderr")
    );
    for stderr in ["", " \n"] {
        assert_eq!(reason("", stderr).as_deref(), Some("Blocked by hook"));
    }
    assert_eq!(said(r#"{"reason": "x"}"#).blocking_reason(), None);
}

#[test]
fn json_on_standard_output_decides() {
    for (json, blocked) in [
        (r#"{"decision": "deny"}"#, true),
        (r#" {"decision": "DENY", "reason": "r"} "#, true),
        (r#"{"decision": "allow"}"#, false),
        (r#"{"decision": "block"}"#, false),
        (r#"{"decision": true}"#, false),
        (r#"{"continue": false}"#, true),
        (r#"{"continue": 0}"#, true),
        (r#"{"continue": null}"#, true),
        (r#"{"continue": ""}"#, true),
        (r#"{"continue": true}"#, false),
        (r#"{"continue": "false"}"#, false),
        (r#"{"decision": "allow", "continue": false}"#, true),
        (r#"["deny"]"#, false),
        (r#"{"decision": "deny""#, false),
        (r#"note {"decision": "deny"}"#, false),
        ("", false),
    ] {
        let verdict = said(json);
        assert_eq!(
            (verdict.blocked, verdict.success),
            (blocked, true),
            "{json}"
        );
        assert_eq!(verdict.stdout, json);
    }
    // Exit code 2 is not taken back by words.
    assert!(Verdict::of_program(2, br#"{"decision": "allow"}"#, b"").blocked);
}

#[test]
fn context_and_reason_are_taken_as_text() {
    let verdict = said(r#"{"additionalContext": "more", "reason": 5}"#);
    assert_eq!(verdict.additional_context.as_deref(), Some("more"));
    assert_eq!(verdict.reason.as_deref(), Some("5"));
    let verdict = said(r#"{"additionalContext": {"a": 1}, "reason": null}"#);
    assert_eq!(verdict.additional_context.as_deref(), Some(r#"{"a":1}"#));
    assert_eq!(verdict.reason, None);
}

#[test]
fn output_that_is_no_text_still_decides() {
    let verdict = Verdict::of_program(2, b"\xff\xfe", b"no\xff\r\nway\r");
    assert!(verdict.blocked);
    assert_eq!(verdict.stderr, "no\u{fffd}\nway\n");
}

#[test]
fn the_answer_of_a_model_is_the_first_object_in_it() {
    for (answer, blocked, reason) in [
        (r#"{"decision": "deny", "reason": "bad"}"#, true, "bad"),
        (
            "Sure!\n```json\n{\"decision\": \"Allow\", \"reason\": \"ok\"}\n```",
            false,
            "ok",
        ),
        (r#"{not json} {"decision": "deny"}"#, true, ""),
        (r#"{"decision": "allow"} {"decision": "deny"}"#, false, ""),
    ] {
        let verdict = Verdict::of_answer("prompt", answer);
        assert!(verdict.success && verdict.error.is_none(), "{answer}");
        assert_eq!(verdict.blocked, blocked, "{answer}");
        assert_eq!(verdict.reason.as_deref(), Some(reason), "{answer}");
    }
}

#[test]
fn an_answer_without_a_decision_allows_and_says_so() {
    for answer in [
        "",
        "no",
        "{}",
        r#"{"decision": "maybe"}"#,
        r#"{"decision": null}"#,
        "{{{",
    ] {
        let verdict = Verdict::of_answer("agent", answer);
        assert!(!verdict.success && !verdict.blocked, "{answer}");
        assert_eq!(verdict.error, verdict.reason);
        assert!(verdict.error.unwrap().contains("agent hook"), "{answer}");
    }
}

proptest! {
    #[test]
    fn any_output_and_answer_gets_a_verdict(
        code in any::<i32>(),
        stdout in prop::collection::vec(any::<u8>(), 0..200),
        answer in r#"[{}"\[\]:,a-z0-9 ]{0,80}"#,
    ) {
        let verdict = Verdict::of_program(code, &stdout, &stdout);
        prop_assert_eq!(verdict.success, code == 0);
        let _ = Verdict::of_answer("prompt", &answer);
    }
}
