use std::path::{Path, PathBuf};

use axum::http::{HeaderMap, HeaderValue, header};

use super::{conversation_in, decoded, drop_hop_headers, encoded};

#[test]
fn paths_of_any_bytes_go_through_a_header() {
    for path in ["/w", "/a b/100%/é", "/new\nline"] {
        let text = encoded(Path::new(path));
        assert!(HeaderValue::try_from(&text).is_ok(), "{text}");
        assert_eq!(decoded(&text), Some(PathBuf::from(path)));
    }
    assert_eq!(decoded("relative"), None);
    assert_eq!(decoded("/cut%4"), None);
}

#[test]
fn headers_of_a_hop_are_dropped_and_others_stay() {
    let mut headers = HeaderMap::new();
    headers.insert(
        header::CONNECTION,
        HeaderValue::from_static("close, X-Mine"),
    );
    headers.insert("x-mine", HeaderValue::from_static("1"));
    headers.insert(
        header::TRANSFER_ENCODING,
        HeaderValue::from_static("chunked"),
    );
    headers.insert(header::RANGE, HeaderValue::from_static("bytes=0-1"));
    drop_hop_headers(&mut headers);
    assert_eq!(headers.len(), 1);
    assert!(headers.contains_key(header::RANGE));
}

#[test]
fn the_conversation_is_read_from_the_path() {
    let id = "0123456789abcdef0123456789abcdef";
    let path = format!("/api/conversations/{id}/bash/bash_events/search");
    assert_eq!(
        conversation_in(&path).map(openhands_protocol::ConversationId::hex),
        Some(id.to_owned())
    );
    assert_eq!(conversation_in("/api/conversations/x/bash"), None);
}
