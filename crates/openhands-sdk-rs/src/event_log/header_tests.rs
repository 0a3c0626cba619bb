use openhands_protocol::event::Source;

use super::*;

const PAUSE: &str = r#"{"id":"e1","timestamp":"2026-11-15T19:07:54.170425","source":"user","parent_id":"p","kind":"PauseEvent"}"#;

#[test]
fn the_peeked_header_is_that_of_the_decoded_event() {
    let peeked = Header::peek(PAUSE.as_bytes()).unwrap();
    assert_eq!(
        peeked,
        Header::of(&Event::from_slice(PAUSE.as_bytes()).unwrap())
    );
    assert_eq!(peeked.source, Some(Source::User));
    assert_eq!(peeked.kind.as_str(), "PauseEvent");
    assert_eq!(peeked.parent, Some("p".into()));
}

#[test]
fn text_that_is_not_one_whole_object_has_no_header() {
    for text in [
        &b""[..],
        b"{",
        b"[]",
        b"null",
        b"{} {}",
        b"{\"kind\":\"PauseEvent\"",
        b"{\"body\":\"\xff\"}",
        b"\0\0\0\0",
    ] {
        assert!(Header::peek(text).is_err(), "{text:?}");
    }
}

#[test]
fn members_of_another_type_say_nothing() {
    let header = Header::peek(br#"{"kind":7,"source":{},"timestamp":"soon","parent_id":[]}"#);
    assert_eq!(header, Ok(Header::default()));
}
