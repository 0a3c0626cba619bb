use std::borrow::Cow;
use std::fs;

use proptest::prelude::*;
use serde_json::Value;

use super::*;

fn alphabet(length: usize) -> String {
    ('a'..='z').cycle().take(length).collect()
}

const RECORDED: &str = include_str!("../tests/fixtures/tool-cases/truncation_and_text_calls.json");

#[test]
fn recorded_truncations_are_met() {
    let file: Value = serde_json::from_str(RECORDED).unwrap();
    let cases: Vec<&Value> = file["cases"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|case| case["id"].as_str().unwrap().starts_with("truncate-"))
        .collect();
    assert!(!cases.is_empty());
    for case in cases {
        let number = |value: &Value| usize::try_from(value.as_u64().unwrap()).unwrap();
        let text = alphabet(number(&case["input"]["length"]));
        let notice = case["notice"].as_str().unwrap_or(DEFAULT_NOTICE);
        let cut = truncate_middle(&text, number(&case["limit"]), notice);
        let expected = &case["expect"]["text"];
        if let Some(expected) = expected.as_str() {
            assert_eq!(cut, expected, "{}", case["id"]);
        } else {
            let hash = format!("{:x}", Sha256::digest(cut.as_bytes()));
            assert_eq!(
                cut.chars().count(),
                number(&expected["$len"]),
                "{}",
                case["id"]
            );
            assert_eq!(
                hash,
                expected["$sha256"].as_str().unwrap(),
                "{}",
                case["id"]
            );
        }
    }
}

#[test]
fn text_within_the_limit_is_borrowed_unchanged() {
    let text = alphabet(20);
    assert!(
        matches!(truncate_middle(&text, 20, DEFAULT_NOTICE), Cow::Borrowed(same) if same == text)
    );
}

#[test]
fn zero_limit_means_no_limit() {
    assert_eq!(truncate_middle("abcdefghij", 0, "[cut]"), "abcdefghij");
}

#[test]
fn the_odd_character_goes_to_the_head() {
    assert_eq!(
        truncate_middle(&alphabet(101), 50, "[cut]"),
        "abcdefghijklmnopqrstuvw[cut]bcdefghijklmnopqrstuvw"
    );
}

#[test]
fn a_notice_longer_than_the_limit_is_cut_itself() {
    assert_eq!(truncate_middle("abcdefghij", 3, "[cut]"), "[cu");
    assert_eq!(truncate_middle("abcdefghij", 5, "[cut]"), "[cut]");
}

#[test]
fn characters_are_counted_not_bytes() {
    let text = "漢".repeat(30);
    assert_eq!(truncate_middle(&text, 30, "[cut]"), text);
    let cut = truncate_middle(&text, 29, "[cut]");
    assert_eq!(cut, format!("{}[cut]{}", "漢".repeat(12), "漢".repeat(12)));
}

#[test]
fn full_text_is_saved_once_and_named_with_the_line_of_the_cut() {
    let dir = tempfile::tempdir().unwrap();
    let save_dir = dir.path().join("observations");
    let text = "0123456789\n".repeat(100);
    let save = SaveFull {
        dir: &save_dir,
        prefix: "terminal",
    };
    let cut = truncate_middle_saving(&text, 600, DEFAULT_NOTICE, Some(save));
    assert_eq!(cut.chars().count(), 600);
    let files: Vec<_> = fs::read_dir(&save_dir)
        .unwrap()
        .map(|e| e.unwrap().path())
        .collect();
    assert_eq!(files.len(), 1);
    assert_eq!(fs::read_to_string(&files[0]).unwrap(), text);
    let name = files[0].file_name().unwrap().to_str().unwrap();
    assert!(name.starts_with("terminal_output_") && name.len() == "terminal_output_".len() + 12);
    assert!(cut.contains(&format!("saved to {} - ", files[0].display())));
    // The head before the cut has (600 - 113) / 2 rounded up = 244 characters: 23 lines, the last one partial.
    assert!(cut.contains("starts around line 24)"), "{cut}");

    let changed = fs::metadata(&files[0]).unwrap().modified().unwrap();
    truncate_middle_saving(&text, 600, DEFAULT_NOTICE, Some(save));
    assert_eq!(
        fs::metadata(&files[0]).unwrap().modified().unwrap(),
        changed
    );
}

#[test]
fn an_unwritable_save_directory_falls_back_to_the_plain_notice() {
    let dir = tempfile::tempdir().unwrap();
    let blocker = dir.path().join("file");
    fs::write(&blocker, "").unwrap();
    let save = SaveFull {
        dir: &blocker.join("sub"),
        prefix: "x",
    };
    let text = alphabet(400);
    let cut = truncate_middle_saving(&text, 200, DEFAULT_NOTICE, Some(save));
    assert_eq!(cut, truncate_middle(&text, 200, DEFAULT_NOTICE));
}

proptest! {
    #[test]
    fn the_result_has_exactly_the_limit_and_keeps_both_ends(
        text in "\\PC{0,200}", limit in 0usize..150, notice in "\\PC{0,20}",
    ) {
        let chars = text.chars().count();
        let cut = truncate_middle(&text, limit, &notice);
        if limit == 0 || chars <= limit {
            prop_assert_eq!(cut.as_ref(), text.as_str());
        } else {
            prop_assert_eq!(cut.chars().count(), limit);
            let noticed = notice.chars().count();
            if noticed < limit {
                let head = (limit - noticed).div_ceil(2);
                let expected: String = text.chars().take(head).collect();
                prop_assert!(cut.starts_with(&expected));
                let tail = limit - noticed - head;
                let expected: String = text.chars().skip(chars - tail).collect();
                prop_assert!(cut.ends_with(&expected));
            }
        }
    }
}
