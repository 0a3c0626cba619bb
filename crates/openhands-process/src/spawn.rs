//! The builder of a command, and every way its start can fail.

mod descriptors;
mod error;
mod strings;

use std::ffi::{CString, OsString};
use std::fmt;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::PathBuf;

use descriptors::{Descriptors, Direction};
use strings::Strings;

pub(crate) use descriptors::Pipes;
pub use error::SpawnError;

use crate::tree::{Channel, Tree};
use crate::watchdog::{self, MAX_DESCRIPTORS, Report, Request, User};

/// What a standard descriptor of the command is.
#[derive(Debug, Default)]
pub enum Stdio {
    /// /dev/null.
    #[default]
    Null,
    /// A pipe, whose other end the [`Tree`] carries.
    Pipe,
    /// This descriptor.
    Fd(OwnedFd),
}

/// Whether a tree gets a cgroup of its own.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Cgroup {
    /// If the host lets us make one. The tree is guarded either way.
    #[default]
    Auto,
    /// Never.
    Off,
}

/// A command to be started as a tree of processes that ends as a whole.
///
/// The environment is complete as given: nothing is inherited. The command leads its own session
/// and process group, starts with default signal actions, and has no descriptors but those named here.
pub struct Spawn {
    program: OsString,
    args: Vec<OsString>,
    arg0: Option<OsString>,
    envs: Vec<(OsString, OsString)>,
    cwd: Option<PathBuf>,
    stdin: Stdio,
    stdout: Stdio,
    stderr: Stdio,
    extra: Vec<(i32, OwnedFd)>,
    terminal: Option<i32>,
    nice: i32,
    user: Option<User>,
    cgroup: Cgroup,
}

impl Spawn {
    /// A command without arguments, environment, or standard input and output. A name without a
    /// slash is searched in the PATH of the command's own environment.
    pub fn new(program: impl Into<OsString>) -> Self {
        Self {
            program: program.into(),
            args: Vec::new(),
            arg0: None,
            envs: Vec::new(),
            cwd: None,
            stdin: Stdio::Null,
            stdout: Stdio::Null,
            stderr: Stdio::Null,
            extra: Vec::new(),
            terminal: None,
            nice: 0,
            user: None,
            cgroup: Cgroup::Auto,
        }
    }

    /// Adds an argument.
    #[must_use]
    pub fn arg(mut self, arg: impl Into<OsString>) -> Self {
        self.args.push(arg.into());
        self
    }

    /// Adds arguments.
    #[must_use]
    pub fn args(mut self, args: impl IntoIterator<Item = impl Into<OsString>>) -> Self {
        self.args.extend(args.into_iter().map(Into::into));
        self
    }

    /// Sets argv\[0\], which is the program's name otherwise.
    #[must_use]
    pub fn arg0(mut self, name: impl Into<OsString>) -> Self {
        self.arg0 = Some(name.into());
        self
    }

    /// Adds variables to the command's environment.
    #[must_use]
    pub fn envs(
        mut self,
        envs: impl IntoIterator<Item = (impl Into<OsString>, impl Into<OsString>)>,
    ) -> Self {
        self.envs.extend(
            envs.into_iter()
                .map(|(name, value)| (name.into(), value.into())),
        );
        self
    }

    /// Adds one variable to the command's environment.
    #[must_use]
    pub fn env(self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.envs([(name, value)])
    }

    /// Sets the working directory, which is the server's otherwise.
    #[must_use]
    pub fn cwd(mut self, directory: impl Into<PathBuf>) -> Self {
        self.cwd = Some(directory.into());
        self
    }

    /// Sets descriptor 0.
    #[must_use]
    pub fn stdin(mut self, stdio: Stdio) -> Self {
        self.stdin = stdio;
        self
    }

    /// Sets descriptor 1.
    #[must_use]
    pub fn stdout(mut self, stdio: Stdio) -> Self {
        self.stdout = stdio;
        self
    }

    /// Sets descriptor 2.
    #[must_use]
    pub fn stderr(mut self, stdio: Stdio) -> Self {
        self.stderr = stdio;
        self
    }

    /// Gives the command one more descriptor, under this number (3 or above).
    #[must_use]
    pub fn fd(mut self, number: i32, descriptor: OwnedFd) -> Self {
        self.extra.push((number, descriptor));
        self
    }

    /// Makes the terminal behind this descriptor of the command its controlling terminal.
    #[must_use]
    pub fn controlling_terminal(mut self, number: i32) -> Self {
        self.terminal = Some(number);
        self
    }

