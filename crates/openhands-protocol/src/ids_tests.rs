use pretty_assertions::assert_eq;

use super::*;

const DASHED: &str = "10f30742-0c8f-4410-8821-003aae4a7859";
const HEX: &str = "10f307420c8f44108821003aae4a7859";

#[test]
fn conversation_id_reads_both_forms_and_shows_the_dashed_one() {
    let from_dashed: ConversationId = DASHED.parse().unwrap();
    let from_hex: ConversationId = HEX.parse().unwrap();
    assert_eq!(from_dashed, from_hex);
    assert_eq!(from_hex.to_string(), DASHED);
    assert_eq!(from_hex.hex(), HEX);
    assert_eq!(
        serde_json::to_string(&from_hex).unwrap(),
        format!("{DASHED:?}")
    );
    let read: ConversationId = serde_json::from_str(&format!("{HEX:?}")).unwrap();
    assert_eq!(read, from_hex);
}

#[test]
fn bash_event_id_shows_the_hex_form() {
    let id: BashEventId = DASHED.parse().unwrap();
    assert_eq!(id.to_string(), HEX);
    assert_eq!(id.dashed(), DASHED);
}

#[test]
fn text_that_is_no_uuid_is_refused_as_conversation_id() {
    assert!("not-a-uuid".parse::<ConversationId>().is_err());
    assert!(serde_json::from_str::<ConversationId>("17").is_err());
}

#[test]
fn event_id_keeps_any_text() {
    let id: EventId = serde_json::from_str("\"call_1/odd id\"").unwrap();
    assert_eq!(id, "call_1/odd id");
    assert_eq!(serde_json::to_string(&id).unwrap(), "\"call_1/odd id\"");
}

#[test]
fn fresh_event_ids_are_dashed_uuids_and_differ() {
    let (a, b) = (EventId::random(), EventId::random());
    assert_ne!(a, b);
    let parsed: ConversationId = a.as_str().parse().unwrap();
    assert_eq!(parsed.dashed(), a.as_str());
}

#[test]
fn copies_of_a_text_id_share_its_text() {
    let id = EventId::random();
    assert!(std::ptr::eq(id.as_str(), id.clone().as_str()));
    assert!(DASHED.len() == id.as_str().len() && id.as_str().parse::<ConversationId>().is_ok());
    assert!(serde_json::from_str::<ToolCallId>("17").is_err());
}
