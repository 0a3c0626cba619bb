//! From a request to a running command: fork, set up, exec, and the exact reason if it fails.

use std::borrow::Cow;
use std::ffi::{CStr, CString};
use std::fs::File;
use std::io::{self, Read as _, Seek as _};
use std::os::fd::{AsFd as _, AsRawFd as _, OwnedFd, RawFd};

use rustix::fs::Access;
use rustix::io::{Errno, fcntl_dupfd_cloexec};
use rustix::process::{
    Gid, Pid, Signal, Uid, chdir, getppid, ioctl_tiocsctty, nice, set_parent_process_death_signal,
    setsid,
};
use rustix::thread::{set_thread_groups, set_thread_res_gid, set_thread_res_uid};

use super::cgroup::TreeGroup;
use super::duty::{Body, Work};
use super::message::Step;
use super::raw::{self, CStrings, Forked};
use super::receive::Descriptors;
use super::request::{Request, User};

/// Why there is no command.
#[derive(Debug, Clone, Copy)]
pub(super) struct Failure {
    pub(super) step: Step,
    pub(super) errno: Errno,
}

/// Where a command searches for programs if its environment does not say.
const DEFAULT_PATH: &[u8] = b"/usr/local/bin:/usr/bin:/bin";

/// A command that is on its way to exec, and the pipe that tells how that went.
pub(super) struct Launched {
    pub(super) pid: Pid,
    /// At end of file the exec has happened; otherwise it holds a [`Failure`].
    pub(super) outcome: OwnedFd,
}

/// Forks the command, with its request in `buffer` or a file. All else is done by the child, which reads the request,
/// too: what it needs for that is gone with its exec, and the guard, which is this process, stays small. The guard's descriptors of the
/// request are closed.
pub(super) fn launch(
    work: Work,
    buffer: &[u8],
    group: Option<&TreeGroup<'_>>,
    guard: Pid,
) -> Result<Launched, Failure> {
    let at = |step| move |errno| Failure { step, errno };
    let (outcome, tell) =
        rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC).map_err(at(Step::Descriptors))?;
    let (forked, placed) = fork_in(group).map_err(at(Step::Fork))?;
    match forked {
        Forked::Parent(pid) => Ok(Launched { pid, outcome }),
        Forked::Child => {
            if let (false, Some(group)) = (placed, group) {
                // Without its cgroup the tree still has its guard.
                let _ = group.join();
            }
            become_command(work, buffer, tell, guard)
        }
    }
}

/// Executes the command, or tells why not and ends. Not a part of [`launch`]: the guard, in which that goes on, would have the room that this needs
/// on its stack for as long as it lives.
#[inline(never)]
fn become_command(work: Work, buffer: &[u8], tell: OwnedFd, guard: Pid) -> ! {
    let mut tell = tell;
    let failure = match read(work.body, buffer) {
        Ok(bytes) => prepare_and_run(&bytes, work.descriptors, &mut tell, guard),
        Err(errno) => Failure {
            step: Step::Request,
            errno,
        },
    };
    let _ = rustix::io::write(&tell, &encode(failure));
    raw::exit(127)
}

/// The bytes of a request.
fn read(body: Body, buffer: &[u8]) -> Result<Cow<'_, [u8]>, Errno> {
    let file = match body {
        Body::Inline(part) => return buffer.get(part).map(Cow::Borrowed).ok_or(Errno::BADMSG),
        Body::File(file) => file,
    };
    let read = |mut file: File| {
        let mut bytes = Vec::new();
        file.rewind()?;
        file.read_to_end(&mut bytes)?;
        Ok(Cow::Owned(bytes))
    };
    read(File::from(file))
        .map_err(|error: io::Error| Errno::from_io_error(&error).unwrap_or(Errno::IO))
}

/// Sets everything up as the request wants it and executes the command; returns if that failed.
fn prepare_and_run(
    bytes: &[u8],
    descriptors: Descriptors,
    tell: &mut OwnedFd,
    guard: Pid,
) -> Failure {
    let at = |step| move |errno| Failure { step, errno };
    let Some(request) = Request::decode(bytes) else {
        return at(Step::Request)(Errno::BADMSG);
    };
    // Our copies must lie above every number that the command wants, or placing one descriptor
    // would close another.
    let above = request.targets.iter().copied().max().unwrap_or(2).max(2) + 1;
    let lifted = descriptors
        .into_iter()
        .map(|descriptor| lift(descriptor, above));
    let sources: Vec<OwnedFd> = match lifted.collect() {
        Ok(sources) => sources,
        Err(errno) => return at(Step::Descriptors)(errno),
    };
    if sources.len() != request.targets.len() {
        return at(Step::Request)(Errno::BADMSG);
    }
    if tell.as_raw_fd() < above {
        match fcntl_dupfd_cloexec(&*tell, above) {
            Ok(lifted) => *tell = lifted,
            Err(errno) => return at(Step::Descriptors)(errno),
        }
    }
    let candidates = candidates(&request);
    let args = CStrings::new(&request.args);
    let env = CStrings::new(&request.env);
    match set_up(&request, &sources, guard) {
        Ok(()) => run(&candidates, &args, &env),
        Err(failure) => failure,
    }
}