    /// Adds to the niceness that the server has.
    #[must_use]
    pub fn nice(mut self, increment: i32) -> Self {
        self.nice = increment;
        self
    }

    /// Runs the command as another user, which only root may.
    #[must_use]
    pub fn user(mut self, user: User) -> Self {
        self.user = Some(user);
        self
    }

    /// Sets whether the tree gets a cgroup.
    #[must_use]
    pub fn cgroup(mut self, cgroup: Cgroup) -> Self {
        self.cgroup = cgroup;
        self
    }

    /// Starts the command. Resolves when it is executing, or with the reason why it is not.
    ///
    /// Dropping the future at any point leaves nothing behind.
    pub async fn start(self) -> Result<Tree, SpawnError> {
        let Self {
            stdin,
            stdout,
            stderr,
            ..
        } = self;
        let mut given = Descriptors::default();
        given.push_standard(0, stdin, Direction::In)?;
        given.push_standard(1, stdout, Direction::Out)?;
        given.push_standard(2, stderr, Direction::Out)?;
        for (number, descriptor) in self.extra {
            if number < 3 || given.targets.contains(&number) {
                return Err(SpawnError::DescriptorNumber { number });
            }
            given.push(number, descriptor);
        }
        if given.owned.len() + 2 > MAX_DESCRIPTORS {
            return Err(SpawnError::TooManyDescriptors);
        }
        let strings = Strings::new(
            &self.program,
            self.arg0,
            self.args,
            self.envs,
            self.cwd.as_deref(),
        )?;
        let mut body = Vec::new();
        Request {
            program: &strings.program,
            args: strings.args.iter().map(CString::as_c_str).collect(),
            env: strings.env.iter().map(CString::as_c_str).collect(),
            directory: &strings.directory,
            nice: self.nice,
            user: self.user,
            terminal: self.terminal,
            targets: given.targets.clone(),
        }
        .encode(&mut body);
        let (channel, report) = ask(&body, &given.owned, self.cgroup).await?;
        given.owned.clear();
        match report {
            Some(Report::Started { pid }) => Ok(Tree::new(pid, channel, given.pipes)),
            Some(Report::Failed { step, errno }) => {
                let directory = self.cwd.unwrap_or_else(|| PathBuf::from("."));
                Err(SpawnError::from_step(step, errno, self.program, directory))
            }
            Some(
                Report::Exited { .. } | Report::Gone | Report::Survivors { .. } | Report::Retired,
            )
            | None => Err(SpawnError::WatchdogLost),
        }
    }
}

/// Asks for a tree: a guard that waits for work if there is one, else a new one.
async fn ask(
    body: &[u8],
    descriptors: &[OwnedFd],
    cgroup: Cgroup,
) -> Result<(Channel, Option<Report>), SpawnError> {
    let exhausted = SpawnError::descriptors("a control socket");
    let given: Vec<BorrowedFd<'_>> = descriptors.iter().map(AsFd::as_fd).collect();
    // A guard that was made for a tree without a cgroup has none for the next.
    let reusable = cgroup == Cgroup::Auto;
    let idle = || {
        let asked = reusable.then(|| Channel::to_idle_guard(body, &given));
        asked.transpose().map(Option::flatten).map_err(&exhausted)
    };
    while let Some(channel) = idle()? {
        match channel.first_report().await {
            Some(Report::Retired) => {}
            answer => return Ok((channel, answer)),
        }
    }
    let (channel, theirs) = Channel::pair().map_err(exhausted)?;
    let all: Vec<BorrowedFd<'_>> = std::iter::once(theirs.as_fd())
        .chain(given.iter().copied())
        .collect();
    watchdog::send(body, &all, reusable).await?;
    drop(theirs);
    if reusable {
        channel.may_be_used_again();
    }
    let answer = channel.first_report().await;
    Ok((channel, answer))
}

impl fmt::Debug for Spawn {
    /// Names the environment's variables, but not their values: some are secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&OsString> = self.envs.iter().map(|(name, _)| name).collect();
        f.debug_struct("Spawn")
            .field("program", &self.program)
            .field("args", &self.args)
            .field("envs", &names)
            .field("cwd", &self.cwd)
            .field("nice", &self.nice)
            .field("user", &self.user)
            .field("cgroup", &self.cgroup)
            .finish_non_exhaustive()
    }
}
