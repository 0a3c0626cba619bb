//! The lease: at most one server writes a conversation.
//!
//! `owner_lease.json` names the owner, how often ownership has changed, and until when it holds. Another
//! server may take over when that time has passed, or at once when the owner was a process of the same host
//! that is gone. All reading and writing of it happens under `.owner_lease.lock`.

use std::fmt;
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use openhands_protocol::conversation::OwnerLease;
use parking_lot::Mutex;
use rustix::io::Errno;
use rustix::process::{Pid, test_kill_process};
use serde::Deserialize;

use crate::event_log::files::lock::{self, FileLock};
use crate::event_log::files::{Force, replace, write_aside};

/// How long a lease holds without being renewed.
pub const LEASE_TTL: Duration = Duration::from_secs(45);
/// How often it is renewed.
pub const LEASE_RENEW_EVERY: Duration = Duration::from_secs(15);

const FILE: &str = "owner_lease.json";
const LOCK: &str = ".owner_lease.lock";
const NEXT: &str = ".owner_lease.json.tmp";
/// Others may look who the owner is.
const PUBLIC: u32 = 0o644;

/// Why the lease was refused or is gone.
#[derive(Debug, thiserror::Error)]
pub enum LeaseError {
    /// Another server owns the conversation.
    #[error("conversation lease is held by {owner} until {expires_at}")]
    Held {
        /// Its instance id.
        owner: String,
        /// Seconds since 1970.
        expires_at: f64,
    },
    /// Another server has taken over.
    #[error("conversation ownership was lost before the write completed")]
    Lost,
    /// Another process held the lock of the lease for too long.
    #[error("the conversation lease is locked by another process")]
    Locked,
    /// The file system refused.
    #[error("{doing} the conversation lease failed")]
    Io {
        /// What was tried.
        doing: &'static str,
        /// Why it failed.
        #[source]
        source: io::Error,
    },
}

impl LeaseError {
    fn io(doing: &'static str) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Io { doing, source }
    }
}

/// Tells the time, in seconds since 1970.
#[derive(Clone)]
pub struct Clock(Arc<dyn Fn() -> f64 + Send + Sync>);

impl Clock {
    /// The clock of the machine.
    pub fn system() -> Self {
        Self::from_fn(|| {
            SystemTime::now()
                .duration_since(UNIX_EPOCH)
                .map_or(0.0, |since| since.as_secs_f64())
        })
    }

    /// Any other clock.
    pub fn from_fn(now: impl Fn() -> f64 + Send + Sync + 'static) -> Self {
        Self(Arc::new(now))
    }

    fn now(&self) -> f64 {
        (self.0)()
    }
}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Clock({})", self.now())
    }
}

/// Who wants to own conversations, and on which terms.
#[derive(Debug, Clone)]
pub struct LeaseOwner {
    /// 32 hex digits, fresh for every start of a server.
    pub instance_id: String,
    /// Name of the machine.
    pub host: String,
    /// The process.
    pub pid: i64,
    /// How long a lease holds without being renewed.
    pub ttl: Duration,
    /// What time it is.
    pub clock: Clock,
}

impl LeaseOwner {
    /// This process, with the usual terms.
    pub fn this_process(instance_id: impl Into<String>) -> Self {
        let host = rustix::system::uname();
        Self {
            instance_id: instance_id.into(),
            host: host.nodename().to_string_lossy().into_owned(),
            pid: i64::from(std::process::id()),
            ttl: LEASE_TTL,
            clock: Clock::system(),
        }
    }
}

/// How a lease was got.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Claim {
    /// One more for each change of owner.
    pub generation: i64,
    /// Whether it was another's before.
    pub takeover: bool,
}

/// A lease that is owned. Dropping it leaves it on disk, as a crash would; [`Lease::release`] gives it up.
#[derive(Debug)]
pub struct Lease {
    directory: PathBuf,
    owner: LeaseOwner,
    claim: Claim,
    /// What the file looked like when we last wrote or read it as ours.
    seen: Mutex<Option<Stamp>>,
}

/// Permission for one write: nobody can take over while it is held.
#[derive(Debug)]
pub struct WriteGuard {
    _lock: FileLock,
}

/// Identity of a file's contents. Every change of a lease makes a new file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stamp {
    device: u64,
    inode: u64,
    seconds: i64,
    nanoseconds: i64,
}

/// The parts of a lease that matter. Those of older servers lack host and process.
#[derive(Debug, Deserialize)]
struct Found {
    owner_instance_id: String,
    generation: i64,
    expires_at: f64,
    #[serde(default)]
    owner_host: Option<serde_json::Value>,
    #[serde(default)]
    owner_pid: Option<serde_json::Value>,
}

impl Lease {
    /// Takes the lease of a conversation's directory, or says who has it.
    pub fn claim(directory: impl AsRef<Path>, owner: LeaseOwner) -> Result<Self, LeaseError> {
        let directory = directory.as_ref().to_owned();
        fs::create_dir_all(&directory).map_err(LeaseError::io("creating the directory of"))?;
        let _lock = take_lock(&directory)?;
        let now = owner.clock.now();
        let claim = match read(&directory)? {
            None => Claim {
                generation: 1,
                takeover: false,
            },
            Some(found) if found.owner_instance_id == owner.instance_id => Claim {
                generation: found.generation,
                takeover: false,
            },
            Some(found) if found.expires_at > now && !found.owner_is_dead(&owner) => {
                return Err(LeaseError::Held {
                    owner: found.owner_instance_id,
                    expires_at: found.expires_at,
                });
            }
            Some(found) => Claim {
                generation: found.generation.saturating_add(1),
                takeover: true,
            },
        };
        let lease = Self {
            directory,
            owner,
            claim,
            seen: Mutex::new(None),
        };
        lease.write()?;
        Ok(lease)
    }

