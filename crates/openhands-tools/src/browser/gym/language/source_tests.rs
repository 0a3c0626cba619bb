//! The grammar against what BrowserGym 0.13.3 makes of the same texts.

use std::time::{Duration, Instant};

use pretty_assertions::assert_eq;
use proptest::prelude::*;
use serde::Deserialize;

use super::*;

/// Recorded with `browsergym.core.action.parsers.highlevel_action_parser.search_string(text)`: names and printed arguments.
const RECORDED: &str = include_str!("../../../../tests/fixtures/gym-language/calls.json");

#[derive(Deserialize)]
struct Recorded {
    text: String,
    calls: Option<Vec<(String, Vec<String>)>>,
    error: Option<String>,
}

fn printed(call: &Call) -> (String, Vec<String>) {
    let positional = call.positional.iter().map(Literal::repr);
    let named = call.named.iter();
    let named = named.map(|(name, value)| format!("{name}={}", value.repr()));
    (call.name.clone(), positional.chain(named).collect())
}

#[test]
fn texts_are_read_as_the_reference_reads_them() {
    let recorded: Vec<Recorded> = serde_json::from_str(RECORDED).unwrap();
    assert!(recorded.len() > 180);
    for case in recorded {
        let read = calls(&case.text);
        let read = read.map(|calls| calls.iter().map(printed).collect::<Vec<_>>());
        let expected = match (case.calls, case.error) {
            (Some(calls), _) => Ok(calls),
            (None, error) => Err(error.unwrap()),
        };
        assert_eq!(
            read.map_err(|mistake| mistake.to_string()),
            expected,
            "{:?}",
            case.text
        );
    }
}

#[test]
fn two_escapes_of_a_pair_make_one_character() {
    let read = calls(r"fill('1', '\ud83d\ude00')").unwrap();
    assert_eq!(read[0].positional[1], Literal::Str("😀".to_owned()));
}

#[test]
fn a_whole_text_is_one_literal_or_none() {
    let read = literal("{'a': [1, None], \"b\": 'x\\'\ty'}  # so").unwrap();
    assert_eq!(read.repr(), "{'a': [1, None], 'b': \"x'\\ty\"}");
    for wrong in ["", "{'a': 1", "{'a': b}", "1 2", "f(1)", "{1: 2}"] {
        assert_eq!(literal(wrong), None, "{wrong}");
    }
}

#[test]
fn long_texts_are_read_in_time_that_grows_with_their_length() {
    let long = [
        "a".repeat(1 << 20),
        "a(".repeat(1 << 19),
        "a('".repeat(1 << 18),
        "a([1,".repeat(1 << 17),
        format!("f({}", "[".repeat(1 << 20)),
        format!("f({}", "{'a':".repeat(1 << 18)),
        format!("f('''{}", "'".repeat(1 << 20)),
        "\\".repeat(1 << 20),
        "#".repeat(1 << 20),
        "\t".repeat(1 << 17),
    ];
    for text in long {
        let began = Instant::now();
        let _ = calls(&text);
        let (head, took): (String, _) = (text.chars().take(20).collect(), began.elapsed());
        assert!(took < Duration::from_mins(1), "{head}: {took:?}");
    }
}

proptest! {
    #[test]
    fn no_text_is_too_odd(text in any::<String>()) {
        let _ = calls(&text);
    }

    #[test]
    fn no_text_that_looks_like_calls_is_too_odd(text in r#"([a-z_]{0,5}[\[\](){}'"\\,=:.+\-0-9exuUNaTrue#\n\t ]{0,6}){0,20}"#) {
        let _ = calls(&text);
    }

    #[test]
    fn a_string_comes_back_as_it_was(text in any::<String>().prop_filter("tabs become blanks", |text| !text.contains(['\t', '\0']))) {
        let printed = Literal::Str(text.clone()).repr();
        prop_assume!(!printed.contains('\0'));
        let read = calls(&format!("fill('1', {printed})")).unwrap();
        prop_assert_eq!(&read[0].positional[1], &Literal::Str(text));
    }
}
