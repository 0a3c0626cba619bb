use std::sync::Arc;

use super::ByArc;

#[test]
fn a_value_is_found_by_the_thing_it_was_made_of_and_by_its_tag() {
    let cache = ByArc::<String, u32>::new(100);
    let (one, same_text) = (Arc::new("x".to_owned()), Arc::new("x".to_owned()));
    cache.round().keep(&one, 0, 1, 1);
    let mut round = cache.round();
    assert_eq!(round.find(&Arc::clone(&one), 0), Some(1));
    assert_eq!(round.find(&one, 1), None);
    assert_eq!(round.find(&same_text, 0), None);
}

#[test]
fn a_changed_thing_is_another_thing() {
    let cache = ByArc::<String, u32>::new(100);
    let mut thing = Arc::new("before".to_owned());
    cache.round().keep(&thing, 0, 1, 1);
    // Nobody else holds it, and still it moves, because the cache refers to it.
    Arc::make_mut(&mut thing).push('!');
    assert_eq!(cache.round().find(&thing, 0), None);
}

#[test]
fn what_no_longer_exists_or_is_no_longer_asked_for_is_forgotten() {
    let cache = ByArc::<String, u32>::new(100);
    let (kept, unused) = (Arc::new(String::new()), Arc::new(String::new()));
    let gone = Arc::new(String::new());
    {
        let mut round = cache.round();
        for thing in [&kept, &unused, &gone] {
            round.keep(thing, 0, 1, 10);
        }
    }
    drop(gone);
    for _ in 0..super::ROUNDS_KEPT {
        assert_eq!(cache.round().find(&kept, 0), Some(1));
    }
    let slots = cache.slots.lock();
    assert_eq!((slots.by_address.len(), slots.bytes), (1, 10));
}

#[test]
fn no_more_is_kept_than_there_is_room_for() {
    let cache = ByArc::<String, u32>::new(15);
    let things: Vec<_> = (0..3).map(|_| Arc::new(String::new())).collect();
    let mut round = cache.round();
    for thing in &things {
        round.keep(thing, 0, 1, 10);
    }
    // Keeping it again takes no further room.
    round.keep(&things[0], 0, 2, 5);
    drop(round);
    let mut round = cache.round();
    let found: Vec<_> = things.iter().map(|thing| round.find(thing, 0)).collect();
    assert_eq!(found, [Some(2), None, None]);
}
