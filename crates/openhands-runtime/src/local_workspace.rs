//! The workspace of this machine.

use std::io;
use std::path::{Path, PathBuf};

use bytes::Bytes;
use futures_util::future::BoxFuture;
use openhands_process::{HeadTail, Spawn, Stdio, Tree, command_environment};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;

use crate::runtime::{Attached, PIPE_BYTES, RuntimeError};
use crate::workspace::{Entry, EntryKind, Exec, ExecOutput, Workspace, WorkspaceError};

/// What is read in one piece: far above any skill or configuration, far below what would hurt.
const MAX_READ_BYTES: u64 = 64 << 20;

/// Files and programs of this machine.
#[derive(Debug, Clone)]
pub struct LocalWorkspace {
    root: PathBuf,
    env: Vec<(String, String)>,
}

impl LocalWorkspace {
    /// The workspace at a directory. `env` is the whole environment of the server; programs get the part of it that
    /// is meant for commands.
    pub fn new(root: impl Into<PathBuf>, env: &[(String, String)]) -> Self {
        Self {
            root: root.into(),
            env: env.to_vec(),
        }
    }

    fn path(&self, path: &Path) -> PathBuf {
        self.root.join(path)
    }

    /// Starts a program and holds its input and output. What it complains about is read and dropped.
    pub(crate) async fn attach(&self, program: Exec) -> Result<Attached, RuntimeError> {
        let name = program.argv.first().cloned().unwrap_or_default();
        let failed =
            |reason: String| RuntimeError::Unreachable(format!("cannot run {name}: {reason}"));
        let mut tree = self
            .spawn(&program)
            .start()
            .await
            .map_err(|error| failed(error.to_string()))?;
        let (Some(mut input), Some(mut output), Some(mut stderr)) =
            (tree.stdin.take(), tree.stdout.take(), tree.stderr.take())
        else {
            return Err(failed("it has no pipes".to_owned()));
        };
        let (stdin, mut to_send) = tokio::io::duplex(PIPE_BYTES);
        let (mut heard, stdout) = tokio::io::duplex(PIPE_BYTES);
        // Each ends with its pipe. One that complains much must not wait for us.
        let talk = tokio::spawn(async move {
            let send = async move {
                let _ = tokio::io::copy(&mut to_send, &mut input).await;
            };
            let hear = async move {
                let _ = tokio::io::copy(&mut output, &mut heard).await;
            };
            let drain = async move {
                let _ = tokio::io::copy(&mut stderr, &mut tokio::io::sink()).await;
            };
            tokio::join!(send, hear, drain);
        });
        Ok(Attached {
            stdin,
            stdout,
            guard: Box::new((tree, AbortOnDropHandle::new(talk))),
        })
    }

    /// A program with pipes, in the environment of commands.
    fn spawn(&self, exec: &Exec) -> Spawn {
        let mut argv = exec.argv.iter();
        let program = argv.next().cloned().unwrap_or_default();
        let server = self
            .env
            .iter()
            .map(|(name, value)| (name.into(), value.into()));
        let extra = exec
            .env
            .iter()
            .filter_map(|(name, value)| Some((name, value.expose()?)));
        Spawn::new(program)
            .args(argv)
            .envs(command_environment(server))
            .envs(extra)
            .cwd(
                exec.cwd
                    .as_ref()
                    .map_or_else(|| self.root.clone(), |cwd| self.path(cwd)),
            )
            .stdin(Stdio::Pipe)
            .stdout(Stdio::Pipe)
            .stderr(Stdio::Pipe)
    }

    async fn run(
        &self,
        exec: Exec,
        cancel: CancellationToken,
    ) -> Result<ExecOutput, WorkspaceError> {
        let program = exec.argv.first().cloned().unwrap_or_default();
        let failed = |reason: String| WorkspaceError::Start {
            program: program.clone(),
            reason,
        };
        let mut tree = self
            .spawn(&exec)
            .start()
            .await
            .map_err(|error| failed(error.to_string()))?;
        let (mut stdout, mut stderr) = (
            HeadTail::new(exec.keep_bytes),
            HeadTail::new(exec.keep_bytes),
        );
        let mut timed_out = false;
        let ended = {
            let talk = converse(&mut tree, exec.stdin, &mut stdout, &mut stderr);
            tokio::select! {
                () = talk => true,
                () = cancel.cancelled() => false,
                () = tokio::time::sleep(exec.timeout) => {
                    timed_out = true;
                    false
                }
            }
        };
        let exit = tree.try_wait().filter(|_| ended);
        // What the program left in the background ends with it. A tree that cannot be killed says so in the log of
        // its guard; the output is good either way.
        let _ = tree.kill().await;
        Ok(ExecOutput {
            exit,
            timed_out,
            stdout: stdout.join(|dropped| format!("\n[{dropped} bytes left out]\n").into_bytes()),
            stderr: stderr.join(|dropped| format!("\n[{dropped} bytes left out]\n").into_bytes()),
        })
    }
}

