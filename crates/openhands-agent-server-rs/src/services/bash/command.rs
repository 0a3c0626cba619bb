//! One command from its start to its end.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use openhands_protocol::bash::{BashCommand, BashOutput};
use openhands_protocol::{BashEventId, Extra};
use openhands_sdk_rs::process::{Environment, Exit, Signal, Spawn, SpawnError, Stdio, Tree};
use openhands_sdk_rs::tools::safe_write::os_error_text;
use tokio::net::unix::pipe;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::chunks::{Chunks, GATHER, GATHER_LITTLE, Piece, Source};
use super::joined::Stored;
use super::rooms::Rooms;
use super::store::{Added, EventStore};

const SHELL: &str = "/bin/sh";

/// The exit code of a command that took too long or did not start.
const FAILED: i64 = -1;

/// How long a command may take to end after it was asked to.
const GRACE: Duration = Duration::from_secs(1);

/// How long the pipes of a killed tree are read on. They end with it, unless somebody lives who cannot be killed.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// What is read at once.
const READ_BYTES: usize = 64 << 10;
const WIDE_READ_BYTES: usize = 256 << 10;

/// What the pipes of a command hold that prints much: it goes on while its last megabyte is being stored.
const WIDE_PIPE_BYTES: usize = 1 << 20;

/// Longer than any server runs, and short enough to be added to a time.
const LONGEST_TIMEOUT: Duration = Duration::from_hours(10 * 365 * 24);

/// The way to a running command.
#[derive(Default)]
pub(super) struct Control {
    /// Asks it to end.
    pub(super) stop: CancellationToken,
    /// Its last output is stored, and if it was stopped, nothing of it is left.
    pub(super) gone: CancellationToken,
}

/// A command that runs.
pub(super) struct Run {
    pub(super) command: BashCommand,
    pub(super) environment: Environment,
    pub(super) store: Arc<EventStore>,
    pub(super) control: Arc<Control>,
    pub(super) closing: CancellationToken,
    /// Where somebody waits for all output.
    pub(super) outputs: Option<mpsc::Sender<Stored>>,
    /// The next output's number.
    pub(super) order: i64,
    /// The output that is being stored while the next is read.
    pub(super) storing: Option<JoinHandle<io::Result<Added>>>,
    /// Memory of outputs that are stored, for the next: their text, and their JSON.
    pub(super) text_room: String,
    pub(super) json_rooms: Rooms,
}

impl Run {
    /// Runs the command and keeps an eye on what it leaves behind.
    pub(super) async fn finish(mut self) {
        let control = Arc::clone(&self.control);
        // Also when this task is dropped: nobody shall wait for what does not come.
        let _gone = control.gone.clone().drop_guard();
        match self.spawn().await {
            Ok(tree) => self.attend(tree).await,
            Err(error) => {
                tracing::warn!(command = %self.command.id, %error, "a command did not start");
                let piece = Piece {
                    stdout: None,
                    stderr: Some(format!(
                        "Error executing command: {}",
                        start_error_text(&error)
                    )),
                };
                self.emit(piece, Some(FAILED)).await;
            }
        }
    }

    async fn spawn(&self) -> Result<Tree, SpawnError> {
        let mut spawn = Spawn::new(SHELL)
            .arg("-c")
            .arg(&self.command.command)
            .envs(self.environment.clone())
            .stdout(Stdio::Pipe)
            .stderr(Stdio::Pipe);
        if let Some(cwd) = &self.command.cwd {
            spawn = spawn.cwd(cwd);
        }
        spawn.start().await
    }

