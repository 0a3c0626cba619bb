//! Children, process trees, pseudo-terminals and the persistent shell.
//!
//! This crate knows processes and bytes. It knows no tools, no conversations, no HTTP, and it reads no
//! settings: callers pass values in.
//!
//! # Trees that end as a whole
//!
//! [`Spawn`] starts a command, [`Tree`] is the command with all that it ever starts. A tree that is killed,
//! dropped, or whose server dies (even by SIGKILL) leaves no process behind, however its processes try to
//! live on: `nohup`, `setsid`, double forks.
//!
//! ```text
//!   server ──────────── requests ───────────► watchdog             the same program, started by the
//!     │  (socket, descriptors pass along)        │ fork            first spawn, before its main
//!     │                                          ▼
//!     └── Tree ◄── control socket, one each ──► guard              subreaper of the tree
//!                  orders, reports, and by       │ fork, exec
//!                  its end: the order to kill    ▼
//!                                             command ─► children ─► daemons ...
//!                                             └───── one cgroup, if the host has one ─────┘
//! ```
//!
//! - The **watchdog** is this very program, executed again under another name; a hook that runs at load time
//!   turns it into the watchdog before `main`. It is small and has one thread, so its forks are cheap and safe,
//!   which they are not in a server. Programs that use this crate need no set-up for it.
//! - A **guard** is the parent of one command. As the subreaper of its tree, it inherits every process whose
//!   parent ends, so that ancestry never breaks. It reports the start, the exit and the end of the whole tree. To
//!   kill, it stops everyone below it until the list is stable (a stopped process forks no more), kills them,
//!   and repeats until it has no child left.
//! - A guard whose tree has ended by itself waits some seconds, and the next command is asked of it directly: that saves
//!   a fork, and making and removing a cgroup. Nothing of the last command is left in it: the request is wiped as soon as
//!   the command runs, and a cgroup that is not as it was made is removed.
//! - The kernel closes a dead server's sockets, and the end of its control socket is each guard's order to kill.
//!   A guard that is killed takes its command along (parent-death signal), and the rest of its tree falls to the
//!   watchdog, which ends it. A watchdog that is killed is replaced at the next spawn; its guards work on.
//! - Where a cgroup v2 hierarchy is writable, the command is born in a **cgroup** of its own, which ends also what
//!   ancestry cannot see. What a watchdog leaves there, if it is killed together with its guards and its server,
//!   is ended when the next server on that host starts its first command.
//!
//! Commands get their environment ([`command_environment`], [`shell_environment`]), descriptors and working
//! directory by name; nothing else is inherited. Umask, resource limits and niceness are those that the server had at its
//! first spawn.
//!
//! ## What a host cannot cover
//!
//! - A server that is not root and has no cgroup cannot kill what became root by `sudo` or the like.
//!   [`Tree::kill`] says so ([`KillError::Survivors`]), and the guard waits for its end.
//! - If server, watchdog and guard are killed at the same moment and there is no cgroup, their direct commands
//!   die with the guards, but daemons live on. The same holds for a command that kills every process of its user
//!   (`kill -9 -1`) and keeps some of its own.
//! - With a guard killed, [`Tree::kill`] cannot tell when the watchdog has done the guard's work
//!   ([`KillError::GuardLost`]).
//! - What a command makes others start (`systemd-run`, `docker run`, `at`, `cron`) is theirs, not its descendant.
//! - A process in an uninterruptible wait for a dead disk or file server dies when that wait ends, and a kill
//!   takes that long. Bound it with a timeout.
//! - A root command may leave its cgroup; it is then held by its ancestry alone.
//! - Without /proc, descendants that leave the command's cgroup or have none cannot be listed, and there is no
//!   watchdog: a spawn fails.
//! - The crate must be part of the program itself. In a library that another program loads, a spawn fails with
//!   [`SpawnError::WatchdogMissing`].
//! - A server that runs as a container's first process and never collects foreign children keeps one dead entry
//!   in the process table for each guard that ended after its watchdog was killed; an init of the
//!   container's (`--init`) collects them.
//!
//! # The persistent shell
//!
//! [`Shell`] is one bash on a pseudo-terminal. [`Shell::run`] begins a command, [`Shell::wait`] follows it to its end
//! or to a limit, [`Shell::output`] gives what a terminal would show of its output and was not given before.
//!
//! - Bash reads its lines from a private socket on descriptor 0; commands get the terminal there. After each
//!   command a function of ours reports on that socket: exit code, directory, interpreter, jobs. So an end is
//!   known from bash itself, never guessed from what a program prints, and nothing polls.
//! - Output and report come on different ways. A read of a Linux terminal's master waits for what was written to
//!   its slave before it says that there is nothing, so all of a command's output is there when it is read empty
//!   after the report.
//! - Prompts, traces and `PROMPT_COMMAND` are taken away while the shell is idle and given back to the next command,
//!   as are `$?`, `set -x` and `set -v`. Variables given with a command reach the shell by the socket only.
//! - A shell that ends with a command is started again; what it left running is ended with it.
//!
//! What cannot be covered: `set -r`, and a command that closes descriptor 50 or thereabouts by `exec`, cut bash off
//! its socket; the command then never ends, and [`Shell::reset`] or cancelling brings a fresh shell. `$_` is not
//! kept between commands, `PIPESTATUS` only where a command mentions it after a pipe. Job notices are bash's own,
//! with its own races. `readonly PS2` shows.

mod account;
mod env;
mod exit;
mod grammar;
mod output;
mod program_pages;
mod pty;
mod screen;
mod shell;
mod spawn;
mod tree;
mod watchdog;

pub use account::Account;
pub use env::{Environment, command_environment, shell_environment};
pub use exit::{Exit, KILLED, TIMED_OUT, UNKNOWN};
pub use grammar::bash_tree;
pub use output::HeadTail;
pub use program_pages::give_back_program;
pub use pty::Size;
pub use rustix::process::Signal;
pub use screen::{Rendered, render};
pub use shell::{
    Captured, Completed, Key, Outcome, Output, Shell, ShellConfig, ShellError, Wait,
    is_variable_name,
};
pub use spawn::{Cgroup, Spawn, SpawnError, Stdio};
pub use tree::{KillError, Tree};
pub use watchdog::User;
