//! Showing directories to a container that runs already.
//!
//! A clone of the directory's mount is taken here and moved there: a thread of its own enters the mount namespace of the
//! container for that. The engine knows nothing of it, and the mount ends with the container.

use std::fs::{self, File};
use std::io;
use std::path::Path;

use rustix::fs::CWD;
use rustix::mount::{
    MountFlags, MoveMountFlags, OpenTreeFlags, mount_remount, move_mount, open_tree,
};
use rustix::thread::{LinkNameSpaceType, UnshareFlags, move_into_link_name_space};
use tokio::sync::oneshot;

use super::error::DockerError;
use super::settings::Mount;

/// Whether mounts can be moved into a container whose first process is `pid`: we must be root on its machine.
pub(super) fn is_possible(pid: u32, container: &str) -> bool {
    rustix::process::geteuid().is_root()
        // Elsewhere the number is another process, or none.
        && fs::read_to_string(format!("/proc/{pid}/cgroup"))
            .is_ok_and(|groups| groups.contains(container))
        && File::open(format!("/proc/{pid}/ns/mnt")).is_ok()
}

/// Moves directories into the container whose first process is `pid`.
pub(super) async fn move_in(pid: u32, mounts: Vec<Mount>) -> Result<(), DockerError> {
    if mounts.is_empty() {
        return Ok(());
    }
    let (done, moved) = oneshot::channel();
    let enter = move || {
        let _ = done.send(move_all(pid, &mounts));
    };
    // The thread is not used for anything else: it ends in the other namespace.
    let thread = std::thread::Builder::new().name("mounts".to_owned());
    let failed = |source| DockerError::Settings(format!("no thread for mounts: {source}"));
    thread.spawn(enter).map_err(failed)?;
    moved.await.unwrap_or_else(|_| {
        Err(DockerError::Settings(
            "the thread for mounts died".to_owned(),
        ))
    })
}

fn move_all(pid: u32, mounts: &[Mount]) -> Result<(), DockerError> {
    let mut trees = Vec::new();
    for mount in mounts {
        let flags = OpenTreeFlags::OPEN_TREE_CLONE
            | OpenTreeFlags::OPEN_TREE_CLOEXEC
            | OpenTreeFlags::AT_RECURSIVE;
        let tree = open_tree(CWD, &mount.source, flags);
        trees.push((
            mount,
            tree.map_err(|error| failed(&mount.source, error.into()))?,
        ));
    }
    let namespace = format!("/proc/{pid}/ns/mnt");
    let entered = File::open(&namespace).and_then(|namespace| enter(&namespace));
    entered.map_err(|error| failed(Path::new(&namespace), error))?;
    for (mount, tree) in trees {
        let at = &mount.target;
        // What is mounted on must be there.
        let moved = fs::create_dir_all(at).and_then(|()| {
            let flags = MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH;
            move_mount(&tree, "", CWD, at, flags).map_err(io::Error::from)
        });
        moved.map_err(|error| failed(at, error))?;
        if mount.read_only {
            let flags = MountFlags::BIND | MountFlags::RDONLY;
            let closed = mount_remount(at, flags, "").map_err(io::Error::from);
            closed.map_err(|error| failed(at, error))?;
        }
    }
    Ok(())
}

/// Makes the thread see what the container sees. Threads share their root and directory with others, and one that does
/// so may not enter.
#[allow(unsafe_code)]
fn enter(namespace: &File) -> io::Result<()> {
    use std::os::fd::AsFd as _;

    // SAFETY: only file descriptors that are unshared could be missed by other threads; they are not.
    unsafe { rustix::thread::unshare_unsafe(UnshareFlags::FS) }?;
    move_into_link_name_space(namespace.as_fd(), Some(LinkNameSpaceType::Mount))?;
    Ok(())
}

fn failed(path: &Path, source: io::Error) -> DockerError {
    DockerError::Mount {
        path: path.to_owned(),
        source,
    }
}
