//! A running command and everything it has started, held by a handle.

mod channel;

use std::io;
use std::time::Duration;

use rustix::process::Signal;
use thiserror::Error;
use tokio::net::unix::pipe;

pub(crate) use channel::Channel;

use crate::exit::Exit;
use crate::spawn::Pipes;
use crate::watchdog::Order;

/// A command with all its descendants. Dropping it kills them all.
///
/// Made by [`Spawn::start`](crate::Spawn::start). Every method may be called from many tasks at once, and every
/// future may be dropped at any point.
#[derive(Debug)]
pub struct Tree {
    pid: i32,
    channel: Channel,
    /// The command's standard input, if it was asked for as a pipe.
    pub stdin: Option<pipe::Sender>,
    /// The command's standard output, if it was asked for as a pipe.
    pub stdout: Option<pipe::Receiver>,
    /// The command's standard error, if it was asked for as a pipe.
    pub stderr: Option<pipe::Receiver>,
}

/// Why a kill did not end everything.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum KillError {
    /// Processes that we may not signal, such as what a non-root server's command started as root.
    #[error("{count} processes of the tree may not be killed by this user")]
    Survivors {
        /// How many.
        count: i32,
    },
    /// Someone killed the tree's guard. The watchdog ends the tree in its place, but cannot tell when it is done.
    #[error("the guard of the tree was killed")]
    GuardLost,
}

impl Tree {
    pub(crate) fn new(pid: i32, channel: Channel, pipes: Pipes) -> Self {
        Self {
            pid,
            channel,
            stdin: pipes.stdin,
            stdout: pipes.stdout,
            stderr: pipes.stderr,
        }
    }

    /// The command's process id, which is also that of its session and process group.
    pub fn pid(&self) -> i32 {
        self.pid
    }

    /// Waits until the command itself has ended; what it started may go on.
    ///
    /// A command whose guard was killed is killed with it, and counts as such.
    pub async fn wait(&self) -> Exit {
        let lost = Exit::Signal(Signal::KILL.as_raw());
        self.channel
            .until(|seen| seen.exit.or(seen.closed.then_some(lost)))
            .await
    }

    /// How the command ended, if it has.
    pub fn try_wait(&self) -> Option<Exit> {
        self.channel.now().exit
    }

    /// Waits until every process of the tree has ended by itself.
    pub async fn gone(&self) -> Result<(), KillError> {
        self.channel
            .until(|seen| match (seen.gone, seen.closed) {
                (true, _) => Some(Ok(())),
                (false, true) => Some(Err(KillError::GuardLost)),
                (false, false) => None,
            })
            .await
    }

    /// Sends a signal to the command's process group.
    pub fn signal(&self, signal: Signal) -> io::Result<()> {
        self.channel.send(Order::Signal {
            signal: signal.as_raw(),
        })
    }

    /// Kills the whole tree. Resolves when no process of it is left.
    pub async fn kill(&self) -> Result<(), KillError> {
        self.channel.close();
        self.ended().await
    }

    /// Asks the command's process group to end by a signal, and kills the whole tree when the grace is over, or as
    /// soon as that group has ended. Resolves when no process of the tree is left.
    pub async fn terminate(&self, signal: Signal, grace: Duration) -> Result<(), KillError> {
        let order = Order::Terminate {
            signal: signal.as_raw(),
            grace,
        };
        if self.channel.send(order).is_err() {
            // Already being killed, or so many orders are waiting that the command is beyond asking.
            self.channel.close();
        }
        self.ended().await
    }

    async fn ended(&self) -> Result<(), KillError> {
        self.channel
            .until(|seen| {
                if seen.gone {
                    Some(Ok(()))
                } else if seen.closed {
                    Some(Err(KillError::GuardLost))
                } else {
                    seen.survivors
                        .map(|count| Err(KillError::Survivors { count }))
                }
            })
            .await
    }
}
