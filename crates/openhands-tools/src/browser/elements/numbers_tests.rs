use super::{Numbers, Place};
use std::collections::HashSet;

fn place(tab: &str, token: &str, number: u32) -> Place {
    Place {
        tab: tab.to_owned(),
        session: "session".to_owned(),
        frame: "frame".to_owned(),
        token: token.to_owned(),
        number,
    }
}

fn set(names: &[&str]) -> HashSet<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

#[test]
fn an_element_keeps_its_number_and_no_number_is_given_twice() {
    let mut numbers = Numbers::default();
    assert_eq!(numbers.of(place("t", "a", 1)), 1);
    assert_eq!(numbers.of(place("t", "a", 2)), 2);
    assert_eq!(numbers.of(place("t", "a", 1)), 1);
    assert_eq!(numbers.of(place("t", "b", 1)), 3);
    numbers.keep("t", &set(&["b"]));
    assert!(numbers.find(1).is_none());
    assert_eq!(numbers.find(3), Some(&place("t", "b", 1)));
    // The document came back: its elements are new ones.
    assert_eq!(numbers.of(place("t", "a", 1)), 4);
}

#[test]
fn other_tabs_are_not_touched_until_they_are_closed() {
    let mut numbers = Numbers::default();
    let one = numbers.of(place("one", "a", 1));
    let two = numbers.of(place("two", "b", 1));
    numbers.keep("one", &set(&[]));
    assert!(numbers.find(one).is_none());
    assert!(numbers.find(two).is_some());
    numbers.keep_tabs(&set(&["one"]));
    assert!(numbers.find(two).is_none());
}
