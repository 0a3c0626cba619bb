//! A command's descriptors, and the ends of its pipes that stay with us.

use std::os::fd::OwnedFd;

use rustix::pipe::{PipeFlags, pipe_with};
use tokio::net::unix::pipe;

use super::{SpawnError, Stdio};

/// Our ends of the command's pipes.
#[derive(Debug, Default)]
pub(crate) struct Pipes {
    pub(crate) stdin: Option<pipe::Sender>,
    pub(crate) stdout: Option<pipe::Receiver>,
    pub(crate) stderr: Option<pipe::Receiver>,
}

/// Which end of a pipe the command gets.
#[derive(Clone, Copy)]
pub(super) enum Direction {
    In,
    Out,
}

/// The command's descriptors, with the numbers they get there, and what stays with us.
#[derive(Debug, Default)]
pub(super) struct Descriptors {
    pub(super) owned: Vec<OwnedFd>,
    pub(super) targets: Vec<i32>,
    pub(super) pipes: Pipes,
}

impl Descriptors {
    pub(super) fn push(&mut self, target: i32, descriptor: OwnedFd) {
        self.owned.push(descriptor);
        self.targets.push(target);
    }

    pub(super) fn push_standard(
        &mut self,
        target: i32,
        stdio: Stdio,
        direction: Direction,
    ) -> Result<(), SpawnError> {
        let descriptor = match stdio {
            // What the watchdog has there itself.
            Stdio::Null => return Ok(()),
            Stdio::Fd(descriptor) => descriptor,
            Stdio::Pipe => self
                .pipe(target, direction)
                .map_err(SpawnError::descriptors("a pipe"))?,
        };
        self.push(target, descriptor);
        Ok(())
    }

    /// Makes a pipe, keeps our end and returns the command's.
    fn pipe(&mut self, target: i32, direction: Direction) -> std::io::Result<OwnedFd> {
        let (read, write) = pipe_with(PipeFlags::CLOEXEC)?;
        match direction {
            Direction::In => {
                self.pipes.stdin = Some(pipe::Sender::from_owned_fd(write)?);
                Ok(read)
            }
            Direction::Out => {
                let ours = Some(pipe::Receiver::from_owned_fd(read)?);
                if target == 1 {
                    self.pipes.stdout = ours;
                } else {
                    self.pipes.stderr = ours;
                }
                Ok(write)
            }
        }
    }
}