    async fn attend(&mut self, mut tree: Tree) {
        let mut pipes = Pipes {
            stdout: tree.stdout.take(),
            stderr: tree.stderr.take(),
            chunks: Chunks::new(match self.outputs {
                Some(_) => GATHER,
                None => GATHER_LITTLE,
            }),
            is_wide: false,
        };
        let code = match self.follow(&tree, &mut pipes).await {
            End::Exited(exit) => i64::from(exit.return_code()),
            End::TimedOut => {
                tracing::warn!(command = %self.command.id, seconds = self.command.timeout, "a command took too long");
                self.end(&tree).await;
                FAILED
            }
        };
        drop((pipes.stdout.take(), pipes.stderr.take()));
        while pipes.chunks.is_full() {
            let piece = self.piece(&mut pipes);
            self.emit(piece, None).await;
        }
        let rest = self.piece(&mut pipes);
        self.emit(rest, Some(code)).await;
        // Those who wait for the output have it all.
        self.outputs = None;
        self.rest().await;
        // What it left in the background may go on, as after any shell command, but not for ever.
        tokio::select! {
            _ = tree.gone() => {}
            () = self.control.stop.cancelled() => self.end(&tree).await,
            () = self.closing.cancelled() => self.end(&tree).await,
        }
    }

    /// Reads until the command has exited and both pipes are at their end, or until its time is over.
    async fn follow(&mut self, tree: &Tree, pipes: &mut Pipes) -> End {
        let timeout =
            u64::try_from(self.command.timeout).map_or(Duration::ZERO, Duration::from_secs);
        if timeout.is_zero() {
            return End::TimedOut;
        }
        let mut deadline = Instant::now() + timeout.min(LONGEST_TIMEOUT);
        let (stop, closing) = (self.control.stop.clone(), self.closing.clone());
        let mut ending = std::pin::pin!(async {
            tokio::select! {
                () = stop.cancelled() => {}
                () = closing.cancelled() => {}
            }
            end(tree, &closing).await;
        });
        let mut exit = None;
        let mut killed = false;
        loop {
            if let (Some(exit), true) = (exit, pipes.chunks.at_end()) {
                return End::Exited(exit);
            }
            let due = pipes.chunks.due();
            tokio::select! {
                biased;
                () = tokio::time::sleep_until(deadline) => {
                    return if killed { End::Exited(exit.unwrap_or(Exit::Signal(Signal::KILL.as_raw()))) } else { End::TimedOut };
                }
                () = &mut ending, if !killed => {
                    killed = true;
                    deadline = Instant::now() + LAST_WORDS;
                }
                ended = tree.wait(), if exit.is_none() => exit = Some(ended),
                () = tokio::time::sleep_until(due.unwrap_or(deadline)), if due.is_some() => {
                    let piece = self.piece(pipes);
                    self.emit(piece, None).await;
                    self.rest().await;
                }
                () = pipes.read() => {
                    if pipes.chunks.is_much() {
                        pipes.widen();
                    }
                    while pipes.chunks.is_full() {
                        let piece = self.piece(pipes);
                        self.emit(piece, None).await;
                    }
                }
            }
        }
    }

    /// The text of the next event.
    fn piece(&mut self, pipes: &mut Pipes) -> Piece {
        let room = std::mem::take(&mut self.text_room);
        pipes.chunks.take(Instant::now(), room)
    }

    async fn end(&self, tree: &Tree) {
        end(tree, &self.closing).await;
    }

    /// Stores an output, announces it, and hands it to who waits.
    async fn emit(&mut self, piece: Piece, exit_code: Option<i64>) {
        if exit_code.is_none() && piece == Piece::default() {
            return;
        }
        let timestamp = match self.store.stamp().await {
            Ok(timestamp) => timestamp,
            Err(_) => openhands_protocol::UtcTime::now(),
        };
        let output = BashOutput {
            id: BashEventId::random(),
            timestamp,
            command_id: self.command.id,
            order: self.order,
            exit_code,
            stdout: piece.stdout,
            stderr: piece.stderr,
            extra: Extra::EMPTY,
        };
        self.order += 1;
        self.settle().await;
        let room = self.json_rooms.take();
        self.storing = Some(self.store.add_output(output, room));
        if exit_code.is_some() {
            self.settle().await;
        }
    }

