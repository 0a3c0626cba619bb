use openhands_protocol::message::Role;
use pretty_assertions::assert_eq;

use super::*;

#[test]
fn text_images_and_messages_count() {
    let request = ChatRequest::new([
        Message::text(Role::System, "a".repeat(400)),
        Message {
            role: Role::User,
            content: vec![
                "ä".repeat(40).into(),
                Content::image("data:image/png;base64,AAAA"),
            ],
            ..Message::default()
        },
    ]);
    assert_eq!(estimate_tokens(&request), (4 + 100) + (4 + 10 + 1000));
    assert_eq!(estimate_tokens(&ChatRequest::default()), 0);
}
