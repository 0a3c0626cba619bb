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