    /// Waits until all is stored, and gives the memory back that a flood of output took.
    async fn rest(&mut self) {
        self.settle().await;
        self.json_rooms = Rooms::default();
        self.text_room = String::new();
    }

    /// Waits until the last output is stored, and hands it to who waits.
    async fn settle(&mut self) {
        let Some(storing) = self.storing.take() else {
            return;
        };
        let failed = match storing.await.map_err(io::Error::other).flatten() {
            Ok(added) => {
                self.text_room = added.text_room.unwrap_or_default();
                if let Some(outputs) = &self.outputs {
                    // Whoever waited may have gone away.
                    let _ = outputs.send(added.stored).await;
                }
                added.done.err()
            }
            Err(error) => Some(error),
        };
        if let Some(error) = failed {
            tracing::error!(command = %self.command.id, %error, "output of a command cannot be stored");
        }
    }
}

/// How the reading came to its end.
enum End {
    Exited(Exit),
    TimedOut,
}

/// Asks the tree to end and kills it after the grace; when the server is stopping, at once.
async fn end(tree: &Tree, closing: &CancellationToken) {
    let ended = tokio::select! {
        biased;
        () = closing.cancelled() => tree.kill().await,
        ended = tree.terminate(Signal::TERM, GRACE) => ended,
    };
    if let Err(error) = ended {
        tracing::error!(%error, "a command cannot be killed");
    }
}

/// What comes from the command.
struct Pipes {
    stdout: Option<pipe::Receiver>,
    stderr: Option<pipe::Receiver>,
    chunks: Chunks,
    is_wide: bool,
}

impl Pipes {
    /// Lets the pipes hold more, where the system allows it.
    fn widen(&mut self) {
        if self.is_wide {
            return;
        }
        self.is_wide = true;
        for pipe in [&self.stdout, &self.stderr].into_iter().flatten() {
            // It is slower without, and no worse.
            let _ = rustix::pipe::fcntl_setpipe_size(pipe, WIDE_PIPE_BYTES);
        }
    }

    /// Takes the next bytes of either stream. Never returns when both have ended; may be dropped at any point.
    async fn read(&mut self) {
        let source = tokio::select! {
            () = readable(self.stdout.as_ref()), if self.chunks.is_open(Source::Stdout) => Source::Stdout,
            () = readable(self.stderr.as_ref()), if self.chunks.is_open(Source::Stderr) => Source::Stderr,
            else => return std::future::pending().await,
        };
        let size = if self.is_wide {
            WIDE_READ_BYTES
        } else {
            READ_BYTES
        };
        let pipe = match source {
            Source::Stdout => &self.stdout,
            Source::Stderr => &self.stderr,
        };
        // There may be nothing to read after all.
        let _ = self.chunks.read(source, size, Instant::now(), |room| {
            // A pipe that fails counts as ended.
            match pipe.as_ref().map_or(Ok(0), |pipe| pipe.try_read_buf(room)) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => Err(error),
                read => Ok(read.unwrap_or(0)),
            }
        });
    }
}

/// Waits until there is something to read, or the end.
async fn readable(pipe: Option<&pipe::Receiver>) {
    if let Some(pipe) = pipe {
        // An error shows again at the read.
        let _ = pipe.readable().await;
    }
}

/// A failed start in the words of Python's `OSError`, which clients know.
fn start_error_text(error: &SpawnError) -> String {
    let path = match error {
        SpawnError::WorkingDirectory { directory, .. } => directory.as_path(),
        SpawnError::ContainsNul { .. } => return "embedded null byte".to_owned(),
        _ => Path::new(SHELL),
    };
    match error.errno() {
        Some(errno) => os_error_text(&io::Error::from_raw_os_error(errno), Some(path)),
        None => error.to_string(),
    }
}
