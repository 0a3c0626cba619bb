use pretty_assertions::assert_eq;

use super::{WORTH_BYTES, free_memory, give_back_heaps, keep_buffers, own_memory};

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

/// How often the kernel gave a page to this thread.
#[cfg(target_env = "gnu")]
fn pages_given() -> u64 {
    let counts = std::fs::read_to_string("/proc/thread-self/stat").unwrap();
    let (_, counts) = counts.rsplit_once(')').unwrap();
    let faults = counts.split_ascii_whitespace().nth(7).unwrap();
    faults.parse().unwrap()
}

#[cfg(target_env = "gnu")]
#[test]
fn buffers_that_come_and_go_are_not_asked_from_the_kernel_again() {
    keep_buffers();
    let fill = || {
        let buffers: Vec<Vec<u8>> = (0..4).map(|_| vec![1; 500_000]).collect();
        std::hint::black_box(&buffers);
    };
    fill();
    let before = pages_given();
    (0..20).for_each(|_| fill());
    let given = pages_given() - before;
    // Each time anew they would be nearly ten thousand.
    assert!(given < 500, "{given} pages");
}
