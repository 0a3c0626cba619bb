use super::*;

fn keep(shown: &Shown, id: ConversationId, size: usize) -> usize {
    let key = Key {
        version: (0, 0),
        catalog: 0,
        runtime: ConversationRuntimeInfo::default(),
    };
    shown.keep(id, key, Bytes::from(vec![b' '; size]));
    let kept = shown.0.lock();
    assert!(kept.contains_key(&id));
    kept.values().map(|(_, json)| json.len()).sum()
}

#[test]
fn many_long_ones_take_no_more_than_the_bound() {
    let shown = Shown::default();
    for _ in 0..100 {
        assert!(keep(&shown, ConversationId::random(), 100_000) <= MAX_KEPT_BYTES);
    }
    assert_eq!(keep(&shown, ConversationId::random(), 3 << 20), 3 << 20);
    assert!(keep(&shown, ConversationId::random(), 100) <= MAX_KEPT_BYTES);
}

#[test]
fn of_many_short_ones_few_are_kept() {
    let shown = Shown::default();
    for _ in 0..100 {
        assert!(keep(&shown, ConversationId::random(), 4_000) <= MAX_KEPT * 4_000);
    }
}

#[test]
fn one_that_grows_takes_nobody_elses_place() {
    let shown = Shown::default();
    keep(&shown, ConversationId::random(), 1_000);
    let growing = ConversationId::random();
    for size in [400_000, 500_000, 600_000] {
        assert_eq!(keep(&shown, growing, size), 1_000 + size);
    }
}
