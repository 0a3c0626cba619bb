//! An alarm for a thread that sleeps: whoever sets it does not wake the thread, the kernel does when the time has come. To wake it at once, so that
//! it may look at the time and sleep on, would take both threads a turn on the processor while somebody waits for an answer.

use std::io;
use std::os::fd::OwnedFd;
use std::time::Duration;

use rustix::io::Errno;
use rustix::time::{
    Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec, timerfd_create,
    timerfd_settime,
};

/// Rings once for each time that it is set, unless it is set anew before.
#[derive(Debug)]
pub(crate) struct Alarm(OwnedFd);

impl Alarm {
    pub(crate) fn new() -> io::Result<Self> {
        let timer = timerfd_create(TimerfdClockId::Monotonic, TimerfdFlags::CLOEXEC)?;
        Ok(Self(timer))
    }

    /// Lets it ring after so long, and not at the time that was set before.
    pub(crate) fn set(&self, after: Duration) -> io::Result<()> {
        let zero = Timespec::default();
        let spec = Itimerspec {
            it_interval: zero,
            // Nothing at all would be no alarm.
            it_value: after
                .max(Duration::from_nanos(1))
                .try_into()
                .map_err(io::Error::other)?,
        };
        timerfd_settime(&self.0, TimerfdTimerFlags::empty(), &spec)?;
        Ok(())
    }

    /// Sleeps until it rings.
    pub(crate) fn wait(&self) {
        let mut times = [0; size_of::<u64>()];
        while let Err(Errno::INTR) = rustix::io::read(&self.0, &mut times) {}
    }
}

#[cfg(test)]
#[path = "alarm_tests.rs"]
mod tests;
