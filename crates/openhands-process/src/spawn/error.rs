//! Why a command did not start.

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;

use rustix::io::Errno;
use thiserror::Error;

use crate::watchdog::{LinkError, Step};

/// Why a command did not start. No process of it is left, and none of its code has run, except
/// as said at [`WatchdogLost`](Self::WatchdogLost).
#[derive(Debug, Error)]
pub enum SpawnError {
    /// There is no such program.
    #[error("program not found: {}", program.display())]
    NotFound {
        /// As it was asked for.
        program: OsString,
    },
    /// The program is a script or needs a loader, and the file that it names is not there.
    #[error("the interpreter of {} was not found", program.display())]
    InterpreterNotFound {
        /// As it was asked for.
        program: OsString,
    },
    /// The program may not be executed, or is a directory.
    #[error("no permission to execute {}", program.display())]
    PermissionDenied {
        /// As it was asked for.
        program: OsString,
    },
    /// The file is no program that this machine can run.
    #[error("not an executable file: {}", program.display())]
    NotExecutable {
        /// As it was asked for.
        program: OsString,
    },
    /// Arguments and environment together, or one of them alone, exceed the kernel's limit.
    #[error("the arguments and environment are too long")]
    ArgumentsTooLong,
    /// A string that the kernel takes up to the first NUL holds one.
    #[error("{what} contains a NUL byte")]
    ContainsNul {
        /// Which string.
        what: &'static str,
    },
    /// The working directory is not there or may not be entered.
    #[error("cannot work in {}: {source}", directory.display())]
    WorkingDirectory {
        /// `.` if it is the server's own.
        directory: PathBuf,
        /// What the kernel said.
        source: io::Error,
    },
    /// The descriptor is not a terminal, or is another session's.
    #[error("cannot take the terminal: {source}")]
    Terminal {
        /// What the kernel said.
        source: io::Error,
    },
    /// We may not become that user.
    #[error("cannot change the user: {source}")]
    User {
        /// What the kernel said.
        source: io::Error,
    },
    /// The number of an additional descriptor is below 3 or given twice.
    #[error("descriptor number {number} is not free")]
    DescriptorNumber {
        /// The number.
        number: i32,
    },
    /// More descriptors than fit one request.
    #[error("too many descriptors for one command")]
    TooManyDescriptors,
    /// A limit of open files is reached, here or in the watchdog.
    #[error("no file descriptor left for {wanted}: {source}")]
    DescriptorsExhausted {
        /// What it was for.
        wanted: &'static str,
        /// What the kernel said.
        source: io::Error,
    },
    /// A limit of processes or of memory is reached.
    #[error("no process left for the command: {source}")]
    ProcessesExhausted {
        /// What the kernel said.
        source: io::Error,
    },
    /// The watchdog could not be started.
    #[error("cannot start the watchdog: {source}")]
    WatchdogStart {
        /// What the kernel said.
        source: io::Error,
    },
    /// The program lacks the hook that makes it its own watchdog, as when this crate is part of a
    /// library that was loaded later.
    #[error("this program cannot be its own watchdog")]
    WatchdogMissing,
    /// The watchdog was killed while it started the command. If the command had begun to run, it was killed.
    #[error("the watchdog was lost while it started the command")]
    WatchdogLost,
    /// Anything else that the kernel refused.
    #[error("cannot start the command while {doing}: {source}")]
    System {
        /// What we were doing.
        doing: &'static str,
        /// What the kernel said.
        source: io::Error,
    },
}

impl SpawnError {
    /// The kernel's error number, where there is one.
    pub fn errno(&self) -> Option<i32> {
        match self {
            Self::NotFound { .. } | Self::InterpreterNotFound { .. } => Some(libc::ENOENT),
            Self::PermissionDenied { .. } => Some(libc::EACCES),
            Self::NotExecutable { .. } => Some(libc::ENOEXEC),
            Self::ArgumentsTooLong => Some(libc::E2BIG),
            Self::WorkingDirectory { source, .. }
            | Self::Terminal { source }
            | Self::User { source }
            | Self::DescriptorsExhausted { source, .. }
            | Self::ProcessesExhausted { source }
            | Self::WatchdogStart { source }
            | Self::System { source, .. } => source.raw_os_error(),
            Self::ContainsNul { .. }
            | Self::DescriptorNumber { .. }
            | Self::TooManyDescriptors
            | Self::WatchdogMissing
            | Self::WatchdogLost => None,
        }
    }

    /// For a descriptor that could not be made.
    pub(super) fn descriptors(wanted: &'static str) -> impl Fn(io::Error) -> Self {
        move |source| match source.raw_os_error() {
            Some(libc::EMFILE | libc::ENFILE) => Self::DescriptorsExhausted { wanted, source },
            _ => Self::System {
                doing: "opening descriptors",
                source,
            },
        }
    }

    /// For a failure that the watchdog reported.
    pub(super) fn from_step(step: Step, errno: i32, program: OsString, directory: PathBuf) -> Self {
        let source = io::Error::from_raw_os_error(errno);
        let other = |doing| move |source| Self::System { doing, source };
        match step {
            Step::Exec => match Errno::from_raw_os_error(errno) {
                Errno::NOENT | Errno::NOTDIR => Self::NotFound { program },
                Errno::ACCESS | Errno::PERM => Self::PermissionDenied { program },
                Errno::NOEXEC => Self::NotExecutable { program },
                Errno::TOOBIG => Self::ArgumentsTooLong,
                Errno::MFILE | Errno::NFILE => Self::descriptors("the program")(source),
                Errno::NOMEM | Errno::AGAIN => Self::ProcessesExhausted { source },
                _ => other("executing the program")(source),
            },
            Step::Interpreter => Self::InterpreterNotFound { program },
            Step::Directory => Self::WorkingDirectory { directory, source },
            Step::Terminal => Self::Terminal { source },
            Step::User => Self::User { source },
            Step::Fork => Self::ProcessesExhausted { source },
            Step::Descriptors => Self::descriptors("the watchdog")(source),
            Step::Nice => other("setting the priority")(source),
            Step::Session => other("making a session")(source),
            Step::Request => other("reading the request")(source),
        }
    }
}

impl From<LinkError> for SpawnError {
    fn from(error: LinkError) -> Self {
        match error {
            LinkError::NotLinked => Self::WatchdogMissing,
            LinkError::Start(source) => match source.raw_os_error() {
                Some(libc::EMFILE | libc::ENFILE) => Self::descriptors("the watchdog")(source),
                Some(libc::EAGAIN | libc::ENOMEM) => Self::ProcessesExhausted { source },
                _ => Self::WatchdogStart { source },
            },
            LinkError::Send(source) => match source.raw_os_error() {
                Some(libc::EPIPE | libc::ECONNRESET) => Self::WatchdogLost,
                Some(libc::EMFILE | libc::ENFILE | libc::ETOOMANYREFS) => {
                    Self::DescriptorsExhausted {
                        wanted: "the request",
                        source,
                    }
                }
                _ => Self::System {
                    doing: "asking the watchdog",
                    source,
                },
            },
        }
    }
}
