//! An IPython session in a temporary directory.

use openhands_tools::OutputSink;
use openhands_tools::ipython::{Cell, IPython, IPythonConfig, Ran};
use std::path::PathBuf;
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;

/// The interpreter that has ipykernel: `tests/ipython/install` prints its path, and `./test` sets the variable. Without
/// it a test says that it was skipped; continuous integration skips nothing.
pub(crate) fn python() -> Option<PathBuf> {
    let python = std::env::var_os("OPENHANDS_IPYTHON_PYTHON").map(PathBuf::from);
    if python.is_none() {
        assert!(
            std::env::var_os("CI").is_none_or(|ci| ci != "true"),
            "OPENHANDS_IPYTHON_PYTHON is not set, and nothing may be skipped here"
        );
        println!("skipped: no ipykernel");
    }
    python
}

pub(crate) struct Lab {
    pub(crate) directory: tempfile::TempDir,
    pub(crate) ipython: IPython,
}

impl Lab {
    /// A session, if there is an ipykernel.
    pub(crate) fn new() -> Option<Self> {
        Self::with(|_| {})
    }

    pub(crate) fn with(change: impl FnOnce(&mut IPythonConfig)) -> Option<Self> {
        let python = python()?;
        let directory = tempfile::tempdir().unwrap();
        let environment = std::env::vars_os()
            .filter(|(name, _)| name != "HOME")
            .chain([("HOME".into(), directory.path().into())]);
        let mut config = IPythonConfig::new(directory.path(), environment);
        config.interpreter = Some(python);
        config.setup = vec!["%colors nocolor".to_owned()];
        change(&mut config);
        Some(Self {
            directory,
            ipython: IPython::new(config),
        })
    }

    pub(crate) async fn run(&self, code: &str) -> Ran {
        self.run_cell(Cell {
            code: code.to_owned(),
            timeout: Some(Duration::from_mins(1)),
            ..Cell::default()
        })
        .await
    }

    pub(crate) async fn run_cell(&self, cell: Cell) -> Ran {
        self.ipython
            .run(cell, &CancellationToken::new())
            .await
            .unwrap()
    }

    pub(crate) async fn text(&self, code: &str) -> String {
        self.run(code).await.text
    }
}

/// A cell with a limit of this many seconds.
pub(crate) fn limited(code: &str, seconds: f64) -> Cell {
    Cell {
        code: code.to_owned(),
        timeout: Some(Duration::from_secs_f64(seconds)),
        output: OutputSink::none(),
        ..Cell::default()
    }
}

/// Waits for a condition, at most 20 seconds.
pub(crate) async fn until(what: &str, condition: impl AsyncFn() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(20);
    while !condition().await {
        assert!(Instant::now() < deadline, "{what} did not come");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}
