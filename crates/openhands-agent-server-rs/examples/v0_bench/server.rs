//! One running V0 server, of either kind: its start, its memory, its end.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};
use openhands_sdk_rs::process::{Signal, Spawn, Tree};
use tempfile::TempDir;

/// Python's server needs seconds, with plugins many.
const START_LIMIT: Duration = Duration::from_mins(2);
const STOP_GRACE: Duration = Duration::from_secs(10);
/// Between two looks at a server that starts.
const POLL: Duration = Duration::from_millis(1);
/// By this variable the processes of one server are found, daemons included.
const MARK: &str = "OPENHANDS_V0_BENCH";

/// How a server is started.
#[derive(Debug)]
pub(crate) struct Launch {
    program: PathBuf,
    first: Vec<OsString>,
    env: BTreeMap<OsString, OsString>,
    user: String,
}

impl Launch {
    /// Our program. The interpreter is the one that kernels run on.
    pub(crate) fn ours(program: &Path, python: Option<&Path>) -> anyhow::Result<Self> {
        let program = program
            .canonicalize()
            .with_context(|| format!("no program at {}", program.display()))?;
        Self::new(program, vec!["action-server".into()], python)
    }

    /// The Python module.
    pub(crate) fn python(python: &Path) -> anyhow::Result<Self> {
        let module = ["-u", "-m", "openhands.runtime.action_execution_server"];
        Self::new(
            python.to_owned(),
            module.map(OsString::from).to_vec(),
            Some(python),
        )
    }

    /// The environment is that which `LocalRuntime` gives.
    fn new(program: PathBuf, first: Vec<OsString>, python: Option<&Path>) -> anyhow::Result<Self> {
        let mut env: BTreeMap<OsString, OsString> = std::env::vars_os().collect();
        let user = rustix::process::geteuid();
        let user = if user.is_root() {
            "root".to_owned()
        } else {
            std::env::var("USER").context("USER is not set")?
        };
        env.insert("USER".into(), user.clone().into());
        env.insert("LOCAL_RUNTIME_MODE".into(), "1".into());
        env.insert("LITELLM_LOCAL_MODEL_COST_MAP".into(), "True".into());
        if let Some(bin) = python.and_then(Path::parent) {
            let path = env
                .get(&OsString::from("PATH"))
                .cloned()
                .unwrap_or_default();
            let paths = std::iter::once(bin.to_owned()).chain(std::env::split_paths(&path));
            env.insert("PATH".into(), std::env::join_paths(paths)?);
            let packages = bin
                .join("../lib")
                .read_dir()?
                .next()
                .context("no lib/python3 beside the interpreter")??;
            env.insert(
                "OPENHANDS_REPO_PATH".into(),
                packages.path().join("site-packages").into(),
            );
        }
        Ok(Self {
            program,
            first,
            env,
            user,
        })
    }
}

/// A server that answers.
#[derive(Debug)]
pub(crate) struct Server {
    tree: Tree,
    mark: String,
    took: Duration,
    pub(crate) url: String,
    pub(crate) client: reqwest::Client,
    /// Its workspace and its temporary files.
    pub(crate) directory: TempDir,
}

impl Server {
    /// Starts it, with a kernel or with no plugins at all, and waits for the first answer.
    pub(crate) async fn start(launch: &Launch, ipython: bool) -> anyhow::Result<Self> {
        let directory = tempfile::tempdir()?;
        let workspace = directory.path().join("workspace");
        std::fs::create_dir(&workspace)?;
        std::fs::create_dir(directory.path().join("tmux"))?;
        let port = free_port()?;
        let mark = uuid::Uuid::new_v4().to_string();
        let mut spawn = Spawn::new(&launch.program)
            .args(launch.first.clone())
            .arg(port.to_string())
            .arg("--working-dir")
            .arg(&workspace);
        if ipython {
            spawn = spawn.args(["--plugins", "jupyter"]);
        }
        let spawn = spawn
            .args([
                "--username",
                &launch.user,
                "--user-id",
                "1000",
                "--no-enable-browser",
            ])
            .envs(launch.env.clone())
            .env(MARK, &mark)
            .env("TMUX_TMPDIR", directory.path().join("tmux"))
            .cwd(directory.path());
        let began = Instant::now();
        let tree = spawn.start().await.context("starting a server")?;
        let client = reqwest::Client::builder()
            .no_proxy()
            .timeout(START_LIMIT)
            .build()?;
        let url = format!("http://127.0.0.1:{port}");
        loop {
            let answer = client.get(format!("{url}/alive")).send().await;
            if answer.is_ok_and(|answer| answer.status() == 200) {
                break;
            }
            if tree.try_wait().is_some() {
                bail!("{} ended at its start", launch.program.display());
            }
            if began.elapsed() > START_LIMIT {
                bail!("{} does not answer", launch.program.display());
            }
            tokio::time::sleep(POLL).await;
        }
        Ok(Self {
            tree,
            mark,
            took: began.elapsed(),
            url,
            client,
            directory,
        })
    }

    /// From the start of the process to the first answer.
    pub(crate) fn took(&self) -> Duration {
        self.took
    }

    pub(crate) fn workspace(&self) -> PathBuf {
        self.directory.path().join("workspace")
    }

    /// The proportional share of memory of all its processes, in bytes.
    pub(crate) fn memory(&self) -> anyhow::Result<u64> {
        let mark = format!("{MARK}={}", self.mark);
        let mut bytes = 0;
        for entry in std::fs::read_dir("/proc")? {
            let process = entry?.path();
            // Processes come and go while they are counted, and those of others cannot be read.
            let Ok(environment) = std::fs::read(process.join("environ")) else {
                continue;
            };
            if !environment
                .split(|&byte| byte == 0)
                .any(|variable| variable == mark.as_bytes())
            {
                continue;
            }
            let Ok(rollup) = std::fs::read_to_string(process.join("smaps_rollup")) else {
                continue;
            };
            bytes += share(&rollup) << 10;
        }
        if bytes == 0 {
            bail!("no process of the server was found");
        }
        Ok(bytes)
    }

    /// Ends it and all that it started.
    pub(crate) async fn stop(self) -> anyhow::Result<()> {
        self.tree.terminate(Signal::TERM, STOP_GRACE).await?;
        self.tree.kill().await?;
        Ok(())
    }
}

/// The line `Pss:` of a summary of mappings, in kB.
fn share(rollup: &str) -> u64 {
    rollup
        .lines()
        .find_map(|line| line.strip_prefix("Pss:"))
        .and_then(|rest| rest.split_whitespace().next())
        .and_then(|number| number.parse().ok())
        .unwrap_or_default()
}

fn free_port() -> anyhow::Result<u16> {
    Ok(TcpListener::bind(("127.0.0.1", 0))?.local_addr()?.port())
}