    /// Whether somebody had a lease of a conversation's directory and did not release it: a server that runs, or one that was killed.
    pub fn is_left_in(directory: &Path) -> bool {
        directory.join(FILE).exists()
    }

    /// How it was got.
    pub fn claimed(&self) -> Claim {
        self.claim
    }

    /// Makes it hold for another while.
    pub fn renew(&self) -> Result<(), LeaseError> {
        let _lock = take_lock(&self.directory)?;
        self.check()?;
        self.write()
    }

    /// Whether it is still ours.
    pub fn verify(&self) -> Result<(), LeaseError> {
        self.guard().map(drop)
    }

    /// Permission for one write, if it is still ours.
    pub fn guard(&self) -> Result<WriteGuard, LeaseError> {
        let lock = take_lock(&self.directory)?;
        self.check()?;
        Ok(WriteGuard { _lock: lock })
    }

    /// Gives it up, so that another server may go on at once. Another's lease is left alone.
    pub fn release(&self) -> Result<(), LeaseError> {
        let _lock = take_lock(&self.directory)?;
        match self.check() {
            Ok(()) => fs::remove_file(self.path()).map_err(LeaseError::io("removing")),
            Err(LeaseError::Lost) => Ok(()),
            Err(error) => Err(error),
        }
    }

    fn path(&self) -> PathBuf {
        self.directory.join(FILE)
    }

    /// Under the lock: is the lease on disk ours? An unchanged file is not read again.
    fn check(&self) -> Result<(), LeaseError> {
        let stamp = self.stamp()?;
        let mut seen = self.seen.lock();
        if stamp.is_some() && *seen == stamp {
            return Ok(());
        }
        let ours = read(&self.directory)?.is_some_and(|found| {
            found.owner_instance_id == self.owner.instance_id
                && found.generation == self.claim.generation
        });
        *seen = stamp.filter(|_| ours);
        if ours { Ok(()) } else { Err(LeaseError::Lost) }
    }

    fn stamp(&self) -> Result<Option<Stamp>, LeaseError> {
        match fs::symlink_metadata(self.path()) {
            Ok(file) => Ok(Some(Stamp {
                device: file.dev(),
                inode: file.ino(),
                seconds: file.mtime(),
                nanoseconds: file.mtime_nsec(),
            })),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(LeaseError::io("reading")(error)),
        }
    }

    fn write(&self) -> Result<(), LeaseError> {
        let lease = OwnerLease {
            owner_instance_id: self.owner.instance_id.clone(),
            generation: self.claim.generation,
            expires_at: self.owner.clock.now() + self.owner.ttl.as_secs_f64(),
            owner_host: self.owner.host.clone(),
            owner_pid: self.owner.pid,
            ..OwnerLease::default()
        };
        let text = serde_json::to_vec(&lease)
            .map_err(|error| LeaseError::io("writing")(io::Error::other(error)))?;
        let next = self.directory.join(NEXT);
        write_aside(&next, &text, PUBLIC, Force::Later)
            .and_then(|()| replace(&next, &self.path()))
            .map_err(LeaseError::io("writing"))?;
        *self.seen.lock() = self.stamp()?;
        Ok(())
    }
}

impl Found {
    /// Whether the owner was a process of this host that is gone. In doubt it lives.
    fn owner_is_dead(&self, asking: &LeaseOwner) -> bool {
        let host = self.owner_host.as_ref().and_then(|host| host.as_str());
        let pid = self.owner_pid.as_ref().and_then(serde_json::Value::as_i64);
        match (host, pid) {
            (Some(host), Some(pid)) if host == asking.host && pid != asking.pid => !is_alive(pid),
            (_, _) => false,
        }
    }
}

fn is_alive(pid: i64) -> bool {
    match i32::try_from(pid).ok().and_then(Pid::from_raw) {
        Some(pid) if pid.as_raw_nonzero().get() > 0 => {
            !matches!(test_kill_process(pid), Err(Errno::SRCH))
        }
        Some(_) | None => false,
    }
}

fn take_lock(directory: &Path) -> Result<FileLock, LeaseError> {
    lock::lock(&directory.join(LOCK))
        .map_err(LeaseError::io("locking"))?
        .ok_or(LeaseError::Locked)
}

/// The lease on disk. One that makes no sense counts as none.
fn read(directory: &Path) -> Result<Option<Found>, LeaseError> {
    let path = directory.join(FILE);
    let text = match fs::read(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(LeaseError::io("reading")(error)),
    };
    match serde_json::from_slice(&text) {
        Ok(found) => Ok(Some(found)),
        Err(error) => {
            tracing::warn!(path = %path.display(), %error, "lease makes no sense and counts as none");
            Ok(None)
        }
    }
}

#[cfg(test)]
#[path = "lease_tests.rs"]
mod tests;
