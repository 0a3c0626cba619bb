use bytes::Bytes;

use super::*;

fn event(index: u64, size: usize) -> Arc<StoredEvent> {
    Arc::new(StoredEvent::read(
        index,
        "e".into(),
        Bytes::from(vec![b' '; size]),
    ))
}

#[test]
fn the_weight_stays_within_the_limit() {
    let mut cache = Cache::new(100_000);
    for index in 0..1_000 {
        cache.insert(event(index, 5_000));
        assert!(cache.weight() <= 100_000);
    }
    assert!(cache.get(999).is_some());
    assert!(cache.get(0).is_none());
}

#[test]
fn what_is_used_outlives_what_is_not() {
    let mut cache = Cache::new(100_000);
    for index in 0..200 {
        cache.insert(event(index, 5_000));
        assert!(cache.get(0).is_some(), "gone at {index}");
    }
    assert!(cache.get(1).is_none());
}

#[test]
fn one_event_larger_than_the_limit_is_kept_until_the_next() {
    let mut cache = Cache::new(1_000);
    cache.insert(event(0, 50_000));
    assert!(cache.get(0).is_some());
    cache.insert(event(1, 10));
    cache.insert(event(2, 10));
    assert!(cache.get(0).is_none());
    assert!(cache.weight() <= 1_000);
}

#[test]
fn large_events_can_be_dropped_alone() {
    let mut cache = Cache::new(1 << 20);
    for (index, size) in [(0, 100), (1, 30_000), (2, 100)] {
        cache.insert(event(index, size));
    }
    cache.drop_larger(20_000);
    assert!(cache.get(1).is_none());
    assert!(cache.get(0).is_some() && cache.get(2).is_some());
    let left = event(0, 100).weight() + event(2, 100).weight();
    assert_eq!(cache.weight(), left);
    cache.insert(event(1, 30_000));
    assert!(cache.get(1).is_some(), "it may come back");
}

#[test]
fn an_emptied_one_has_the_same_limit() {
    let mut cache = Cache::new(10_000);
    cache.insert(event(0, 5_000));
    let mut cache = cache.emptied();
    assert!(cache.get(0).is_none() && cache.weight() == 0);
    for index in 0..10 {
        cache.insert(event(index, 5_000));
    }
    assert!((1..=10_000).contains(&cache.weight()));
}
