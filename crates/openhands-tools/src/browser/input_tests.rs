use super::*;
use proptest::prelude::*;

#[test]
fn a_plus_sign_is_a_key_and_a_separator() {
    for (combination, names) in [
        ("a", vec!["a"]),
        ("Control+a", vec!["Control", "a"]),
        ("Control+Shift+Tab", vec!["Control", "Shift", "Tab"]),
        ("+", vec!["+"]),
        ("Control++", vec!["Control", "+"]),
        ("", vec![]),
    ] {
        assert_eq!(split(combination), names, "{combination}");
    }
}

#[test]
fn held_keys_go_down_in_order_and_up_in_the_opposite_order() {
    let events = combination_events("Control+Shift+k").unwrap();
    let seen: Vec<(&str, &str, u64)> = events
        .iter()
        .map(|event| {
            (
                event["type"].as_str().unwrap(),
                event["key"].as_str().unwrap(),
                event["modifiers"].as_u64().unwrap(),
            )
        })
        .collect();
    assert_eq!(
        seen,
        [
            ("rawKeyDown", "Control", 2),
            ("rawKeyDown", "Shift", 10),
            ("rawKeyDown", "K", 10),
            ("keyUp", "K", 10),
            ("keyUp", "Shift", 2),
            ("keyUp", "Control", 0),
        ]
    );
    assert!(combination_events("").is_err());
}

proptest! {
    #[test]
    fn any_text_can_be_a_combination(text in "\\PC*") {
        let _ = combination_events(&text);
    }
}
