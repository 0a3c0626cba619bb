//! The watchdog's unsafe code but for [`super::pages`]: the load-time hook, fork, exec, signals and descriptor numbers.
//!
//! Everything here runs either once per process at load time (`on_load`) or inside the watchdog,
//! which is single-threaded by construction: it starts from a fresh exec, never reaches `main`
//! and never makes a thread. That is what makes `fork` without an immediate exec sound. Each
//! function that relies on it checks [`in_watchdog`] and refuses to act anywhere else.
#![allow(unsafe_code)]

use std::ffi::CStr;
use std::marker::PhantomData;
use std::os::fd::{AsRawFd as _, BorrowedFd, FromRawFd as _, OwnedFd, RawFd};
use std::sync::atomic::{AtomicBool, Ordering};
use std::{mem, ptr};

use libc::{c_char, c_int};
use rustix::io::Errno;
use rustix::process::Pid;

use super::{NAME, zygote};

/// Runs [`on_load`] before `main` in every program that links this crate.
///
/// `#[used]` keeps it through the compiler, the `.init_array` section through the linker's
/// garbage collection, and [`hooked`] (called by every spawn) pulls this object out of the archive.
#[used]
// SAFETY: `.init_array` holds `extern "C"` function pointers that the C runtime calls once at
// load time; a static of exactly that type is what it expects.
#[unsafe(link_section = ".init_array")]
static CONSTRUCTOR: extern "C" fn() = on_load;

static HOOKED: AtomicBool = AtomicBool::new(false);
static IN_WATCHDOG: AtomicBool = AtomicBool::new(false);

/// Signals that neither a terminal nor a supervisor may stop the watchdog with: it ends when its
/// socket closes, after it has cleaned up.
const IGNORED: [c_int; 9] = [
    libc::SIGHUP,
    libc::SIGINT,
    libc::SIGQUIT,
    libc::SIGTERM,
    libc::SIGPIPE,
    libc::SIGUSR1,
    libc::SIGUSR2,
    libc::SIGALRM,
    libc::SIGTSTP,
];

/// Size of the kernel's set of 64 signals.
const SIGNAL_SET_BYTES: usize = 8;

/// clone3 flag; the `libc` crate's constant has a type that cannot hold it.
const CLONE_INTO_CGROUP: u64 = 1 << 33;

extern "C" fn on_load() {
    HOOKED.store(true, Ordering::Relaxed);
    if started_as_watchdog() {
        IN_WATCHDOG.store(true, Ordering::Relaxed);
        zygote::run();
    }
}

/// Whether argv\[0\] is the watchdog's. Read from /proc, as musl hands constructors no arguments.
fn started_as_watchdog() -> bool {
    let mut head = [0_u8; 64];
    let flags = rustix::fs::OFlags::RDONLY | rustix::fs::OFlags::CLOEXEC;
    let Ok(file) = rustix::fs::open(c"/proc/self/cmdline", flags, rustix::fs::Mode::empty()) else {
        return false;
    };
    let Ok(read) = rustix::io::read(&file, &mut head) else {
        return false;
    };
    head.get(..read)
        .is_some_and(|bytes| bytes.starts_with(NAME.to_bytes_with_nul()))
}

/// Whether the load-time hook ran in this process and is part of its program. If not, executing the
/// program again would run its `main` a second time instead of the watchdog.
pub(super) fn hooked() -> bool {
    // The volatile read keeps the reference to the static, and so the hook, in the program.
    // SAFETY: the pointer comes from a reference to a live, initialised static.
    let hook = unsafe { ptr::read_volatile(&raw const CONSTRUCTOR) };
    HOOKED.load(Ordering::Relaxed) && in_program(hook as usize)
}

/// Whether an address belongs to the program itself, not to a library that it has loaded.
fn in_program(address: usize) -> bool {
    let mut search = Search {
        address,
        found: false,
    };
    // SAFETY: the callback gets `search` back, which outlives the call.
    unsafe { libc::dl_iterate_phdr(Some(look_at), (&raw mut search).cast()) };
    search.found
}

struct Search {
    address: usize,
    found: bool,
}

/// Looks for the address in the first object, which is the program, and ends the iteration.
extern "C" fn look_at(
    object: *mut libc::dl_phdr_info,
    _: usize,
    search: *mut libc::c_void,
) -> c_int {
    // SAFETY: the loader hands out a valid description, whose headers stay mapped, and `search` is
    // what `in_program` passed.
    let (object, search) = unsafe { (&*object, &mut *search.cast::<Search>()) };
    if object.dlpi_phdr.is_null() {
        return 1;
    }
    // SAFETY: as above; the pair is the loader's own table of program headers.
    let headers = unsafe { std::slice::from_raw_parts(object.dlpi_phdr, object.dlpi_phnum.into()) };
    search.found = headers.iter().any(|header| {
        // 64-bit fields on a 32-bit target would not fit; addresses there do.
        let base = usize::try_from(object.dlpi_addr + header.p_vaddr).unwrap_or(usize::MAX);
        let length = usize::try_from(header.p_memsz).unwrap_or(0);
        header.p_type == libc::PT_LOAD
            && (base..base.saturating_add(length)).contains(&search.address)
    });
    1
}

