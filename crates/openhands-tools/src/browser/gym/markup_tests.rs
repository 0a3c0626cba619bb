//! Compared with what the reference's parts made of the same markup (recorded).

use super::tidy;
use crate::browser::gym::markdown;
use pretty_assertions::assert_eq;
use serde::Deserialize;

#[derive(Deserialize)]
struct Case {
    markup: String,
    tidy: String,
    text: String,
}

fn cases() -> Vec<Case> {
    serde_json::from_str(include_str!("../../../tests/fixtures/gym/markup.json")).unwrap()
}

#[test]
fn markup_is_read_and_laid_out_as_recorded() {
    for case in cases() {
        assert_eq!(tidy(&case.markup), case.tidy, "of {:?}", case.markup);
    }
}

#[test]
fn laid_out_markup_becomes_the_recorded_text() {
    for case in cases() {
        assert_eq!(
            markdown::from_markup(&case.tidy),
            case.text,
            "of {:?}",
            case.markup
        );
    }
}
