//! The engine of a terminal: commands, input and keys in one persistent shell, one call at a time.
//!
//! It decides what a call does and tells what came of it. The words for that belong to those who use it: the `terminal`
//! tool, and the `run` action of the V0 server.

use std::sync::Arc;
use std::time::Duration;

use openhands_process::{Completed, Key, Outcome, Output, Shell, ShellConfig, ShellError, Wait};
use tokio::sync::Mutex;
use tokio::sync::broadcast::error::RecvError;
use tokio_util::sync::CancellationToken;

use super::{scrollback, statements};
use crate::executor::OutputSink;

/// How much longer than the limit silence may last. A command that ends, or prints, just at the limit is then seen to
/// do so, as it is by the reference, which looks only every half second.
const SILENCE_GRACE: Duration = Duration::from_millis(200);
/// How long a command that every shell begins with may take.
const FIRST_COMMAND_TIME: Duration = Duration::from_mins(5);

/// One persistent shell, started at the first call and again when it has ended.
#[derive(Debug)]
pub struct TerminalSession {
    config: Arc<ShellConfig>,
    hostname: String,
    first_commands: &'static [&'static str],
    shell: Mutex<Option<Arc<Shell>>>,
    /// One call at a time: a second one would take the first one's output.
    turn: Mutex<()>,
}

/// What is asked of a terminal.
#[derive(Debug)]
pub struct Call<'a> {
    /// The text, without white space around it. An empty one asks for more output of what runs.
    pub command: &'a str,
    /// The key that the text means, if it means one.
    pub key: Option<Key>,
    /// Whether it is for the program that runs.
    pub is_input: bool,
    /// Silence after which a running command is handed back.
    pub silence: Option<Duration>,
    /// Time after which a running command is handed back.
    pub time: Option<Duration>,
    /// Variables that are exported into the shell before a command.
    pub environment: &'a [(String, String)],
    /// Ends the command early.
    pub cancel: &'a CancellationToken,
    /// Takes output while the command runs.
    pub output: &'a OutputSink,
}

/// What came of a call.
#[derive(Debug)]
pub enum Answer {
    /// There is no command whose output could be shown.
    NothingToShow,
    /// There is no command that could take input.
    NothingToFeed,
    /// The text is more than one command.
    Several(Vec<String>),
    /// A command has ended or runs.
    Ran(Ran),
}

/// A command that has ended or runs.
#[derive(Debug)]
pub struct Ran {
    /// Why waiting ended.
    pub end: End,
    /// What was printed and not shown before.
    pub output: Output,
    /// Output of the command before, which ended while nobody was looking.
    pub earlier: String,
    /// The exit code of the shell before, if it ended while nobody was looking. The command ran in a fresh one.
    pub replaced: Option<i32>,
}

/// Why waiting for a command ended.
#[derive(Debug)]
pub enum End {
    /// The command has ended.
    Completed(Completed),
    /// It runs on, and is silent.
    Silent,
    /// It runs on after its time.
    TimedOut,
    /// Another command runs, so this one was not begun.
    Refused,
}

impl Ran {
    /// All text that is new.
    pub fn text(&self) -> String {
        match self.earlier.trim() {
            "" => self.output.text.clone(),
            earlier => format!("{earlier}\n{}", self.output.text),
        }
    }
}

impl TerminalSession {
    /// A terminal without a shell yet.
    pub fn new(config: impl Into<Arc<ShellConfig>>) -> Self {
        let name = rustix::system::uname();
        let hostname = name.nodename().to_string_lossy();
        Self {
            config: config.into(),
            hostname: hostname.split('.').next().unwrap_or_default().to_owned(),
            first_commands: &[],
            shell: Mutex::default(),
            turn: Mutex::default(),
        }
    }

