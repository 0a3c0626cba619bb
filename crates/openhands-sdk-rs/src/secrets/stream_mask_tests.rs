use pretty_assertions::assert_eq;
use proptest::prelude::*;

use crate::secrets::{HIDDEN, Masker};

/// Feeds the text in pieces; gives all that came out, and what came with each piece.
fn feed(masker: &Masker, pieces: &[&str]) -> (String, Vec<String>) {
    let mut stream = masker.stream();
    let mut shown: Vec<String> = pieces.iter().map(|piece| stream.feed(piece)).collect();
    shown.push(stream.finish());
    (shown.concat(), shown)
}

#[test]
fn a_value_that_comes_in_pieces_is_hidden() {
    let masker = Masker::new(["s3cr3t"]);
    let (all, shown) = feed(&masker, &["the s3", "cr", "3t!", " s3c"]);
    assert_eq!(all, format!("the {HIDDEN}! s3c"));
    assert_eq!(
        shown,
        ["the ", "", &format!("{HIDDEN}!"), " ", "s3c"].map(str::to_owned)
    );
}

#[test]
fn text_that_is_no_beginning_of_a_value_is_not_held_back() {
    let long = format!("k{}", "x".repeat(5000));
    let masker = Masker::new([long.as_str()]);
    let (_, shown) = feed(&masker, &["Hello, ", "how are you?", " ok", "."]);
    assert_eq!(
        shown,
        ["Hello, ", "how are you?", " o", "k.", ""].map(str::to_owned)
    );
}

#[test]
fn a_value_that_could_grow_into_a_longer_one_waits() {
    let masker = Masker::new(["abc", "abcdef"]);
    let (all, shown) = feed(&masker, &["abc", "de", "f"]);
    assert_eq!(all, HIDDEN);
    assert_eq!(shown[..2], [String::new(), String::new()]);
    assert_eq!(feed(&masker, &["abc", "de", "x"]).0, format!("{HIDDEN}dex"));
    assert_eq!(feed(&masker, &["abc"]).0, HIDDEN);
}

#[test]
fn without_values_all_passes_at_once() {
    let (all, shown) = feed(&Masker::default(), &["a", "", "b"]);
    assert_eq!((all.as_str(), shown.len()), ("ab", 4));
    assert_eq!(shown[0], "a");
}

/// Cuts a text at the given places, moved to the next character.
fn cut<'a>(text: &'a str, places: &[prop::sample::Index]) -> Vec<&'a str> {
    let mut ends: Vec<usize> = places
        .iter()
        .map(|place| text.ceil_char_boundary(place.index(text.len() + 1)))
        .collect();
    ends.push(text.len());
    ends.sort_unstable();
    let mut begin = 0;
    ends.iter()
        .map(|end| {
            let piece = text.get(begin..*end).unwrap();
            begin = *end;
            piece
        })
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn any_cutting_gives_the_same_text(
        values in prop::collection::vec("[abé]{1,5}", 0..6),
        text in "[abéx]{0,60}",
        places in prop::collection::vec(any::<prop::sample::Index>(), 0..30),
    ) {
        let masker = Masker::new(values.iter().map(String::as_str));
        let (all, _) = feed(&masker, &cut(&text, &places));
        prop_assert_eq!(&all, &masker.mask(&text));
    }

    #[test]
    fn at_most_one_byte_less_than_the_longest_value_is_held_back(
        values in prop::collection::vec("[ab]{1,6}", 1..4),
        text in "[abx]{0,40}",
    ) {
        let longest = values.iter().map(String::len).max().unwrap();
        let masker = Masker::new(values.iter().map(String::as_str));
        let mut stream = masker.stream();
        for letter in text.chars() {
            stream.feed(&letter.to_string());
            prop_assert!(stream.held.len() < longest);
        }
    }
}