fn in_watchdog() -> Result<(), Errno> {
    if IN_WATCHDOG.load(Ordering::Relaxed) {
        Ok(())
    } else {
        Err(Errno::PERM)
    }
}

fn check(result: c_int) -> Result<c_int, Errno> {
    if result < 0 {
        Err(last_errno())
    } else {
        Ok(result)
    }
}

fn last_errno() -> Errno {
    Errno::from_io_error(&std::io::Error::last_os_error()).unwrap_or(Errno::IO)
}

/// Which side of a fork this is.
pub(super) enum Forked {
    Child,
    Parent(Pid),
}

/// Forks the watchdog.
pub(super) fn fork() -> Result<Forked, Errno> {
    in_watchdog()?;
    // SAFETY: the process is single-threaded (checked above), so the child's copy of the heap and
    // of every lock is in a usable state.
    let pid = check(unsafe { plain_fork() })?;
    Ok(Pid::from_raw(pid).map_or(Forked::Child, Forked::Parent))
}

/// By the system call: the C library's `fork` writes to seven pages of its own memory, on both sides, to be ready for threads that
/// there are not. Each would be a page of memory for every guard.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
unsafe fn plain_fork() -> c_int {
    // The order of the last arguments differs by architecture, but none of them is given.
    let none: libc::c_long = 0;
    let flags = libc::c_long::from(libc::SIGCHLD);
    // SAFETY: without CLONE_VM and with no stack given, clone behaves like fork; the caller vouches for the rest.
    let pid = unsafe { libc::syscall(libc::SYS_clone, flags, none, none, none, none) };
    c_int::try_from(pid).unwrap_or(-1)
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
unsafe fn plain_fork() -> c_int {
    // SAFETY: the caller vouches for it.
    unsafe { libc::fork() }
}

/// Forks the watchdog with the child born inside a cgroup: unlike a later move, this takes no
/// system-wide lock.
pub(super) fn fork_into(cgroup: BorrowedFd<'_>) -> Result<Forked, Errno> {
    in_watchdog()?;
    // SAFETY: `clone_args` is a plain structure of integers for which all zeroes is valid.
    let mut args: libc::clone_args = unsafe { mem::zeroed() };
    args.flags = CLONE_INTO_CGROUP;
    args.exit_signal = u64::from(libc::SIGCHLD.cast_unsigned());
    args.cgroup = u64::from(cgroup.as_raw_fd().cast_unsigned());
    // SAFETY: without CLONE_VM and with no stack given, clone3 behaves like fork; the arguments
    // outlive the call, and the process is single-threaded (checked above).
    let pid = unsafe { libc::syscall(libc::SYS_clone3, &raw const args, size_of_val(&args)) };
    if pid < 0 {
        return Err(last_errno());
    }
    let pid = c_int::try_from(pid).map_err(|_| Errno::RANGE)?;
    Ok(Pid::from_raw(pid).map_or(Forked::Child, Forked::Parent))
}

/// A null-terminated array of C strings, as exec wants it.
pub(super) struct CStrings<'a> {
    pointers: Vec<*const c_char>,
    strings: PhantomData<&'a CStr>,
}

