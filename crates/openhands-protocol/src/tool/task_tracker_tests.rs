use super::*;

#[test]
fn other_words_for_a_status_are_understood() {
    for (word, status) in [
        ("todo", TaskStatus::Todo),
        ("Pending", TaskStatus::Todo),
        ("TO-DO", TaskStatus::Todo),
        ("in progress", TaskStatus::InProgress),
        ("In-Progress", TaskStatus::InProgress),
        ("completed", TaskStatus::Done),
        (" complete ", TaskStatus::Done),
        ("DONE", TaskStatus::Done),
    ] {
        assert_eq!(word.parse(), Ok(status), "{word:?}");
    }
    assert!("finished".parse::<TaskStatus>().is_err());
}