/// What [`Launched::outcome`] held.
pub(super) fn decode_outcome(bytes: &[u8]) -> Option<Failure> {
    let (words, _) = bytes.as_chunks::<4>();
    let [step, errno] = *words else { return None };
    Some(Failure {
        step: Step::from_number(i32::from_ne_bytes(step))?,
        errno: Errno::from_raw_os_error(i32::from_ne_bytes(errno)),
    })
}

fn encode(failure: Failure) -> Vec<u8> {
    let numbers = [failure.step as i32, failure.errno.raw_os_error()];
    numbers
        .iter()
        .flat_map(|number| number.to_ne_bytes())
        .collect()
}

fn lift(descriptor: OwnedFd, above: RawFd) -> Result<OwnedFd, Errno> {
    if descriptor.as_raw_fd() >= above {
        Ok(descriptor)
    } else {
        fcntl_dupfd_cloexec(&descriptor, above)
    }
}

/// Forks, and says whether the child is already in the cgroup.
fn fork_in(group: Option<&TreeGroup<'_>>) -> Result<(Forked, bool), Errno> {
    if let Some(group) = group {
        match raw::fork_into(group.as_fd()) {
            Ok(forked) => return Ok((forked, true)),
            Err(Errno::AGAIN) => return Err(Errno::AGAIN),
            // No clone3 here (an old kernel, a container's filter), or it may not use the group.
            Err(_) => {}
        }
    }
    Ok((raw::fork()?, false))
}

fn set_up(request: &Request<'_>, sources: &[OwnedFd], guard: Pid) -> Result<(), Failure> {
    let at = |step| move |errno| Failure { step, errno };
    raw::restore_signals().map_err(at(Step::Session))?;
    setsid().map_err(at(Step::Session))?;
    if request.nice != 0 {
        nice(request.nice).map_err(at(Step::Nice))?;
    }
    place_all(&request.targets, sources).map_err(at(Step::Descriptors))?;
    if let Some(target) = request.terminal {
        let source = request
            .targets
            .iter()
            .zip(sources)
            .find(|(number, _)| **number == target);
        let (_, terminal) = source.ok_or(Errno::BADF).map_err(at(Step::Terminal))?;
        ioctl_tiocsctty(terminal).map_err(at(Step::Terminal))?;
    }
    if let Some(user) = &request.user {
        become_user(user).map_err(at(Step::User))?;
    }
    chdir(request.directory).map_err(at(Step::Directory))?;
    // After the change of user, which clears it. If the guard dies, nobody could watch over us.
    set_parent_process_death_signal(Some(Signal::KILL)).map_err(at(Step::Session))?;
    if getppid() != Some(guard) {
        raw::exit(127);
    }
    Ok(())
}

/// Puts the command's descriptors where it wants them. Standard ones that it does not name are the
/// guard's own, which are /dev/null.
fn place_all(targets: &[i32], sources: &[OwnedFd]) -> Result<(), Errno> {
    raw::close_from_on_exec(3);
    for (target, source) in targets.iter().zip(sources) {
        raw::place(source.as_fd(), *target)?;
    }
    Ok(())
}

fn become_user(user: &User) -> Result<(), Errno> {
    let groups: Vec<Gid> = user.groups.iter().map(|gid| Gid::from_raw(*gid)).collect();
    let (uid, gid) = (Uid::from_raw(user.uid), Gid::from_raw(user.gid));
    set_thread_groups(&groups)?;
    set_thread_res_gid(gid, gid, gid)?;
    set_thread_res_uid(uid, uid, uid)
}

/// Executes the first candidate that can be executed.
fn run(candidates: &[CString], args: &CStrings<'_>, env: &CStrings<'_>) -> Failure {
    let mut failure = Failure {
        step: Step::Exec,
        errno: Errno::NOENT,
    };
    for candidate in candidates {
        let errno = raw::exec(candidate, args, env);
        match errno {
            // As a shell does: a forbidden match is remembered, a later one may still serve.
            Errno::ACCESS => failure.errno = errno,
            Errno::NOENT if exists(candidate) => {
                return Failure {
                    step: Step::Interpreter,
                    errno,
                };
            }
            Errno::NOENT | Errno::NOTDIR => {}
            _ => {
                return Failure {
                    step: Step::Exec,
                    errno,
                };
            }
        }
    }
    failure
}

fn exists(path: &CStr) -> bool {
    rustix::fs::access(path, Access::EXISTS).is_ok()
}

/// The files to try: the program itself if it names a path, else one for each entry of the
/// command's own PATH.
fn candidates(request: &Request<'_>) -> Vec<CString> {
    let name = request.program.to_bytes();
    if name.contains(&b'/') {
        return vec![request.program.to_owned()];
    }
    if name.is_empty() {
        return Vec::new();
    }
    let path = request
        .env
        .iter()
        .find_map(|entry| entry.to_bytes().strip_prefix(b"PATH="))
        .unwrap_or(DEFAULT_PATH);
    path.split(|byte| *byte == b':')
        .filter_map(|folder| {
            // An empty entry is the working directory.
            let folder = if folder.is_empty() { b"." } else { folder };
            CString::new([folder, b"/", name].concat()).ok()
        })
        .collect()
}

#[cfg(test)]
#[path = "launch_tests.rs"]
mod tests;
