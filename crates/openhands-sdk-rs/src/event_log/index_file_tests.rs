use openhands_protocol::event::Source;
use proptest::prelude::*;

use super::*;
use crate::event_log::header::Header;

fn sample(count: u64) -> (Vec<u8>, Vec<EventId>, Vec<Entry>) {
    let mut file = Vec::new();
    begin(&mut file);
    let mut index = Index::default();
    for at in 0..count {
        let parent = match at % 4 {
            0 => None,
            1 => Some(EventId::from(format!("id-{}", at - 1))),
            2 => Some(EventId::from(EventId::ROOT)),
            _ => Some(EventId::from("nowhere")),
        };
        let header = Header {
            parent,
            kind: Kind::new(if at % 2 == 0 {
                "MessageEvent"
            } else {
                "Sprout"
            }),
            source: [None, Some(Source::User), Some(Source::Hook)][(at % 3) as usize],
            time: (at % 5 > 0).then(|| "2026-11-15T19:07:54.170425".parse().unwrap()),
        };
        let header = if at % 7 == 6 {
            Err(String::new())
        } else {
            Ok(header)
        };
        let entry = index.entry(format!("id-{at}").into(), header);
        put_entry(&mut file, at, &entry);
        index.push(entry);
    }
    put_mark(
        &mut file,
        StateMark {
            len: count,
            fingerprint: 7,
        },
    );
    let ids = index
        .entries()
        .iter()
        .map(|entry| entry.id.clone())
        .collect();
    (file, ids, index.entries().to_vec())
}

#[test]
fn what_is_written_is_read() {
    let (file, ids, entries) = sample(40);
    let found = read(&file, &ids);
    assert!(found.whole);
    assert_eq!(
        found.mark,
        Some(StateMark {
            len: 40,
            fingerprint: 7
        })
    );
    assert_eq!(found.index.entries(), entries);
}

#[test]
fn a_file_cut_anywhere_gives_what_is_whole_before_the_cut() {
    let (file, ids, entries) = sample(12);
    for cut in 0..file.len() {
        let found = read(&file[..cut], &ids);
        let len = found.index.entries().len();
        assert_eq!(found.index.entries(), &entries[..len]);
    }
}

#[test]
fn another_event_in_the_directory_ends_what_is_believed() {
    let (file, mut ids, entries) = sample(12);
    ids[5] = "replaced".into();
    let found = read(&file, &ids);
    assert!(!found.whole);
    assert_eq!(found.index.entries(), &entries[..5]);
}

#[test]
fn an_event_noted_twice_counts_once() {
    let (mut file, ids, entries) = sample(6);
    put_entry(&mut file, 2, &entries[2]);
    let found = read(&file, &ids);
    assert!(found.whole);
    assert_eq!(found.index.entries(), entries);
}

proptest! {
    #[test]
    fn a_changed_byte_never_panics_and_never_lies(at in 0usize..4096, to in any::<u8>()) {
        let (mut file, ids, entries) = sample(20);
        let at = at % file.len();
        file[at] = to;
        let found = read(&file, &ids);
        let len = found.index.entries().len();
        prop_assert_eq!(found.index.entries(), &entries[..len]);
    }

    #[test]
    fn garbage_never_panics(garbage in proptest::collection::vec(any::<u8>(), 0..400)) {
        let mut file = Vec::new();
        begin(&mut file);
        file.extend_from_slice(&garbage);
        let (_, ids, _) = sample(3);
        let found = read(&file, &ids);
        prop_assert!(found.index.len() <= 3);
    }
}
