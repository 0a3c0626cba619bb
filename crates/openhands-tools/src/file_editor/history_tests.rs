use proptest::prelude::*;

use super::*;

fn history() -> History {
    History::with_budget(BUDGET_BYTES)
}

fn undo(history: &mut History, file: &Path) -> Option<Vec<u8>> {
    let newest = history.newest(file)?.to_vec();
    history.pop(file);
    Some(newest)
}

#[test]
fn contents_come_back_newest_first_and_only_ten_of_them() {
    let mut history = history();
    let file = Path::new("/f");
    for version in 0..12 {
        history.push(file, format!("version {version}").into_bytes());
    }
    for version in (2..12).rev() {
        let expected = format!("version {version}").into_bytes();
        assert_eq!(undo(&mut history, file), Some(expected));
    }
    assert_eq!(undo(&mut history, file), None);
}

#[test]
fn files_have_histories_of_their_own() {
    let mut history = history();
    history.push(Path::new("/a"), b"a".to_vec());
    history.push(Path::new("/b"), b"b".to_vec());
    assert_eq!(undo(&mut history, Path::new("/a")), Some(b"a".to_vec()));
    assert_eq!(undo(&mut history, Path::new("/a")), None);
    assert_eq!(undo(&mut history, Path::new("/b")), Some(b"b".to_vec()));
}

#[test]
fn ten_small_edits_of_a_large_file_cost_about_one_copy() {
    let mut history = history();
    let file = Path::new("/large");
    let mut content = vec![b'x'; 1 << 20];
    for at in 0..10 {
        history.push(file, content.clone());
        content[at * 100_000] = b'y';
    }
    assert!(history.size() < (1 << 20) + 1000, "{}", history.size());
}

#[test]
fn the_budget_is_kept_at_the_cost_of_the_file_edited_longest_ago() {
    let mut history = History::with_budget(1000);
    for name in ["/a", "/b", "/c"] {
        history.push(Path::new(name), vec![b'x'; 400]);
    }
    assert!(history.size() <= 1000);
    assert_eq!(history.newest(Path::new("/a")), None);
    assert!(history.newest(Path::new("/b")).is_some());
    assert!(history.newest(Path::new("/c")).is_some());
}

#[test]
fn the_last_edit_can_be_undone_even_above_the_budget() {
    let mut history = History::with_budget(10);
    let file = Path::new("/a");
    history.push(file, vec![b'x'; 100]);
    history.push(file, vec![b'y'; 200]);
    assert_eq!(undo(&mut history, file), Some(vec![b'y'; 200]));
    assert_eq!(undo(&mut history, file), None);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn any_sequence_of_contents_comes_back_exactly(
        contents in prop::collection::vec(prop::collection::vec(0u8..3, 0..9000), 1..8),
    ) {
        let mut history = history();
        let file = Path::new("/f");
        for content in &contents {
            history.push(file, content.clone());
        }
        for content in contents.iter().rev() {
            let undone = undo(&mut history, file);
            prop_assert_eq!(undone.as_ref(), Some(content));
        }
    }
}
