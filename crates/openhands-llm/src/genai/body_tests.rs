use std::cell::Cell;
use std::sync::Arc;

use bytes::Bytes;
use openhands_protocol::message::{Message, Role};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use super::{Body, Renders, list, room};

#[test]
fn members_come_in_order_and_the_last_of_a_name_counts() {
    let mut body = Body::default();
    body.set("model", "m");
    body.set_text(
        "messages",
        list([
            Bytes::from_static(b"1"),
            Bytes::new(),
            Bytes::from_static(b"2,3"),
        ]),
    );
    body.set("temperature", 0.5);
    body.extend(json!({"model": "other", "x\"y": null}).as_object().unwrap());
    let text = String::from_utf8(body.into_bytes()).unwrap();
    assert_eq!(
        text,
        r#"{"model":"other","messages":[1,2,3],"temperature":0.5,"x\"y":null}"#
    );
}

#[test]
fn a_user_may_replace_even_the_messages() {
    let mut body = Body::default();
    body.set_text("messages", list([Bytes::from_static(b"1")]));
    body.extend(json!({"messages": []}).as_object().unwrap());
    assert_eq!(body.into_bytes(), br#"{"messages":[]}"#);
}

#[test]
fn a_message_is_written_once_for_each_way_of_writing_it() {
    let renders = Renders::default();
    let written = Cell::new(0);
    let messages: Vec<_> = (0..3)
        .map(|_| Arc::new(Message::text(Role::User, "x")))
        .collect();
    let write = |_: &Message, tag: u8| {
        written.set(written.get() + 1);
        vec![Value::from(tag), Value::from("part")]
    };
    let first = renders.messages(&messages, |at| u8::from(at == 2), write);
    assert_eq!(first, ["0,\"part\"", "0,\"part\"", "1,\"part\""]);
    assert_eq!(written.get(), 3);
    // The next call has one more, and the mark has moved.
    let mut longer = messages.clone();
    longer.push(Arc::new(Message::text(Role::User, "x")));
    renders.messages(&longer, |at| u8::from(at == 3), write);
    assert_eq!(written.get(), 5);
}

#[test]
fn bodies_that_grow_a_little_need_the_same_room() {
    assert_eq!(room(5_000), 5_000);
    let rooms: std::collections::HashSet<usize> =
        (70_000..120_000).step_by(700).map(room).collect();
    assert_eq!(rooms, [128 << 10].into());
    assert!(
        (0..1_000_000)
            .step_by(999)
            .all(|bytes| room(bytes) >= bytes)
    );
}
