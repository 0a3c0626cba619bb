use std::path::Path;

use pretty_assertions::assert_eq;

use super::{
    WORTH_BYTES, free_memory, give_back_heaps, give_back_program, own_memory, unchanged_parts,
};

const MAPPINGS: &str = "\
1000-3000 r--p 00000000 fe:00 12 /opt/server
Size:                  8 kB
Rss:                   8 kB
Anonymous:             0 kB
VmFlags: rd mr mw me
3000-8000 r-xp 00002000 fe:00 12 /opt/server
Rss:                  20 kB
Anonymous:             0 kB
8000-9000 r--p 00007000 fe:00 12 /opt/server
Rss:                   4 kB
Anonymous:             4 kB
9000-a000 rw-p 00008000 fe:00 12 /opt/server
Anonymous:             0 kB
a000-b000 r-xp 00000000 fe:00 13 /lib/libc.so.6
Anonymous:             0 kB
b000-c000 r-xp 00000000 00:00 0 [vdso]
Anonymous:             0 kB
";

#[test]
fn only_unchanged_parts_of_the_program_are_meant() {
    let parts = unchanged_parts(MAPPINGS, Path::new("/opt/server"));
    assert_eq!(parts, [(0x1000, 0x2000), (0x3000, 0x5000)]);
}

#[test]
fn the_program_runs_on_without_its_pages() {
    let text = "what is computed before is computed after";
    let before = format!("{text:?}").to_uppercase();
    give_back_program();
    assert_eq!(format!("{text:?}").to_uppercase(), before);
    assert!(std::panic::catch_unwind(|| panic!("tables of unwinding are read again")).is_err());
}

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
