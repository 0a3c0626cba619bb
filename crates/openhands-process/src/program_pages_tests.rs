use pretty_assertions::assert_eq;

use super::*;

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
    let parts = unchanged_parts(MAPPINGS.as_bytes(), Path::new("/opt/server"));
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