/// Writes what the program reads, reads what it writes, and waits for its end. Background processes that keep the
/// pipes open do not keep the caller: once the program has ended, what is in the pipes is taken and that is all.
async fn converse(tree: &mut Tree, stdin: Bytes, stdout: &mut HeadTail, stderr: &mut HeadTail) {
    let input = tree.stdin.take();
    let mut out = tree.stdout.take();
    let mut err = tree.stderr.take();
    let feed = async move {
        if let Some(mut input) = input {
            // A program that does not read to the end closes its pipe: no failure of ours.
            let _ = input.write_all(&stdin).await;
        }
    };
    let follow = async {
        tokio::join!(
            take_all(out.as_mut(), stdout),
            take_all(err.as_mut(), stderr)
        );
    };
    let mut feed = std::pin::pin!(feed);
    {
        let mut follow = std::pin::pin!(follow);
        let mut fed = false;
        loop {
            tokio::select! {
                biased;
                () = &mut follow => break,
                () = &mut feed, if !fed => fed = true,
                _ = tree.wait() => break,
            }
        }
    }
    tree.wait().await;
    for (pipe, kept) in [(out, stdout), (err, stderr)] {
        if let Some(pipe) = pipe {
            take_rest(&pipe, kept);
        }
    }
}

async fn take_all(pipe: Option<&mut (impl AsyncRead + Unpin)>, kept: &mut HeadTail) {
    let Some(pipe) = pipe else { return };
    let mut buffer = vec![0; 16 << 10];
    while let Ok(count @ 1..) = pipe.read(&mut buffer).await {
        kept.push(buffer.get(..count).unwrap_or_default());
    }
}

/// What is in the pipe now.
fn take_rest(pipe: &tokio::net::unix::pipe::Receiver, kept: &mut HeadTail) {
    let mut buffer = vec![0; 16 << 10];
    // A pipe holds 64 KiB, or 1 MiB at most by default: this many reads empty it, however much is written meanwhile.
    for _ in 0..64 {
        // Asked of the pipe itself: whether tokio has heard yet that there is something does not matter.
        match rustix::io::read(pipe, &mut buffer) {
            Ok(count @ 1..) => kept.push(buffer.get(..count).unwrap_or_default()),
            Err(rustix::io::Errno::INTR) => {}
            Ok(0) | Err(_) => return,
        }
    }
}

impl Workspace for LocalWorkspace {
    fn root(&self) -> &Path {
        &self.root
    }

    fn read<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<Bytes, WorkspaceError>> {
        let path = self.path(path);
        Box::pin(async move {
            let failed = |source| WorkspaceError::File {
                action: "cannot read",
                path: path.clone(),
                source,
            };
            let size = tokio::fs::metadata(&path).await.map_err(failed)?.len();
            if size > MAX_READ_BYTES {
                return Err(WorkspaceError::TooLarge {
                    path: path.clone(),
                    size,
                    limit: MAX_READ_BYTES,
                });
            }
            tokio::fs::read(&path)
                .await
                .map(Bytes::from)
                .map_err(failed)
        })
    }

    fn write<'a>(
        &'a self,
        path: &'a Path,
        content: Bytes,
    ) -> BoxFuture<'a, Result<(), WorkspaceError>> {
        let path = self.path(path);
        Box::pin(file_work("cannot write", path, move |target| {
            if let Some(parent) = target.parent() {
                std::fs::create_dir_all(parent)?;
            }
            openhands_tools::safe_write::write_file(target, &content)
                .map_err(|error| io::Error::new(error.kind(), error))
        }))
    }

    fn list<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<Vec<Entry>, WorkspaceError>> {
        Box::pin(file_work("cannot list", self.path(path), entries))
    }

    fn exec(
        &self,
        exec: Exec,
        cancel: CancellationToken,
    ) -> BoxFuture<'_, Result<ExecOutput, WorkspaceError>> {
        Box::pin(self.run(exec, cancel))
    }
}

/// Does a piece of file work away from the async threads.
async fn file_work<T: Send + 'static>(
    action: &'static str,
    path: PathBuf,
    work: impl FnOnce(&Path) -> io::Result<T> + Send + 'static,
) -> Result<T, WorkspaceError> {
    let target = path.clone();
    let done = openhands_tools::blocking(move || work(&target)).await;
    match done.map_err(io::Error::other) {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(source)) | Err(source) => Err(WorkspaceError::File {
            action,
            path,
            source,
        }),
    }
}

fn entries(directory: &Path) -> io::Result<Vec<Entry>> {
    let mut entries = Vec::new();
    for entry in std::fs::read_dir(directory)? {
        let entry = entry?;
        // A name that is no text cannot be asked for by text either.
        let Ok(name) = entry.file_name().into_string() else {
            continue;
        };
        let kind = match std::fs::metadata(entry.path()) {
            Ok(meta) if meta.is_dir() => EntryKind::Directory,
            Ok(meta) if meta.is_file() => EntryKind::File,
            Ok(_) | Err(_) => EntryKind::Other,
        };
        entries.push(Entry { name, kind });
    }
    entries.sort();
    Ok(entries)
}

#[cfg(test)]
#[path = "local_workspace_tests.rs"]
mod tests;
