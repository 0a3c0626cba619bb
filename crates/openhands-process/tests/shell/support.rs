//! A shell to test with: its own home and workspace, and short ways to run a command to its end.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use openhands_process::{Completed, Outcome, Shell, ShellConfig, ShellError, Wait};
use tokio_util::sync::CancellationToken;

/// Far beyond what any command here needs on a busy machine: reaching it is a failure.
pub(crate) const FAR: Duration = Duration::from_secs(20);

pub(crate) struct Bench {
    pub(crate) shell: Shell,
    pub(crate) _home: tempfile::TempDir,
    pub(crate) work: PathBuf,
}

/// A command's end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Ran {
    pub(crate) text: String,
    pub(crate) code: i32,
}

pub(crate) fn environment(home: &Path) -> Vec<(OsString, OsString)> {
    let path = std::env::var_os("PATH").unwrap();
    vec![
        ("PATH".into(), path),
        ("HOME".into(), home.into()),
        ("LANG".into(), "C.UTF-8".into()),
    ]
}

pub(crate) fn config(home: &Path) -> ShellConfig {
    let work = home.join("work");
    std::fs::create_dir_all(&work).unwrap();
    ShellConfig::new(work.canonicalize().unwrap(), environment(home))
}

impl Bench {
    pub(crate) async fn new() -> Self {
        Self::with("", |_| {}).await
    }

    /// A shell with this bashrc, and settings changed by `change`.
    pub(crate) async fn with(bashrc: &str, change: impl FnOnce(&mut ShellConfig)) -> Self {
        let home = tempfile::tempdir().unwrap();
        let shell = start(home.path(), bashrc, change).await.unwrap();
        let work = home.path().join("work").canonicalize().unwrap();
        Self {
            shell,
            _home: home,
            work,
        }
    }

    pub(crate) async fn finish(&self) -> (String, Completed) {
        let wait = Wait {
            soft: None,
            hard: Some(FAR),
        };
        match self
            .shell
            .wait(wait, &CancellationToken::new())
            .await
            .unwrap()
        {
            Outcome::Completed(completed) => (self.text(), completed),
            other @ (Outcome::SoftTimeout | Outcome::HardTimeout | Outcome::Cancelled(_)) => {
                panic!("{other:?}; output {:?}", self.shell.output())
            }
        }
    }

    /// New output, trimmed as tools do.
    pub(crate) fn text(&self) -> String {
        self.shell.output().text.trim().to_owned()
    }

    pub(crate) async fn complete(&self, command: &str) -> (String, Completed) {
        self.shell.run(command, &[]).await.unwrap();
        self.finish().await
    }

    pub(crate) async fn run(&self, command: &str) -> Ran {
        let (text, completed) = self.complete(command).await;
        Ran {
            text,
            code: completed.exit_code,
        }
    }

    /// Begins a command and waits until its output contains `sign`.
    pub(crate) async fn until(&self, command: &str, sign: &str) {
        let pieces = self.shell.subscribe();
        self.shell.run(command, &[]).await.unwrap();
        look_for(pieces, sign).await;
    }

    /// Types bytes and waits until the output from then on contains `sign`.
    pub(crate) async fn until_more(&self, bytes: &[u8], sign: &str) {
        let pieces = self.shell.subscribe();
        self.shell.send_input(bytes).await.unwrap();
        look_for(pieces, sign).await;
    }
}

async fn look_for(mut pieces: tokio::sync::broadcast::Receiver<bytes::Bytes>, sign: &str) {
    let mut seen = Vec::new();
    let look = async {
        while !String::from_utf8_lossy(&seen).contains(sign) {
            seen.extend_from_slice(&pieces.recv().await.unwrap());
        }
    };
    tokio::time::timeout(FAR, look)
        .await
        .expect("the sign never came");
}

pub(crate) async fn start(
    home: &Path,
    bashrc: &str,
    change: impl FnOnce(&mut ShellConfig),
) -> Result<Shell, ShellError> {
    std::fs::write(home.join(".bashrc"), bashrc).unwrap();
    let mut config = config(home);
    change(&mut config);
    Shell::start(config).await
}

pub(crate) fn ran(text: &str, code: i32) -> Ran {
    Ran {
        text: text.to_owned(),
        code,
    }
}
