//! The Python that runs kernels.

use super::config::IPythonConfig;
use super::error::IPythonError;
use openhands_process::{Spawn, SpawnError, Stdio};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::io::AsyncReadExt as _;

/// Says where the interpreter really is (a name on the path may be a launcher), if it has ipykernel. It looks without
/// importing, which would take as long as the start of a kernel.
const PROBE: &str = "\
import sys, importlib.util
found = importlib.util.find_spec('ipykernel') and importlib.util.find_spec('zmq')
print('\\n' + sys.executable if found else '\\n-')
";
/// How long an interpreter may take to answer; a first start from a cold disk is slow.
const PROBE_TIMEOUT: Duration = Duration::from_secs(30);
/// How much of an answer is read.
const MAX_ANSWER: u64 = 64 << 10;

/// The interpreter that was asked for, or the first on the path that has ipykernel.
pub(crate) async fn find(config: &IPythonConfig) -> Result<PathBuf, IPythonError> {
    if let Some(given) = &config.interpreter {
        return match ask(config, given).await {
            Ok(Some(interpreter)) => Ok(interpreter),
            Ok(None) => Err(IPythonError::WithoutKernel(given.clone())),
            Err(source) => Err(IPythonError::Interpreter {
                interpreter: given.clone(),
                source,
            }),
        };
    }
    let mut tried = Vec::new();
    for candidate in candidates(config) {
        // One that cannot be run (a broken link, another machine's program) is no reason not to try the next.
        if let Ok(Some(interpreter)) = ask(config, &candidate).await {
            return Ok(interpreter);
        }
        tried.push(candidate);
    }
    Err(IPythonError::NoKernel(tried))
}

/// The preferred ones, then every `python3` and `python` on the path, each once.
fn candidates(config: &IPythonConfig) -> Vec<PathBuf> {
    let path = config.environment.get(OsStr::new("PATH"));
    let mut found = config.preferred.clone();
    for directory in path.into_iter().flat_map(std::env::split_paths) {
        for name in ["python3", "python"] {
            let candidate = directory.join(name);
            if candidate.is_absolute() && candidate.is_file() && !found.contains(&candidate) {
                found.push(candidate);
            }
        }
    }
    found
}

/// Where this interpreter really is; none if it has no ipykernel or gives no answer.
async fn ask(config: &IPythonConfig, python: &Path) -> Result<Option<PathBuf>, SpawnError> {
    let mut spawn = Spawn::new(python)
        .args(["-c", PROBE])
        .envs(config.environment.clone())
        .cwd(&config.directory)
        .cgroup(config.cgroup)
        .stdout(Stdio::Pipe);
    if let Some(user) = &config.user {
        spawn = spawn.user(user.clone());
    }
    let mut tree = spawn.start().await?;
    let mut answer = Vec::new();
    if let Some(stdout) = tree.stdout.take() {
        let mut bounded = stdout.take(MAX_ANSWER);
        let read = bounded.read_to_end(&mut answer);
        let in_time = tokio::time::timeout(PROBE_TIMEOUT, read).await.is_ok();
        if !in_time {
            answer.clear();
        }
    }
    let _ = tree.kill().await;
    let answer = String::from_utf8_lossy(&answer);
    let last = answer.lines().last().unwrap_or_default().trim();
    Ok(last.starts_with('/').then(|| PathBuf::from(last)))
}
