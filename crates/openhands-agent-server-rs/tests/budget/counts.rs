//! A process that counts, and what it tells.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};

/// Names the directory of a process that counts; without it, what it would do is not done.
const DIRECTORY: &str = "OPENHANDS_BUDGET_IN";
/// How often it does what is counted.
const TIMES: &str = "OPENHANDS_BUDGET_TIMES";
/// In front of a line with a count.
const MARK: &str = "count: ";

/// Counts by name.
pub(crate) type Counts = BTreeMap<String, f64>;

/// What the process is asked to do: where, and how often. None in a run of all tests.
pub(crate) fn asked() -> Option<(std::path::PathBuf, u64)> {
    let directory = std::env::var_os(DIRECTORY)?;
    let times = std::env::var(TIMES).unwrap().parse().unwrap();
    Some((directory.into(), times))
}

/// Tells a count to the process that asked for it.
pub(crate) fn tell(name: &str, count: f64) {
    println!("\n{MARK}{name}={count}");
}

/// Runs one test of this program in a process of its own, on an empty directory: the counts that it tells.
pub(crate) fn counted_by(test: &str, times: u64) -> Counts {
    run(Command::new(std::env::current_exe().unwrap()), test, times)
}

/// The least of three such processes: for what also depends on how often the state is saved meanwhile, which a busy machine does more often.
pub(crate) fn least_counted_by(test: &str, times: u64) -> Counts {
    let mut least = counted_by(test, times);
    for _ in 0..2 {
        for (name, count) in counted_by(test, times) {
            let known = least.entry(name).or_insert(count);
            *known = known.min(count);
        }
    }
    least
}

/// The system calls of such a process and of all that it starts, by each further time of what it does.
pub(crate) fn system_calls_of(test: &str) -> f64 {
    let [few, many] = [20, 120].map(|times| (times, traced(test, times)));
    (many.1 - few.1) as f64 / (many.0 - few.0) as f64
}

fn traced(test: &str, times: u64) -> u64 {
    let directory = tempfile::tempdir().unwrap();
    let summary = directory.path().join("summary");
    let mut strace = Command::new("strace");
    strace.args(["-f", "-c", "-o"]).arg(&summary);
    strace.arg(std::env::current_exe().unwrap());
    run(strace, test, times);
    total(&summary)
}

/// The line `total` of strace's table: percent, seconds, microseconds for each, calls, errors.
fn total(summary: &Path) -> u64 {
    let text = std::fs::read_to_string(summary).unwrap();
    let line = text.lines().find(|line| line.ends_with(" total"));
    let calls = line.and_then(|line| line.split_whitespace().nth(3));
    calls
        .unwrap_or_else(|| panic!("no total in\n{text}"))
        .parse()
        .unwrap()
}

fn run(mut program: Command, test: &str, times: u64) -> Counts {
    let directory = tempfile::tempdir().unwrap();
    let output = program
        .args(["--exact", test, "--test-threads=1", "--nocapture"])
        .env(DIRECTORY, directory.path())
        .env(TIMES, times.to_string())
        // What the user's own shells do at their start is not what is counted.
        .env("HOME", directory.path())
        .stderr(Stdio::inherit())
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{test}: {text}");
    assert!(text.contains("1 passed"), "there is no test {test}: {text}");
    text.lines()
        .filter_map(|line| line.strip_prefix(MARK)?.split_once('='))
        .map(|(name, count)| (name.to_owned(), count.parse().unwrap()))
        .collect()
}

/// Whether system calls can be watched. Continuous integration skips nothing.
pub(crate) fn can_trace() -> bool {
    let traced = Command::new("strace")
        .args(["-o", "/dev/null", "true"])
        .status();
    let can = traced.is_ok_and(|status| status.success());
    if !can {
        let is_ci = std::env::var_os("CI").is_some_and(|ci| ci == "true");
        assert!(
            !is_ci,
            "there is no strace, and nothing may be skipped here"
        );
        println!("skipped: no strace");
    }
    can
}
