use bytes::Bytes;
use openhands_protocol::{EventId, Form};
use pretty_assertions::assert_eq;

use super::*;
use crate::view::events_for_tests::{agent, user};

fn stored(events: impl IntoIterator<Item = Event>) -> Vec<Arc<StoredEvent>> {
    events
        .into_iter()
        .zip(0..)
        .map(|(event, index)| {
            let id: EventId = event.id().unwrap();
            let json = Bytes::from(Form::SOCKET.to_vec(&event).unwrap());
            Arc::new(StoredEvent::written(index, id, json, event))
        })
        .collect()
}

fn ids(branch: &Branch) -> Vec<String> {
    let recent = branch.recent();
    recent
        .into_iter()
        .map(|event| event.id().unwrap().to_string())
        .collect()
}

#[test]
fn the_latest_events_begin_with_the_last_words_of_the_user() {
    let events = stored([
        user("u1", "go"),
        agent("a1", "done"),
        user("u2", "again"),
        agent("a2", "done"),
    ]);
    assert_eq!(ids(&Branch::of(&events)), ["u2", "a2"]);
}

#[test]
fn an_image_is_open_until_the_agent_answers_or_the_user_says_something_else() {
    let mut image = user("u1", "What is this?");
    let Event::Message(message) = &mut image else {
        unreachable!("it is a message");
    };
    let parts = &mut message.llm_message.content;
    parts.push(Content::image("data:image/png;base64,AAAA"));
    let open = |events: &[Event]| Branch::of(&stored(events.to_vec())).has_open_image();
    assert!(open(&[user("u0", "hello"), image.clone()]));
    assert!(!open(&[user("u0", "hello")]));
    assert!(!open(&[image.clone(), agent("a1", "a cat")]));
    assert!(!open(&[image, user("u2", "never mind")]));
}

#[test]
fn at_rest_the_latest_events_are_texts_and_say_the_same() {
    let mut branch = Branch::of(&stored([user("u1", "go"), agent("a1", "done")]));
    let before: Vec<Event> = branch.recent().into_iter().cloned().collect();
    branch.rest();
    assert!(branch.recent.iter().all(|stored| !stored.is_decoded()));
    let after: Vec<Event> = branch.recent().into_iter().cloned().collect();
    assert_eq!(after, before);
}
