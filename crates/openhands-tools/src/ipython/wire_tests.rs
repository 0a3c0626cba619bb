use super::*;
use jupyter_protocol::{ExecuteRequest, JupyterMessageContent as Content};

fn signer() -> Signer {
    Signer::new("a key").unwrap()
}

/// Frames as a kernel would send them, signed with this key.
fn frames(key: &str, header: &str, parent: &str, content: &[u8]) -> ZmqMessage {
    let mut mac = Signer::new(key).unwrap().mac;
    for part in [header.as_bytes(), parent.as_bytes(), b"{}", content] {
        mac.update(part);
    }
    let signature = hex(&mac.finalize().into_bytes());
    let parts: Vec<Bytes> = [
        b"a topic".as_slice(),
        DELIMITER,
        signature.as_bytes(),
        header.as_bytes(),
        parent.as_bytes(),
        b"{}",
        content,
    ]
    .into_iter()
    .map(Bytes::copy_from_slice)
    .collect();
    ZmqMessage::try_from(parts).unwrap()
}

#[test]
fn what_is_sent_can_be_received() {
    let request = JupyterMessage::new(ExecuteRequest::new("1 + 1".to_owned()), None);
    let received = signer()
        .decode(&signer().encode(&request).unwrap())
        .unwrap();
    assert_eq!(received.parent, "");
    let Content::ExecuteRequest(request) = received.content else {
        panic!("{:?}", received.content);
    };
    assert_eq!(request.code, "1 + 1");
}

#[test]
fn a_message_of_another_key_is_refused() {
    let header = r#"{"msg_type": "status"}"#;
    let content = br#"{"execution_state": "idle"}"#;
    let error = signer()
        .decode(&frames("another key", header, "{}", content))
        .unwrap_err();
    assert!(matches!(error, WireError::Signature), "{error}");
}

#[test]
fn missing_frames_and_bad_signatures_are_errors() {
    let short = ZmqMessage::from("no delimiter");
    assert!(matches!(signer().decode(&short), Err(WireError::Frames)));
    let parts = [DELIMITER, b"zz", b"{}", b"{}", b"{}", b"{}"];
    let parts: Vec<Bytes> = parts.into_iter().map(Bytes::copy_from_slice).collect();
    let odd = ZmqMessage::try_from(parts).unwrap();
    assert!(matches!(signer().decode(&odd), Err(WireError::Signature)));
}

#[test]
fn text_that_is_no_unicode_is_received_with_marks_in_its_place() {
    let header = r#"{"msg_type": "stream"}"#;
    let content = b"{\"name\": \"stdout\", \"text\": \"a\xed\xa0\x80b\"}";
    let parent = r#"{"msg_id": "the request"}"#;
    let received = signer()
        .decode(&frames("a key", header, parent, content))
        .unwrap();
    assert_eq!(received.parent, "the request");
    let Content::StreamContent(stream) = received.content else {
        panic!("{:?}", received.content);
    };
    assert!(stream.text.starts_with('a') && stream.text.ends_with('b'));
}

#[test]
fn content_that_does_not_fit_its_kind_is_kept() {
    let header = r#"{"msg_type": "execute_reply"}"#;
    let content = br#"{"status": "ok", "payload": [{"source": "a new one"}]}"#;
    let received = signer()
        .decode(&frames("a key", header, "{}", content))
        .unwrap();
    let Content::UnknownMessage(unknown) = received.content else {
        panic!("{:?}", received.content);
    };
    assert_eq!(unknown.msg_type, "execute_reply");
    assert_eq!(unknown.content["status"], "ok");
}
