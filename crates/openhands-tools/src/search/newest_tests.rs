use std::fs::{self, File};
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use pretty_assertions::assert_eq;

use super::{MAX_FILES, Newest};

fn aged(dir: &tempfile::TempDir, name: &str, age: u64) -> PathBuf {
    let path = dir.path().join(name);
    let file = File::create(&path).unwrap();
    file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000 - age))
        .unwrap();
    path
}

#[test]
fn newest_first_equal_times_by_path_unknown_times_last() {
    let dir = tempfile::tempdir().unwrap();
    let old = aged(&dir, "old", 50);
    let tie_b = aged(&dir, "b", 10);
    let tie_a = aged(&dir, "a", 10);
    let gone = dir.path().join("gone");
    let newest = Newest::default();
    for path in [&gone, &old, &tie_b, &tie_a] {
        newest.add(path);
    }
    let found = newest.into_found();
    assert_eq!(found.files, [tie_a, tie_b, old, gone]);
    assert!(!found.truncated);
}

#[test]
fn keeps_the_newest_hundred_in_any_order_of_arrival() {
    let dir = tempfile::tempdir().unwrap();
    let paths: Vec<PathBuf> = (0..150)
        .map(|i| aged(&dir, &format!("f{i:03}"), i))
        .collect();
    let newest = Newest::default();
    for i in 0..150 {
        newest.add(&paths[(i * 37) % 150]);
    }
    let found = newest.into_found();
    assert_eq!(found.files, paths[..MAX_FILES]);
    assert!(found.truncated);
}

#[test]
fn exactly_a_hundred_is_not_truncated() {
    let dir = tempfile::tempdir().unwrap();
    let newest = Newest::default();
    for i in 0..MAX_FILES {
        let path = dir.path().join(format!("{i}"));
        fs::write(&path, "x").unwrap();
        newest.add(&path);
    }
    let found = newest.into_found();
    assert_eq!((found.files.len(), found.truncated), (MAX_FILES, false));
}
