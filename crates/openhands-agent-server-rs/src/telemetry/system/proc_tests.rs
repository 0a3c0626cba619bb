use pretty_assertions::assert_eq;

use super::*;

#[test]
fn memory_is_read_in_bytes() {
    let text = "MemTotal:       16000 kB\nMemFree:          100 kB\nMemAvailable:    8000 kB\n";
    let expected = Memory {
        total: 16_384_000,
        available: 8_192_000,
    };
    assert_eq!(parse_memory(text), Some(expected));
    assert_eq!(parse_memory("MemTotal: 5 kB"), None);
}

#[test]
fn the_share_of_processors_is_between_two_looks() {
    let before = parse_cpu("cpu  100 0 100 700 100 0 0 0 50 0\ncpu0 1 1").unwrap();
    let after = parse_cpu("cpu  150 0 125 750 125 0 0 50 50 0\n").unwrap();
    assert!((before.used_until(after) - 62.5).abs() < 0.01);
    assert!(before.used_until(before) < f64::EPSILON);
    assert_eq!(parse_cpu("intr 5"), None);
}

#[test]
fn a_strange_name_of_the_program_does_not_matter() {
    let stat =
        "7 (a) b (c) S 1 7 7 0 -1 4194560 900 0 0 0 250 150 0 0 20 0 9 0 500 99999 300 184 1 1";
    let own = parse_own(stat, 4096, 100).unwrap();
    assert_eq!(own.resident_bytes, 300 * 4096);
    assert_eq!(own.virtual_bytes, 99999);
    assert!((own.cpu_seconds - 4.0).abs() < f64::EPSILON);
    assert_eq!(own.threads, 9);
}

#[test]
fn reading_and_writing_of_disks_is_told_in_bytes() {
    let text = "rchar: 9\nwchar: 9\nread_bytes: 4096\nwrite_bytes: 12\ncancelled_write_bytes: 7\n";
    let expected = OwnIo {
        read_bytes: 4096,
        write_bytes: 12,
    };
    assert_eq!(parse_io(text), Some(expected));
    assert_eq!(parse_io("rchar: 9"), None);
}

#[tokio::test]
async fn this_process_uses_something() {
    let own = OwnUse::read().await.unwrap();
    assert!(own.resident_bytes > 1_000_000);
    assert!(own.threads >= 1);
    assert!(own.open_files >= 3);
    assert!(process_count().await.unwrap() >= 1);
    assert_eq!(load_average().await.unwrap().len(), 3);
}
