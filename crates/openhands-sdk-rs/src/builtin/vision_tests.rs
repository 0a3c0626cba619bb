use super::*;
use pretty_assertions::assert_eq;

fn with_images(role: Role, urls: &[&str]) -> Arc<Message> {
    let mut message = Message::text(role, "look");
    for url in urls {
        message.content.push(Content::image(*url));
    }
    Arc::new(message)
}

#[test]
fn only_the_last_message_with_images_is_put_into_words() {
    let mut messages = vec![
        with_images(Role::User, &["data:1"]),
        with_images(Role::User, &["data:2", "data:3"]),
        with_images(Role::Assistant, &["data:4"]),
        with_images(Role::User, &[]),
    ];
    let before = messages.clone();
    refer_to_images(&mut messages);
    assert_eq!(messages[0], before[0]);
    assert_eq!(messages[2..], before[2..]);
    let texts: Vec<_> = messages[1]
        .content
        .iter()
        .filter_map(Content::as_text)
        .collect();
    assert_eq!(texts.len(), 3);
    assert!(texts[1].contains("image_index=0"), "{texts:?}");
    assert!(texts[2].contains("image_index=1"), "{texts:?}");
    assert_eq!(images(&messages[1]), Vec::<String>::new());
    // The view keeps what it had.
    assert_eq!(images(&before[1]), ["data:2", "data:3"]);
}

#[test]
fn an_empty_question_and_a_negative_index_are_refused() {
    let arguments = json!({"image_index": -1, "question": ""});
    let error = decode(arguments.as_object().unwrap()).unwrap_err();
    let kinds: Vec<_> = error.errors.iter().map(|it| it.kind).collect();
    assert_eq!(kinds, ["greater_than_equal", "string_too_short"]);
}
