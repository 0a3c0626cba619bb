//! The two servers: how each is started, watched and ended.

use std::ffi::OsString;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};
use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;
use tokio::process::{Child, Command};

use crate::http::Connection;
use crate::processes::{self, MARK};

/// The Python server needs seconds.
const START_LIMIT: Duration = Duration::from_mins(2);
/// Longer than the longest command that runs when a server is stopped.
const STOP_LIMIT: Duration = Duration::from_mins(1);
/// Between two looks at a server that starts.
const POLL: Duration = Duration::from_micros(500);

/// Whose server it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    Ours,
    Python,
}

impl Side {
    /// How much work each gets: ours is done sooner, so it is asked more often in the same time.
    pub(crate) fn pick<T>(self, ours: T, python: T) -> T {
        match self {
            Self::Ours => ours,
            Self::Python => python,
        }
    }
}

/// How a server is started.
#[derive(Debug)]
pub(crate) struct Launch {
    side: Side,
    program: PathBuf,
    arguments: Vec<OsString>,
}

impl Launch {
    pub(crate) fn ours(program: &Path) -> anyhow::Result<Self> {
        let program = program.canonicalize().with_context(|| {
            format!(
                "no program at {}: cargo build --release -p openhands-agent-server-rs",
                program.display()
            )
        })?;
        Ok(Self {
            side: Side::Ours,
            program,
            arguments: Vec::new(),
        })
    }

    pub(crate) fn side(&self) -> Side {
        self.side
    }

    /// The interpreter of a virtualenv is a link: it must be started by its own name.
    pub(crate) fn python(interpreter: &Path) -> anyhow::Result<Self> {
        Ok(Self {
            side: Side::Python,
            program: std::path::absolute(interpreter)?,
            arguments: ["-m", "openhands.agent_server"].map(Into::into).to_vec(),
        })
    }

    /// The same environment for both: nothing of the user's, an empty home, as many runs at once as are asked for.
    fn command(&self, home: &Home, port: u16, mark: &str) -> anyhow::Result<Command> {
        let mut command = Command::new(&self.program);
        command
            .args(&self.arguments)
            .args(["--host", "127.0.0.1", "--port", &port.to_string()])
            .env_clear()
            .env("PATH", self.path()?)
            .env("HOME", home.path().join("home"))
            .env("TMUX_TMPDIR", home.path().join("tmux"))
            .env("TZ", "UTC")
            .env("LANG", "C.UTF-8")
            .env("OH_SECRET_KEY", "bench-secret-key")
            .env("OH_MAX_CONCURRENT_RUNS", "10000")
            .env("OH_ENABLE_VSCODE", "false")
            .env("OPENHANDS_SUPPRESS_BANNER", "1")
            // Without it the Python server asks the network for prices when it starts.
            .env("LITELLM_LOCAL_MODEL_COST_MAP", "True")
            .env(MARK, mark)
            .current_dir(home.path())
            .stdin(Stdio::null())
            .stdout(home.log()?)
            .stderr(home.log()?)
            .kill_on_drop(true);
        Ok(command)
    }

    /// An activated virtualenv has its own programs first.
    fn path(&self) -> anyhow::Result<OsString> {
        let path = std::env::var_os("PATH").context("PATH is not set")?;
        let Some(bin) = self.program.parent().filter(|_| self.side == Side::Python) else {
            return Ok(path);
        };
        let all = std::iter::once(bin.to_owned()).chain(std::env::split_paths(&path));
        Ok(std::env::join_paths(all)?)
    }
}

/// The directory of a server: its home, its workspace, its log. It outlives a restart.
#[derive(Debug)]
pub(crate) struct Home(TempDir);

impl Home {
    pub(crate) fn new() -> anyhow::Result<Self> {
        let directory = tempfile::Builder::new().prefix("bench-").tempdir()?;
        for name in ["home", "tmux", "project"] {
            std::fs::create_dir(directory.path().join(name))?;
        }
        Ok(Self(directory))
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    /// Where conversations work.
    pub(crate) fn project(&self) -> PathBuf {
        self.path().join("project")
    }

    /// Where a conversation is stored.
    pub(crate) fn conversation(&self, id: &str) -> PathBuf {
        let hex = id.replace('-', "");
        self.path().join("workspace/conversations").join(hex)
    }

    fn log(&self) -> anyhow::Result<std::fs::File> {
        Ok(std::fs::OpenOptions::new()
            .create(true)
            .append(true)
            .open(self.path().join("server.log"))?)
    }
}

/// A server that answers.
#[derive(Debug)]
pub(crate) struct Server {
    pub(crate) side: Side,
    pub(crate) home: Home,
    pub(crate) port: u16,
    pub(crate) began: Instant,
    /// From the start of the process to the first 200.
    pub(crate) answered: Duration,
    mark: String,
    child: Child,
}

impl Server {
    pub(crate) async fn start(launch: &Launch, home: Home) -> anyhow::Result<Self> {
        let port = TcpListener::bind(("127.0.0.1", 0))?.local_addr()?.port();
        let mark = uuid::Uuid::new_v4().to_string();
        let mut command = launch.command(&home, port, &mark)?;
        let began = Instant::now();
        let mut child = command
            .spawn()
            .with_context(|| format!("starting {}", launch.program.display()))?;
        loop {
            if let Ok(mut connection) = Connection::open(port).await
                && let Ok(answer) = connection.get("/health").await
                && answer.status == 200
            {
                break;
            }
            if child.try_wait()?.is_some() || began.elapsed() > START_LIMIT {
                let log = std::fs::read_to_string(home.path().join("server.log"))?;
                let tail: Vec<&str> = log.lines().rev().take(20).collect();
                bail!(
                    "{} does not answer; its log, newest first:\n{}",
                    launch.program.display(),
                    tail.join("\n")
                );
            }
            tokio::time::sleep(POLL).await;
        }
        Ok(Self {
            side: launch.side,
            home,
            port,
            began,
            answered: began.elapsed(),
            mark,
            child,
        })
    }

    pub(crate) async fn connect(&self) -> anyhow::Result<Connection> {
        Connection::open(self.port).await
    }

    /// The id of its first process.
    pub(crate) fn id(&self) -> anyhow::Result<u32> {
        self.child.id().context("the server has ended")
    }

    pub(crate) fn mark(&self) -> &str {
        &self.mark
    }

    /// The proportional memory of all its processes, in bytes.
    pub(crate) fn memory(&self) -> anyhow::Result<u64> {
        processes::proportional_memory(&self.mark)
    }

    /// The processor time of all its processes until now.
    pub(crate) fn processor_time(&self) -> anyhow::Result<Duration> {
        processes::processor_time(&self.mark)
    }

    /// Asks it to end: how long that takes, and its directory for another start.
    pub(crate) async fn stop(mut self) -> anyhow::Result<(Duration, Home)> {
        let id = i32::try_from(self.id()?)?;
        let began = Instant::now();
        kill_process(Pid::from_raw(id).context("no process")?, Signal::TERM)?;
        tokio::time::timeout(STOP_LIMIT, self.child.wait())
            .await
            .context("the server does not end")??;
        let took = began.elapsed();
        self.end_what_is_left();
        let home = std::mem::replace(&mut self.home, Home::new()?);
        Ok((took, home))
    }

    /// Shells and daemons that outlived it.
    fn end_what_is_left(&self) {
        for id in processes::ids(&self.mark).unwrap_or_default() {
            if let Some(id) = Pid::from_raw(id) {
                // It may have ended by itself meanwhile.
                let _ = kill_process(id, Signal::KILL);
            }
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.end_what_is_left();
    }
}
