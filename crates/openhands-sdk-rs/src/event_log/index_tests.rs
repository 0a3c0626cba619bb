use super::*;

fn header(parent: Option<&str>, kind: &str) -> Header {
    Header {
        parent: parent.map(EventId::from),
        kind: Kind::new(kind),
        ..Header::default()
    }
}

fn index(events: &[(&str, Option<&str>, &str)]) -> Index {
    let mut index = Index::default();
    for (id, parent, kind) in events {
        let entry = index.entry((*id).into(), Ok(header(*parent, kind)));
        index.push(entry);
    }
    index
}

fn up(index: &Index, leaf: &str) -> Vec<u64> {
    index.up(index.find(&leaf.into())).collect()
}

#[test]
fn events_without_parent_chain_in_order() {
    let index = index(&[
        ("a", None, "PauseEvent"),
        ("b", None, "PauseEvent"),
        ("c", None, "PauseEvent"),
    ]);
    assert_eq!(up(&index, "c"), [2, 1, 0]);
}

#[test]
fn branches_part_at_their_common_parent() {
    let index = index(&[
        ("a", None, "PauseEvent"),
        ("b", Some("a"), "PauseEvent"),
        ("c", Some("a"), "PauseEvent"),
        ("r", Some(EventId::ROOT), "PauseEvent"),
        ("d", Some("r"), "PauseEvent"),
    ]);
    assert_eq!(up(&index, "b"), [1, 0]);
    assert_eq!(up(&index, "c"), [2, 0]);
    assert_eq!(up(&index, "d"), [4, 3]);
}

#[test]
fn a_parent_that_is_no_earlier_event_starts_a_root_and_is_reported() {
    let mut index = index(&[("a", None, "PauseEvent")]);
    for parent in ["itself", "later"] {
        let id: EventId = if parent == "itself" {
            "itself".into()
        } else {
            "x".into()
        };
        let at = index.len();
        let entry = index.entry(id, Ok(header(Some(parent), "PauseEvent")));
        let problem = index.push(entry);
        assert_eq!(
            problem,
            Some(Problem::BrokenParent {
                index: at,
                parent: parent.into()
            })
        );
        assert_eq!(index.up(Some(at)).collect::<Vec<_>>(), [at]);
    }
}

#[test]
fn the_first_of_two_events_with_one_id_is_found() {
    let mut index = index(&[("a", None, "PauseEvent"), ("b", None, "PauseEvent")]);
    let again = index.entry("a".into(), Ok(header(None, "PauseEvent")));
    assert_eq!(
        index.push(again),
        Some(Problem::SameId {
            index: 2,
            id: "a".into()
        })
    );
    assert_eq!(index.find(&"a".into()), Some(0));
    assert_eq!(index.len(), 3);
}

#[test]
fn news_on_the_tail_is_not_the_head_of_an_old_log() {
    let index = index(&[
        ("a", None, "MessageEvent"),
        ("b", Some("a"), "ConversationErrorEvent"),
        ("c", Some("a"), "ConversationStateUpdateEvent"),
    ]);
    assert_eq!(index.last_of_tree(), Some(&"a".into()));
}