impl<'a> CStrings<'a> {
    pub(super) fn new(strings: &[&'a CStr]) -> Self {
        let mut pointers = Vec::with_capacity(strings.len() + 1);
        pointers.extend(strings.iter().map(|string| string.as_ptr()));
        pointers.push(ptr::null());
        Self {
            pointers,
            strings: PhantomData,
        }
    }
}

/// Replaces the process by `path`; returns only if that failed.
pub(super) fn exec(path: &CStr, args: &CStrings<'_>, env: &CStrings<'_>) -> Errno {
    if let Err(refused) = in_watchdog() {
        return refused;
    }
    // SAFETY: all three are valid, null-terminated, and outlive the call (`CStrings` borrows what
    // its pointers point to).
    unsafe { libc::execve(path.as_ptr(), args.pointers.as_ptr(), env.pointers.as_ptr()) };
    last_errno()
}

/// Ends the process without running exit handlers, which belong to the program we never started.
pub(super) fn exit(code: c_int) -> ! {
    // SAFETY: `_exit` has no preconditions.
    unsafe { libc::_exit(code) }
}

/// Gives every signal its default action, ignores [`IGNORED`], and returns a descriptor that
/// becomes readable when a child changes state.
pub(super) fn watch_children() -> Result<OwnedFd, Errno> {
    in_watchdog()?;
    for signal in 1..=64 {
        set_action(signal, libc::SIG_DFL);
    }
    for signal in IGNORED {
        set_action(signal, libc::SIG_IGN);
    }
    let mut set = empty_set();
    // SAFETY: `set` is an initialised signal set; SIGCHLD is a valid signal.
    unsafe { libc::sigaddset(&raw mut set, libc::SIGCHLD) };
    set_mask(&set)?;
    // SAFETY: -1 asks for a new descriptor, which nothing else owns.
    unsafe {
        let fd = check(libc::signalfd(
            -1,
            &raw const set,
            libc::SFD_CLOEXEC | libc::SFD_NONBLOCK,
        ))?;
        Ok(OwnedFd::from_raw_fd(fd))
    }
}

/// Undoes [`watch_children`] and the ignored signals: a command starts with every signal at its
/// default and none blocked.
pub(super) fn restore_signals() -> Result<(), Errno> {
    in_watchdog()?;
    for signal in IGNORED {
        set_action(signal, libc::SIG_DFL);
    }
    set_mask(&empty_set())
}

/// Gives a signal its default action, or ignores it.
///
/// By the system call, as the C library keeps signals 32 and 33 to itself and refuses to touch
/// them, even when some other parent has left them ignored for us to inherit.
fn set_action(signal: c_int, action: libc::sighandler_t) {
    // The kernel's structure: handler, flags, and a mask and restorer that neither action needs.
    let new: [usize; 8] = [action, 0, 0, 0, 0, 0, 0, 0];
    // SAFETY: the structure is at least as long as the kernel's on every architecture and outlives
    // the call; the action is one of two constants, never a handler. Signals that cannot be
    // changed fail harmlessly.
    unsafe {
        libc::syscall(
            libc::SYS_rt_sigaction,
            signal,
            new.as_ptr(),
            ptr::null_mut::<usize>(),
            SIGNAL_SET_BYTES,
        );
    }
}

fn empty_set() -> libc::sigset_t {
    let mut set = mem::MaybeUninit::uninit();
    // SAFETY: `sigemptyset` initialises the whole set.
    unsafe {
        libc::sigemptyset(set.as_mut_ptr());
        set.assume_init()
    }
}

fn set_mask(set: &libc::sigset_t) -> Result<(), Errno> {
    // SAFETY: `set` is initialised and outlives the call; no old mask is asked for.
    check(unsafe { libc::sigprocmask(libc::SIG_SETMASK, set, ptr::null_mut()) }).map(drop)
}

/// The process group of a process. None when the process has ended, and when the group was made outside of the PID
/// namespace that we are in, as happens to a server that is started by `unshare`: there the kernel says 0.
pub(crate) fn group_of(pid: Option<Pid>) -> Option<Pid> {
    // SAFETY: takes and returns a number; rustix cannot be asked, as it takes any group to have one above 0.
    let group = unsafe { libc::getpgid(Pid::as_raw(pid)) };
    if group > 0 {
        Pid::from_raw(group)
    } else {
        None
    }
}

/// Takes ownership of the watchdog's standard input, which its starter made the request socket.
pub(super) fn take_stdin() -> Result<OwnedFd, Errno> {
    in_watchdog()?;
    // SAFETY: called once, first thing in the watchdog, before anything else uses descriptor 0.
    Ok(unsafe { OwnedFd::from_raw_fd(0) })
}

/// Makes `target` another name of `source`, open across exec. What `target` was is closed.
pub(super) fn place(source: BorrowedFd<'_>, target: RawFd) -> Result<(), Errno> {
    in_watchdog()?;
    if source.as_raw_fd() == target {
        return rustix::io::fcntl_setfd(source, rustix::io::FdFlags::empty());
    }
    // SAFETY: the callers own what `target` names: the watchdog its standard descriptors, a
    // command on its way to exec everything it has.
    check(unsafe { libc::dup2(source.as_raw_fd(), target) }).map(drop)
}

/// Closes every descriptor from `first` on.
pub(super) fn close_from(first: RawFd) -> Result<(), Errno> {
    in_watchdog()?;
    close_range(first, 0).or_else(|_| {
        // Kernels before 5.9 have no close_range.
        let listed = std::fs::read_dir("/proc/self/fd").map_err(|_| Errno::NOENT)?;
        let numbers: Vec<RawFd> = listed
            .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
            .filter(|number| *number >= first)
            .collect();
        for number in numbers {
            // SAFETY: as for the whole function: nothing in the fresh watchdog owns these.
            unsafe { libc::close(number) };
        }
        Ok(())
    })
}

/// Marks every descriptor from `first` on to be closed by exec. All of ours are already; this
/// covers what a library might have opened without saying so.
pub(super) fn close_from_on_exec(first: RawFd) {
    // Before 5.11 the flag is unknown; then the marks set at opening have to do.
    let _ = close_range(first, libc::CLOSE_RANGE_CLOEXEC);
}

fn close_range(first: RawFd, flags: libc::c_uint) -> Result<(), Errno> {
    in_watchdog()?;
    // SAFETY: the caller vouches that nothing uses the descriptors afterwards.
    let result = unsafe { libc::syscall(libc::SYS_close_range, first, libc::c_uint::MAX, flags) };
    if result < 0 {
        Err(last_errno())
    } else {
        Ok(())
    }
}

#[cfg(test)]
#[path = "raw_tests.rs"]
mod tests;