    /// Commands that every shell begins with, also those that take the place of one that ended. They must succeed.
    #[must_use]
    pub fn with_first_commands(mut self, commands: &'static [&'static str]) -> Self {
        self.first_commands = commands;
        self
    }

    /// The machine's name, without its domain.
    pub fn hostname(&self) -> &str {
        &self.hostname
    }

    /// Waits for a call that is under way; no other one begins until the turn is given back.
    pub(super) async fn turn(&self) -> tokio::sync::MutexGuard<'_, ()> {
        self.turn.lock().await
    }

    /// The shell; the first one who needs it starts it.
    pub async fn shell(&self) -> Result<Arc<Shell>, ShellError> {
        let mut shell = self.shell.lock().await;
        if let Some(running) = &*shell {
            return Ok(Arc::clone(running));
        }
        let started = Shell::start(Arc::clone(&self.config)).await?;
        self.begin(&started).await?;
        Ok(Arc::clone(shell.insert(Arc::new(started))))
    }

    /// Runs what every shell begins with.
    async fn begin(&self, shell: &Shell) -> Result<(), ShellError> {
        let limits = Wait {
            soft: None,
            hard: Some(FIRST_COMMAND_TIME),
        };
        for command in self.first_commands {
            shell.run(command, &[]).await?;
            let outcome = shell.wait(limits, &CancellationToken::new()).await?;
            let output = shell.output().text;
            if !matches!(&outcome, Outcome::Completed(done) if done.exit_code == 0 && !done.restarted)
            {
                return Err(ShellError::FirstCommand {
                    command: (*command).to_owned(),
                    output,
                });
            }
        }
        Ok(())
    }

    /// Sets up a shell that came back. One that cannot be set up is better than none.
    async fn begin_again(&self, shell: &Shell) {
        if let Err(error) = self.begin(shell).await {
            tracing::warn!(%error, "the shell that came back is not set up");
        }
    }

    /// Ends the shell with all that runs in it, and starts a fresh one.
    pub async fn restart(&self) -> Result<(), ShellError> {
        let running = self.shell.lock().await.clone();
        match running {
            Some(shell) => {
                shell.reset().await?;
                self.begin(&shell).await
            }
            None => self.shell().await.map(|_| ()),
        }
    }

    /// Ends the shell with all that runs in it. A later call starts a fresh one.
    pub async fn close(&self) {
        if let Some(shell) = self.shell.lock().await.take() {
            shell.close().await;
        }
    }

    /// One command, input or key, after the calls before it.
    pub async fn call(&self, call: &Call<'_>) -> Result<Answer, ShellError> {
        let _turn = self.turn().await;
        self.call_in_turn(call).await
    }

    /// One command, input or key, by one who has the turn.
    pub(super) async fn call_in_turn(&self, call: &Call<'_>) -> Result<Answer, ShellError> {
        let current = self.shell.lock().await.clone();
        let busy = current.as_ref().is_some_and(|shell| shell.is_running());
        if !busy && call.command.is_empty() {
            return Ok(Answer::NothingToShow);
        }
        if !busy && call.is_input {
            return Ok(Answer::NothingToFeed);
        }
        let statements = statements::split(call.command);
        if statements.len() > 1 {
            let statements = statements.into_iter().map(str::to_owned).collect();
            return Ok(Answer::Several(statements));
        }
        let shell = self.shell().await?;
        let asks = call.command.is_empty() || call.is_input;
        let mut earlier = String::new();
        let mut replaced = None;
        if !busy {
            replaced = shell.revive().await?;
        } else if let Some(completed) = ended(&shell).await? {
            if asks {
                // What the input was for has ended by itself; typing it at the prompt would run it as a command.
                return Ok(Answer::Ran(
                    self.ran(&shell, End::Completed(completed)).await,
                ));
            }
            earlier = shell.output().text;
            replaced = completed.restarted.then_some(completed.exit_code);
        } else if !asks {
            return Ok(Answer::Ran(self.ran(&shell, End::Refused).await));
        }
        if replaced.is_some() {
            self.begin_again(&shell).await;
        }
        let end = streaming(&shell, call.output, send_and_wait(&shell, call)).await?;
        let mut ran = self.ran(&shell, end).await;
        if call.is_input {
            let text = without_echo(&ran.output.text, call.command).to_owned();
            ran.output.text = text;
        }
        Ok(Answer::Ran(Ran {
            earlier,
            replaced,
            ..ran
        }))
    }

    /// What there is to tell now that waiting has ended.
    async fn ran(&self, shell: &Shell, end: End) -> Ran {
        let output = shell.output();
        if matches!(&end, End::Completed(completed) if completed.restarted) {
            self.begin_again(shell).await;
        }
        Ran {
            end,
            output,
            earlier: String::new(),
            replaced: None,
        }
    }

    /// The part of a command's output that a terminal with a limited history still shows, and whether that is all.
    pub fn visible<'a>(&self, text: &'a str) -> (&'a str, bool) {
        scrollback::visible(text, self.config.size)
    }
}

async fn send_and_wait(shell: &Shell, call: &Call<'_>) -> Result<End, ShellError> {
    send(shell, call).await?;
    let limits = Wait {
        soft: call
            .silence
            .map(|silence| silence.saturating_add(SILENCE_GRACE)),
        hard: call.time,
    };
    Ok(match shell.wait(limits, call.cancel).await? {
        Outcome::Completed(completed) | Outcome::Cancelled(completed) => End::Completed(completed),
        Outcome::SoftTimeout => End::Silent,
        Outcome::HardTimeout => End::TimedOut,
    })
}

/// Hands the command, the input or the key to the shell.
async fn send(shell: &Shell, call: &Call<'_>) -> Result<(), ShellError> {
    match (call.is_input, call.key) {
        _ if call.command.is_empty() => Ok(()),
        (true, Some(key)) => shell.send_key(key).await,
        (true, None) => shell.send_line(call.command).await,
        (false, Some(key)) => shell.press_idle(key).await,
        (false, None) => shell.run(call.command, call.environment).await,
    }
}

/// Passes on what the shell prints while `work` runs.
async fn streaming<T>(shell: &Shell, sink: &OutputSink, work: impl Future<Output = T>) -> T {
    if !sink.is_watched() {
        return work.await;
    }
    let mut pieces = shell.subscribe();
    let mut work = std::pin::pin!(work);
    let done = loop {
        tokio::select! {
            done = &mut work => break done,
            piece = pieces.recv() => match piece {
                Ok(piece) => sink.push(piece),
                // Too slow: the preview has a gap.
                Err(RecvError::Lagged(_)) => {}
                Err(RecvError::Closed) => break work.await,
            },
        }
    };
    while let Ok(piece) = pieces.try_recv() {
        sink.push(piece);
    }
    done
}

/// The end of the running command, if it has come.
async fn ended(shell: &Shell) -> Result<Option<Completed>, ShellError> {
    let now = Wait {
        soft: None,
        hard: Some(Duration::ZERO),
    };
    Ok(match shell.wait(now, &CancellationToken::new()).await? {
        Outcome::Completed(completed) | Outcome::Cancelled(completed) => Some(completed),
        Outcome::SoftTimeout | Outcome::HardTimeout => None,
    })
}

/// Input is echoed by the terminal; the model knows what it sent.
fn without_echo<'a>(text: &'a str, command: &str) -> &'a str {
    let text = text.trim_start();
    if command.is_empty() {
        return text;
    }
    text.strip_prefix(command).map_or(text, str::trim_start)
}
