use std::sync::Arc;
use std::thread;
use std::time::Instant;

use super::*;

#[test]
fn it_rings_when_the_time_has_come_and_not_before() {
    let alarm = Alarm::new().unwrap();
    let began = Instant::now();
    alarm.set(Duration::from_millis(20)).unwrap();
    alarm.wait();
    assert!(began.elapsed() >= Duration::from_millis(20));
}

#[test]
fn who_sets_it_anew_takes_back_the_time_before() {
    let alarm = Arc::new(Alarm::new().unwrap());
    alarm.set(Duration::from_hours(1)).unwrap();
    let sleeper = {
        let alarm = Arc::clone(&alarm);
        thread::spawn(move || alarm.wait())
    };
    alarm.set(Duration::ZERO).unwrap();
    sleeper.join().unwrap();
    // It has rung: what rang and was not heard is forgotten, too.
    alarm.set(Duration::ZERO).unwrap();
    let began = Instant::now();
    alarm.set(Duration::from_millis(20)).unwrap();
    alarm.wait();
    assert!(began.elapsed() >= Duration::from_millis(20));
}
