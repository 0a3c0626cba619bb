//! The program as the first process of a container: nothing dead stays, and it ends as it is told.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

const SOON: Duration = Duration::from_secs(30);

/// The processes below one, with their states, as this machine sees them.
fn children(of: i32) -> Vec<(i32, String)> {
    let listed = std::fs::read_to_string(format!("/proc/{of}/task/{of}/children"));
    listed
        .unwrap_or_default()
        .split_ascii_whitespace()
        .filter_map(|pid| {
            let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
            let state = status.lines().find(|line| line.starts_with("State:"))?;
            Some((pid.parse().ok()?, state.to_owned()))
        })
        .collect()
}

/// Waits for a condition.
fn until<T>(what: &str, look: impl Fn() -> Option<T>) -> T {
    let deadline = Instant::now() + SOON;
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(Instant::now() < deadline, "{what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// The program, first in a process namespace of its own; its pid there is 1.
fn start(directory: &Path) -> Option<(Child, i32)> {
    if !rustix::process::geteuid().is_root() || !Path::new("/usr/bin/unshare").exists() {
        let in_ci = std::env::var_os("CI").is_some();
        assert!(!in_ci, "skipped: not root, or no unshare");
        println!("skipped: not root, or no unshare");
        return None;
    }
    let mut child = Command::new("/usr/bin/unshare")
        .args(["--pid", "--fork", "--kill-child", "--mount-proc", "--"])
        .arg(env!("CARGO_BIN_EXE_openhands-agent-server"))
        .args(["--port", "0"])
        .current_dir(directory)
        .env("HOME", directory)
        .stdin(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stderr.take().unwrap());
    // What it says later is read, too, so that it never waits for us.
    let (listens, listening) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        for line in lines.lines().map_while(Result::ok) {
            if line.contains("listening on") {
                let _ = listens.send(());
            }
        }
    });
    listening.recv_timeout(SOON).expect("it does not listen");
    let unshare = i32::try_from(child.id()).unwrap();
    let first = children(unshare)[0].0;
    Some((child, first))
}

#[test]
fn dead_processes_of_others_are_collected() {
    let directory = tempfile::tempdir().unwrap();
    let Some((mut child, first)) = start(directory.path()) else {
        return;
    };
    let before = children(first).len();
    // A process whose parent ends before it falls to the first process, and ends there.
    let target = first.to_string();
    let status = Command::new("nsenter")
        .args(["-t", &target, "-p", "--", "sh", "-c"])
        .arg("sh -c 'exec sleep 0.2' & sh -c 'exec sleep 1000' & exit 0")
        .status()
        .unwrap();
    assert!(status.success());
    until("the foreign processes do not come", || {
        (children(first).len() > before).then_some(())
    });
    until("a dead process stays", || {
        let now = children(first);
        let dead = now.iter().any(|(_, state)| state.contains('Z'));
        (now.len() == before + 1 && !dead).then_some(())
    });
    kill_process(Pid::from_raw(first).unwrap(), Signal::TERM).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn it_ends_with_the_server() {
    let directory = tempfile::tempdir().unwrap();
    let Some((mut child, first)) = start(directory.path()) else {
        return;
    };
    let server = children(first)[0].0;
    kill_process(Pid::from_raw(server).unwrap(), Signal::KILL).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(137));
}
