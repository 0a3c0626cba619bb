//! Input to a running command: lines, bytes, keys; and how a command is made to end.

use std::sync::Arc;
use std::time::Duration;

use rustix::process::Signal;
use tokio_util::sync::CancellationToken;

use super::script::Form;
use super::session::Session;
use super::{Completed, Key, Outcome, Shell, ShellError, Unfinished, Wait, check};

/// How long typed input may wait for the program to read what was typed before.
const INPUT_PATIENCE: Duration = Duration::from_secs(5);

impl Shell {
    /// Types a line and Enter, or adds it to a command that is not whole yet.
    pub async fn send_line(&self, line: &str) -> Result<(), ShellError> {
        if self.unfinished.lock().is_some() {
            return self.continue_with(line).await;
        }
        self.send_input(format!("{line}\r").as_bytes()).await
    }

    async fn continue_with(&self, line: &str) -> Result<(), ShellError> {
        check(line, &[])?;
        let _change = self.change.lock().await;
        let Some(Unfinished {
            text, environment, ..
        }) = self.unfinished.lock().take()
        else {
            return Err(ShellError::Idle);
        };
        let session = self.live_session().await?;
        let done = self
            .hand_over(&session, format!("{text}\n{line}"), environment)
            .await;
        self.changed.notify_waiters();
        done
    }

    /// Types bytes for the running program.
    pub async fn send_input(&self, bytes: &[u8]) -> Result<(), ShellError> {
        let session = self.busy_session()?;
        let write = session.input(bytes);
        match tokio::time::timeout(INPUT_PATIENCE, write).await {
            Ok(written) => written.map_err(ShellError::Terminal),
            Err(_) => Err(ShellError::InputBlocked),
        }
    }

    fn busy_session(&self) -> Result<Arc<Session>, ShellError> {
        match self.session.lock().clone() {
            Some(session) if session.stream().lock().is_running() => Ok(session),
            _ => Err(ShellError::Idle),
        }
    }

    /// Presses a key while a command runs.
    pub async fn send_key(&self, key: Key) -> Result<(), ShellError> {
        if self.unfinished.lock().is_some() {
            return self.key_while_unfinished(key).await;
        }
        let session = self.busy_session()?;
        match key.control_byte() {
            Some(byte) => {
                let write = session.control(byte);
                match tokio::time::timeout(INPUT_PATIENCE, write).await {
                    Ok(written) => written.map_err(ShellError::Terminal),
                    Err(_) => Err(ShellError::InputBlocked),
                }
            }
            None => self.send_input(&key.bytes()).await,
        }
    }

    /// Ctrl-C drops an unfinished command, Ctrl-D ends it where it is; other keys do nothing.
    async fn key_while_unfinished(&self, key: Key) -> Result<(), ShellError> {
        if !matches!(key, Key::Control('c' | 'd')) {
            return Ok(());
        }
        let _change = self.change.lock().await;
        let Some(Unfinished {
            text, environment, ..
        }) = self.unfinished.lock().take()
        else {
            return Err(ShellError::Idle);
        };
        let session = self.live_session().await?;
        let done = if key == Key::Control('c') {
            session.begin_nothing(130, b"^C\r\n").await
        } else {
            session.begin(&text, Form::Eval, &environment).await
        };
        self.changed.notify_waiters();
        done
    }

    /// Presses a key while nothing runs, as a command of its own: Ctrl-C gives status 130, Ctrl-D ends the shell,
    /// other keys change nothing.
    pub async fn press_idle(&self, key: Key) -> Result<(), ShellError> {
        let _change = self.change.lock().await;
        if self.is_running() {
            return Err(ShellError::Busy);
        }
        let session = self.live_session().await?;
        self.told.lock().clear();
        let status = session.known().status;
        match key {
            Key::Control('c') => session.begin_nothing(130, b"^C\r\n").await,
            Key::Control('d') => session.begin("exit", Form::Eval, &[]).await,
            Key::Control(_)
            | Key::Enter
            | Key::Tab
            | Key::Backspace
            | Key::Escape
            | Key::Up
            | Key::Down
            | Key::Left
            | Key::Right
            | Key::Home
            | Key::End
            | Key::PageUp
            | Key::PageDown => session.begin_nothing(status, b"").await,
        }
    }

    /// Interrupts the running command, as Ctrl-C does.
    pub async fn interrupt(&self) -> Result<(), ShellError> {
        self.send_key(Key::Control('c')).await
    }

    /// Interrupts the command, kills its program if that does not help, and at last the shell. What the command
    /// started has ended then, also what an interrupt does not reach.
    pub(super) async fn cancel(&self) -> Result<Completed, ShellError> {
        let session = self.session.lock().clone();
        let started = session.as_ref().map(|session| session.started());
        let completed = self.stop_command().await?;
        if let Some(started) = started {
            started.end().await;
        }
        Ok(completed)
    }

    async fn stop_command(&self) -> Result<Completed, ShellError> {
        let never = CancellationToken::new();
        let grace = Wait {
            soft: None,
            hard: Some(self.config.interrupt_grace),
        };
        self.send_key(Key::Control('c')).await?;
        if let Outcome::Completed(completed) = Box::pin(self.wait(grace, &never)).await? {
            return Ok(completed);
        }
        let session = self.session.lock().clone();
        if let Some(session) = session.as_ref().filter(|session| !session.has_terminal()) {
            session.signal_foreground(Signal::KILL);
        }
        if let Outcome::Completed(completed) = Box::pin(self.wait(grace, &never)).await? {
            return Ok(completed);
        }
        // Bash itself does not stop, or starts one program after the other.
        if let Some(session) = session {
            session.kill().await;
        }
        match Box::pin(self.wait(Wait::default(), &never)).await? {
            Outcome::Completed(completed) | Outcome::Cancelled(completed) => Ok(completed),
            Outcome::SoftTimeout | Outcome::HardTimeout => Err(ShellError::Idle),
        }
    }
}
