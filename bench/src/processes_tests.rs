use std::process::Command;
use std::time::Instant;

use super::*;

#[test]
fn ticks_are_found_behind_a_name_with_parentheses() {
    let stat = "42 (a) b) S 1 2 3 4 5 6 7 8 9 10 100 20 3 4 20 0 1";
    assert_eq!(ticks(stat), Some(127));
}

#[test]
fn a_marked_process_is_found_with_its_memory() {
    let mark = uuid::Uuid::new_v4().to_string();
    let mut child = Command::new("sleep")
        .arg("60")
        .env(MARK, &mark)
        .spawn()
        .unwrap();
    let id = i32::try_from(child.id()).unwrap();
    // A program that has just begun has no environment for a moment.
    let deadline = Instant::now() + Duration::from_secs(30);
    while ids(&mark).unwrap().is_empty() && Instant::now() < deadline {
        std::thread::yield_now();
    }
    assert_eq!(ids(&mark).unwrap(), [id]);
    assert!(proportional_memory(&mark).unwrap() > 0);
    assert!(peak(child.id()).unwrap() > 0);
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(proportional_memory(&mark).is_err());
}

#[test]
fn one_without_the_mark_counts_below_one_with_it() {
    let mark = uuid::Uuid::new_v4().to_string();
    let mut parent = Command::new("sh")
        .args(["-c", "env -i sleep 60 & echo $!; wait"])
        .env(MARK, &mark)
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    let output = parent.stdout.take().unwrap();
    std::io::BufRead::read_line(&mut std::io::BufReader::new(output), &mut line).unwrap();
    let below: i32 = line.trim().parse().unwrap();
    let has_no_mark = || {
        let environment = std::fs::read(format!("/proc/{below}/environ")).unwrap();
        let name = std::fs::read_to_string(format!("/proc/{below}/comm")).unwrap();
        environment.is_empty() && name.trim() == "sleep"
    };
    let deadline = Instant::now() + Duration::from_secs(30);
    while !has_no_mark() && Instant::now() < deadline {
        std::thread::yield_now();
    }
    assert!(has_no_mark());
    let found = ids(&mark).unwrap();
    assert!(found.contains(&below), "{below} is not one of {found:?}");
    assert_eq!(found.len(), 2);
    for id in found {
        let id = rustix::process::Pid::from_raw(id).unwrap();
        rustix::process::kill_process(id, rustix::process::Signal::KILL).unwrap();
    }
    parent.wait().unwrap();
}
