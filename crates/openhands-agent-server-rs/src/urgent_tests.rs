use super::*;

/// Whether the kernel knows turns of a chosen length: 6.12 and later.
fn knows_turns() -> bool {
    let release = rustix::system::uname()
        .release()
        .to_string_lossy()
        .into_owned();
    let mut numbers = release
        .split(['.', '-'])
        .map(|part| part.parse::<u32>().unwrap_or(0));
    let (major, minor) = (numbers.next(), numbers.next());
    (major, minor) >= (Some(6), Some(12))
}

#[test]
fn a_thread_gets_short_turns_and_keeps_the_rest() {
    std::thread::spawn(|| {
        let before = attributes().unwrap();
        take_short_turns();
        let after = attributes().unwrap();
        assert_eq!(after.sched_policy, before.sched_policy);
        assert_eq!(after.sched_nice, before.sched_nice);
        if knows_turns() {
            assert_eq!(after.sched_runtime, TURN);
            let inherited = std::thread::spawn(attributes).join().unwrap().unwrap();
            assert_eq!(inherited.sched_runtime, before.sched_runtime);
        }
    })
    .join()
    .unwrap();
}
