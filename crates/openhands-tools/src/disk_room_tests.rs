use std::fs::OpenOptions;
use std::io::Write as _;
use std::os::unix::fs::MetadataExt as _;

use super::*;

/// What is on the disk in 512 bytes.
fn on_disk(file: &File) -> u64 {
    file.metadata().unwrap().blocks() * 512
}

#[test]
fn room_is_taken_in_steps_and_what_is_left_is_given_back() {
    let mut file = tempfile::tempfile().unwrap();
    let mut room = DiskRoom::default();
    let piece = vec![b'x'; 300_000];
    let mut size = 0;
    for _ in 0..20 {
        room.reach(&file, size..size + 300_000);
        assert!(room.is_refused || room.taken >= size + 300_000);
        file.write_all(&piece).unwrap();
        size += 300_000;
    }
    if !room.is_refused {
        assert_eq!(room.taken, 8 << 20);
        assert!(on_disk(&file) >= 8 << 20);
    }
    assert_eq!(file.metadata().unwrap().len(), size);
    room.give_back(&file, size).unwrap();
    file.sync_all().unwrap();
    assert_eq!(file.metadata().unwrap().len(), size);
    assert!(on_disk(&file) < size + (64 << 10), "{}", on_disk(&file));
}

#[test]
fn room_for_a_known_size_is_no_more_than_that() {
    let mut file = tempfile::tempfile().unwrap();
    DiskRoom::of(&file, 1_000_000);
    assert_eq!(file.metadata().unwrap().len(), 0);
    file.write_all(&vec![b'x'; 1_000_000]).unwrap();
    file.sync_all().unwrap();
    assert!(on_disk(&file) < 1_000_000 + (64 << 10));
}

#[test]
fn what_has_no_room_to_be_taken_is_written_all_the_same() {
    let mut file = OpenOptions::new().write(true).open("/dev/null").unwrap();
    let mut room = DiskRoom::default();
    room.reach(&file, 0..10);
    room.reach(&file, 10..20);
    assert!(room.is_refused);
    file.write_all(b"x").unwrap();
    room.give_back(&file, 20).unwrap();
}
