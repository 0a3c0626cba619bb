//! Running an example: found beside the test, with an environment of its own and a deadline.

use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

/// Far more than any of them takes.
const DEADLINE: Duration = Duration::from_mins(2);

/// What an example did.
#[derive(Debug)]
pub(crate) struct Played {
    pub(crate) code: Option<i32>,
    pub(crate) text: String,
}

impl Played {
    /// The lines are there, in this order; others may stand between them.
    pub(crate) fn shows(&self, lines: &[&str]) {
        let mut rest = self.text.lines();
        for wanted in lines {
            assert!(
                rest.any(|line| line.trim() == *wanted),
                "`{wanted}` is missing or out of order in:\n{}",
                self.text
            );
        }
    }
}

/// Cargo builds the examples for `cargo test` and puts them beside the tests' own directory.
pub(crate) fn program(name: &str) -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let path = test.ancestors().nth(2).unwrap().join("examples").join(name);
    assert!(
        path.exists(),
        "{} is missing: `cargo build -p openhands-sdk-rs --examples` makes it",
        path.display()
    );
    path
}

/// Runs an example without keys and with an empty home.
pub(crate) async fn play(name: &str, args: &[&str], env: &[(&str, &str)]) -> Played {
    run(program(name), args, env).await
}

/// Runs any program like that.
pub(crate) async fn run(program: PathBuf, args: &[&str], env: &[(&str, &str)]) -> Played {
    let home = tempfile::tempdir().unwrap();
    let child = tokio::process::Command::new(program)
        .args(args)
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap())
        .env("HOME", home.path())
        .envs(env.iter().copied())
        .current_dir(home.path())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let ended = tokio::time::timeout(DEADLINE, child.wait_with_output());
    let output = ended.await.expect("the example ends in time").unwrap();
    let mut text = String::from_utf8(output.stdout).unwrap();
    text.push_str(&String::from_utf8(output.stderr).unwrap());
    Played {
        code: output.status.code(),
        text,
    }
}
