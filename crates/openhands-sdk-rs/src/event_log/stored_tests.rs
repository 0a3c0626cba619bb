use super::*;

fn read(json: &str) -> StoredEvent {
    StoredEvent::read(3, "e1".into(), Bytes::copy_from_slice(json.as_bytes()))
}

#[test]
fn bytes_are_decoded_when_the_event_is_asked_for() {
    let stored = read(r#"{"id":"e1","source":"user","kind":"PauseEvent"}"#);
    assert!(stored.event.get().is_none());
    assert_eq!(stored.event().kind(), "PauseEvent");
    assert!(stored.event.get().is_some());
}

#[test]
fn json_beyond_decoding_is_an_unknown_event_and_its_bytes_stay() {
    let deep = format!(
        r#"{{"id":"e1","kind":"X","a":{}{}}}"#,
        "[".repeat(500),
        "]".repeat(500)
    );
    for json in [deep.as_str(), r#"{"id":"e1","kind":"X","a":1e999}"#] {
        let stored = read(json);
        assert_eq!(stored.event().id(), Some("e1".into()));
        assert_eq!(stored.json(), json.as_bytes());
    }
}

#[test]
fn what_is_kept_is_the_text_without_its_decoded_form() {
    let json = r#"{"id":"e1","source":"user","kind":"PauseEvent"}"#;
    let event = read(json).event().clone();
    let stored = StoredEvent::written(3, "e1".into(), Bytes::from_static(json.as_bytes()), event);
    let kept = stored.kept();
    assert!(kept.event.get().is_none());
    assert!(std::ptr::eq(kept.json().as_ptr(), stored.json().as_ptr()));
    assert_eq!((kept.index(), kept.event().kind()), (3, "PauseEvent"));
}
