use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, Command, Stdio};

use pretty_assertions::assert_eq;
use rustix::process::getpid;

use super::*;

/// A shell with three children and a grandchild, ready when it has said so.
fn family() -> (Child, Vec<i32>) {
    let script = "sleep 1000 & sleep 1000 & (sleep 1000 & echo $!; wait) & read -r _; :";
    let mut shell = Command::new("sh")
        .args(["-c", script])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(shell.stdout.take().unwrap())
        .read_line(&mut line)
        .unwrap();
    (shell, vec![line.trim().parse().unwrap()])
}

fn numbers(pids: &[Pid]) -> BTreeSet<i32> {
    pids.iter().map(|pid| pid.as_raw_nonzero().get()).collect()
}

#[test]
fn both_ways_of_listing_agree() {
    let (mut shell, _) = family();
    let root = Pid::from_child(&shell);
    let mut by_files = children(root).unwrap();
    let mut by_scan = scan_children(root);
    by_files.sort_by_key(|pid| pid.as_raw_nonzero());
    by_scan.sort_by_key(|pid| pid.as_raw_nonzero());
    assert_eq!(by_files, by_scan);
    assert_eq!(by_files.len(), 3);
    kill_all(|| descendants(root));
    drop(shell.stdin.take().map(|mut stdin| stdin.write_all(b"\n")));
    shell.wait().unwrap();
}

#[test]
fn grandchildren_are_descendants_and_spared_children_are_not() {
    let (mut shell, grandchildren) = family();
    let root = Pid::from_child(&shell);
    let all = numbers(&descendants(root));
    assert_eq!(all.len(), 4);
    assert!(all.is_superset(&grandchildren.iter().copied().collect()));
    let parent = parent_of(Pid::from_raw(grandchildren[0]).unwrap()).unwrap();
    let rest = descendants_except(root, |child| child == parent);
    assert!(!rest.contains(&parent));
    let rest = numbers(&rest);
    assert_eq!(rest.len(), 2);
    assert!(!rest.contains(&grandchildren[0]));
    assert_eq!(kill_all(|| descendants(root)), BTreeSet::new());
    shell.kill().unwrap();
    shell.wait().unwrap();
}

#[test]
fn a_name_with_brackets_and_spaces_does_not_hide_the_parent() {
    let folder = tempfile::tempdir().unwrap();
    let odd = folder.path().join("a) S 1 (b");
    fs::copy("/bin/cat", &odd).unwrap();
    let mut child = Command::new(&odd).stdin(Stdio::piped()).spawn().unwrap();
    assert_eq!(parent_of(Pid::from_child(&child)), Some(getpid()));
    drop(child.stdin.take());
    child.wait().unwrap();
}

#[test]
fn a_process_that_is_not_there_has_no_descendants() {
    let mut child = Command::new("true").spawn().unwrap();
    let pid = Pid::from_child(&child);
    child.wait().unwrap();
    assert_eq!(descendants(pid), Vec::new());
}

#[test]
fn a_process_that_waits_to_be_collected_is_not_alive() {
    let mut child = Command::new("cat").stdin(Stdio::piped()).spawn().unwrap();
    let pid = Pid::from_child(&child);
    assert!(is_alive(pid));
    drop(child.stdin.take());
    // Waits for its end without collecting it.
    let ended = rustix::process::WaitIdOptions::EXITED | rustix::process::WaitIdOptions::NOWAIT;
    rustix::process::waitid(rustix::process::WaitId::Pid(pid), ended).unwrap();
    assert!(!is_alive(pid));
    child.wait().unwrap();
    assert!(!is_alive(pid));
}
