use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use pretty_assertions::assert_eq;
use serde_json::json;

use super::{LockedDirectory, StoreError};

fn directory(root: &tempfile::TempDir) -> LockedDirectory {
    LockedDirectory::new(root.path().join("a/b"), ".x.lock", "The store")
}

fn mode(path: &std::path::Path) -> u32 {
    std::fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[test]
fn directories_and_files_are_the_owners_alone() {
    let root = tempfile::tempdir().unwrap();
    let directory = directory(&root);
    directory
        .lock()
        .unwrap()
        .write("f.json", &json!({"a": 1}))
        .unwrap();
    assert_eq!(mode(&root.path().join("a")), 0o700);
    assert_eq!(mode(&root.path().join("a/b")), 0o700);
    assert_eq!(mode(&root.path().join("a/b/f.json")), 0o600);
    assert_eq!(mode(&root.path().join("a/b/.x.lock")), 0o600);
    let names: Vec<_> = std::fs::read_dir(root.path().join("a/b"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(names.len(), 2, "nothing is left over: {names:?}");
}

#[test]
fn a_failed_write_leaves_the_old_file_and_nothing_else() {
    let root = tempfile::tempdir().unwrap();
    let directory = directory(&root);
    let held = directory.lock().unwrap();
    held.write("f.json", &json!(1)).unwrap();
    std::fs::create_dir(root.path().join("a/b/g.json")).unwrap();
    assert!(held.write("g.json", &json!(2)).is_err());
    assert_eq!(held.read("f.json").unwrap().unwrap(), b"1");
    assert_eq!(
        std::fs::read_dir(root.path().join("a/b")).unwrap().count(),
        3
    );
}

#[test]
fn a_lock_that_another_process_holds_is_waited_for_and_then_given_up() {
    let root = tempfile::tempdir().unwrap();
    let directory = directory(&root);
    drop(directory.lock().unwrap());
    let mut holder = Command::new("flock")
        .arg(root.path().join("a/b/.x.lock"))
        .args(["sh", "-c", "echo held; read line"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut said = [0; 5];
    std::io::Read::read_exact(holder.stdout.as_mut().unwrap(), &mut said).unwrap();
    let refused = directory
        .lock_within(Duration::from_millis(50))
        .unwrap_err();
    assert!(matches!(refused, StoreError::Busy(_)), "{refused}");
    assert_eq!(refused.to_string(), "The store is busy. Please retry.");

    drop(holder.stdin.take());
    directory.lock_within(Duration::from_secs(20)).unwrap();
    holder.wait().unwrap();
}

#[test]
fn threads_take_turns() {
    let root = tempfile::tempdir().unwrap();
    let directory = Arc::new(directory(&root));
    directory
        .lock()
        .unwrap()
        .write("n.json", &json!(0))
        .unwrap();
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for _ in 0..5 {
                    let held = directory.lock().unwrap();
                    let text = held.read("n.json").unwrap().unwrap();
                    let number: u32 = serde_json::from_slice(&text).unwrap();
                    held.write("n.json", &json!(number + 1)).unwrap();
                }
            });
        }
    });
    let held = directory.lock().unwrap();
    assert_eq!(held.read("n.json").unwrap().unwrap(), b"40");
    assert!(matches!(
        directory.lock_within(Duration::from_millis(10)),
        Err(StoreError::Busy(_))
    ));
}
