//! How the id of an element names the frames around it.

use super::*;

#[test]
fn letters_name_the_frames_around_an_element() {
    let named = [
        ("", vec![]),
        ("12", vec![]),
        ("a12", vec!["a"]),
        ("ab12", vec!["a", "ab"]),
        ("aAB12", vec!["aAB"]),
        ("abDb123", vec!["a", "abD", "abDb"]),
        ("a", vec!["a"]),
        ("1.5", vec!["1", "1."]),
        ("é漢1", vec!["é", "é漢"]),
    ];
    for (bid, expected) in named {
        assert_eq!(frame_bids(bid), expected, "{bid}");
    }
}
