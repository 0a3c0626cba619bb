use pretty_assertions::assert_eq;
use proptest::prelude::*;

use super::*;

fn item(title: &str, notes: &str, status: TaskStatus) -> TaskItem {
    TaskItem {
        title: title.to_owned(),
        notes: notes.to_owned(),
        status,
        ..TaskItem::default()
    }
}

#[test]
fn the_list_is_shown_with_marks_and_notes() {
    let list = TaskList {
        tasks: vec![
            item("Read", "", TaskStatus::Done),
            item("Write", "first\nsecond", TaskStatus::InProgress),
            item("Ship", "", TaskStatus::Todo),
        ],
        ..TaskList::default()
    };
    assert_eq!(
        list.show(),
        "# Task List\n\n1. ✅ Read\n\n2. 🔄 Write\n   first\nsecond\n\n3. ⏳ Ship"
    );
}

#[test]
fn the_file_is_ascii_and_comes_back() {
    let dir = tempfile::tempdir().unwrap();
    let tasks = vec![item(
        "漢字 🙂 \u{7f}",
        "l1\nl2 \"q\" \\",
        TaskStatus::InProgress,
    )];
    TaskList::load(Some(dir.path())).replace(tasks.clone());
    let text = fs::read_to_string(dir.path().join(FILE_NAME)).unwrap();
    assert_eq!(
        text,
        "[\n  {\n    \"title\": \"\\u6f22\\u5b57 \\ud83d\\ude42 \\u007f\",\n    \"notes\": \"l1\\nl2 \\\"q\\\" \\\\\",\n    \"status\": \"in_progress\"\n  }\n]"
    );
    assert_eq!(TaskList::load(Some(dir.path())).tasks(), tasks);
}

#[test]
fn a_missing_directory_is_made_on_the_first_plan() {
    let dir = tempfile::tempdir().unwrap();
    let below = dir.path().join("a/b");
    let mut list = TaskList::load(Some(&below));
    list.replace(vec![]);
    assert_eq!(fs::read_to_string(below.join(FILE_NAME)).unwrap(), "[]");
}

#[test]
fn a_corrupt_file_counts_as_empty_and_is_kept_aside() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join(FILE_NAME);
    for (number, broken) in [(1, "{not json"), (2, r#"[{"notes": "no title"}]"#)] {
        fs::write(&file, broken).unwrap();
        let mut list = TaskList::load(Some(dir.path()));
        assert!(list.tasks().is_empty());
        assert_eq!(fs::read_to_string(&file).unwrap(), broken);
        list.replace(vec![item("new", "", TaskStatus::Todo)]);
        list.replace(vec![item("newer", "", TaskStatus::Todo)]);
        let aside = dir.path().join(format!("TASKS.json.corrupt-{number}"));
        assert_eq!(fs::read_to_string(aside).unwrap(), broken);
        assert_eq!(TaskList::load(Some(dir.path())).tasks()[0].title, "newer");
    }
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 3);
}

#[test]
fn statuses_are_understood_in_many_spellings() {
    for (word, expected) in [
        ("todo", TaskStatus::Todo),
        ("TODO", TaskStatus::Todo),
        ("to-do", TaskStatus::Todo),
        ("Pending", TaskStatus::Todo),
        ("in progress", TaskStatus::InProgress),
        ("In-Progress", TaskStatus::InProgress),
        (" done ", TaskStatus::Done),
        ("COMPLETED", TaskStatus::Done),
        ("complete", TaskStatus::Done),
    ] {
        assert_eq!(status(&json!(word)).unwrap(), expected, "{word}");
    }
    for other in [json!("blocked"), json!(""), json!(1), json!(null)] {
        assert!(status(&other).is_err(), "{other}");
    }
}

#[test]
fn a_list_that_cannot_be_saved_still_holds() {
    let dir = tempfile::tempdir().unwrap();
    let blocker = dir.path().join("file");
    fs::write(&blocker, "").unwrap();
    let mut list = TaskList::load(Some(&blocker.join("below")));
    list.replace(vec![item("kept", "", TaskStatus::Todo)]);
    assert_eq!(list.tasks().len(), 1);
}

proptest! {
    #[test]
    fn any_text_survives_the_file(title in "\\PC{0,20}|[\0-\u{9f}]{0,10}", notes in any::<String>()) {
        let tasks = vec![item(&title, &notes, TaskStatus::Todo)];
        let text = encode(&tasks);
        prop_assert!(text.is_ascii());
        prop_assert_eq!(parse(text.as_bytes()), Some(tasks));
    }
}
