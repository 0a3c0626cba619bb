use pretty_assertions::assert_eq;

use super::{WORTH_BYTES, free_memory, give_back_heaps, own_memory};

#[cfg(target_env = "gnu")]
#[test]
fn what_a_crowd_has_freed_is_given_back_although_some_of_it_stays() {
    let before = own_memory().unwrap();
    let mut crowd: Vec<Vec<u8>> = (0..64 << 10).map(|_| vec![1; 1 << 10]).collect();
    // While it is there, nothing is free, and nothing is remembered that would keep it from being given back later.
    give_back_heaps();
    assert!(free_memory() < WORTH_BYTES);
    // One of many stays, wherever it is: also at the end, where it keeps the heap from becoming shorter.
    let mut number = 0;
    crowd.retain(|_| {
        number += 1;
        number % 64 == 0
    });
    assert!(free_memory() > 2 * WORTH_BYTES);
    give_back_heaps();
    assert!(own_memory().unwrap() < before + WORTH_BYTES);
    assert_eq!(crowd.len(), 1 << 10);
}
