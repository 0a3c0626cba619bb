//! Runs generated commands and compares.

use std::time::{Duration, Instant};

use openhands_process::{Completed, Outcome, Output, Shell, ShellConfig, Wait};
use tokio_util::sync::CancellationToken;

use super::generate::{Action, Case, Expected, Model, next};
use super::random::Random;

/// How long a run may be.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    pub(crate) commands: usize,
    pub(crate) time: Duration,
}

/// Reaching this is a hang.
const HANG: Duration = Duration::from_secs(30);
const CAP: usize = 64 << 10;

/// Runs commands from this seed. Returns how many ran; panics, with all that is needed to repeat it, at the first
/// one that is wrong.
pub(crate) async fn fuzz(seed: u64, limits: Limits, mut progress: impl FnMut(usize)) -> usize {
    let home = tempfile::tempdir().unwrap();
    let root = home.path().canonicalize().unwrap();
    let environment = [
        ("PATH", std::env::var_os("PATH").unwrap()),
        ("HOME", root.clone().into_os_string()),
        ("LANG", "C.UTF-8".into()),
    ];
    let environment = environment
        .into_iter()
        .map(|(name, value)| (name.into(), value));
    let mut config = ShellConfig::new(&root, environment);
    config.output_cap = CAP;
    let shell = Shell::start(config).await.unwrap();
    let mut random = Random::new(seed);
    let mut model = Model {
        directory: root.clone(),
        root,
        counter: 0,
        last_code: 0,
    };
    let start = Instant::now();
    for index in 0..limits.commands {
        if start.elapsed() > limits.time {
            return index;
        }
        let case = next(&mut random, &mut model);
        let result = play(&shell, &case)
            .await
            .and_then(|(done, output)| compare(&case, &model, &done, &output));
        if let Err(wrong) = result {
            panic!(
                "seed {seed}, command {index}: {wrong}\n{case:#?}\nin {}",
                model.directory.display()
            );
        }
        progress(index + 1);
    }
    limits.commands
}

async fn play(shell: &Shell, case: &Case) -> Result<(Completed, Output), String> {
    let mut pieces = shell.subscribe();
    shell
        .run(&case.command, &[])
        .await
        .map_err(|error| error.to_string())?;
    let sign = match &case.action {
        Action::Wait => None,
        Action::Type(sign, _) | Action::Interrupt(sign) => Some(*sign),
    };
    if let Some(sign) = sign {
        let mut seen = Vec::new();
        let look = async {
            while !String::from_utf8_lossy(&seen).contains(sign) {
                seen.extend_from_slice(&pieces.recv().await.unwrap());
            }
        };
        tokio::time::timeout(HANG, look)
            .await
            .map_err(|_| format!("{sign:?} never came"))?;
    }
    match &case.action {
        Action::Wait => {}
        Action::Type(_, line) => shell
            .send_line(line)
            .await
            .map_err(|error| error.to_string())?,
        Action::Interrupt(_) => shell.interrupt().await.map_err(|error| error.to_string())?,
    }
    let wait = Wait {
        soft: None,
        hard: Some(HANG),
    };
    let outcome = shell
        .wait(wait, &CancellationToken::new())
        .await
        .map_err(|error| error.to_string())?;
    let output = shell.output();
    match outcome {
        Outcome::Completed(done) => Ok((done, output)),
        hang @ (Outcome::SoftTimeout | Outcome::HardTimeout | Outcome::Cancelled(_)) => {
            Err(format!(
                "{hang:?} with {:?}",
                String::from_utf8_lossy(&output.raw.head)
            ))
        }
    }
}

fn compare(case: &Case, model: &Model, done: &Completed, output: &Output) -> Result<(), String> {
    let shown = || String::from_utf8_lossy(&output.raw.head).into_owned();
    if done.exit_code != case.code {
        return Err(format!("exit code {} with {:?}", done.exit_code, shown()));
    }
    if done.restarted != case.ends_shell {
        return Err(format!("restarted: {}", done.restarted));
    }
    if done.directory != model.directory {
        return Err(format!("directory {}", done.directory.display()));
    }
    let right = match &case.output {
        Expected::Bytes(bytes) => {
            output.raw.omitted() == 0 && output.raw.head == on_terminal(bytes)
        }
        Expected::Count(count) => output.raw.total == *count,
        Expected::Contains(bytes) => output
            .raw
            .head
            .windows(bytes.len())
            .any(|window| window == bytes.as_slice()),
    };
    if right {
        Ok(())
    } else {
        Err(format!(
            "output {:?} of {} bytes",
            shown(),
            output.raw.total
        ))
    }
}

/// What the terminal makes of line ends.
fn on_terminal(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len());
    for byte in bytes {
        if *byte == b'\n' {
            out.push(b'\r');
        }
        out.push(*byte);
    }
    out
}
