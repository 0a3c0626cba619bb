//! These use the real hierarchy where the host has a writable one; elsewhere there is nothing
//! to test and they say so.

use std::process::{Command, Stdio};

use pretty_assertions::assert_eq;

use super::*;

const PATIENCE: Duration = Duration::from_secs(20);

fn server_group() -> Option<ServerGroup> {
    let group = ServerGroup::create();
    if group.is_none() {
        println!("skipped: no writable cgroup2 hierarchy");
    }
    group
}

/// Waits for the end of those inside, once; then the group must go at the first try.
fn removed_in_time(group: &TreeGroup<'_>) -> bool {
    await_empty(&group.directory(), PATIENCE);
    group.remove()
}

fn member(group: &TreeGroup<'_>) -> std::process::Child {
    let child = Command::new("cat")
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    fs::write(
        group.directory().join("cgroup.procs"),
        child.id().to_string(),
    )
    .unwrap();
    child
}

#[test]
fn a_tree_group_is_killed_and_removed_with_the_groups_that_were_made_in_it() {
    let Some(server) = server_group() else { return };
    let group = server.tree(getpid()).unwrap();
    fs::create_dir_all(group.directory().join("inner/most")).unwrap();
    let mut child = member(&group);
    assert!(!group.remove());
    assert!(group.directory().exists());
    group.kill();
    assert!(removed_in_time(&group));
    child.wait().unwrap();
    assert!(!group.directory().exists());
    server.remove();
    assert!(!server.directory.exists());
}

#[test]
fn a_tree_group_is_as_new_until_something_is_left_in_it() {
    let Some(server) = server_group() else { return };
    let group = server.tree(getpid()).unwrap();
    assert!(group.is_as_new());
    fs::create_dir(group.directory().join("inner")).unwrap();
    assert!(!group.is_as_new());
    fs::remove_dir(group.directory().join("inner")).unwrap();
    assert!(group.is_as_new());
    let freeze = group.directory().join("cgroup.freeze");
    fs::write(&freeze, "1").unwrap();
    assert!(!group.is_as_new());
    fs::write(&freeze, "0").unwrap();
    for (name, changed, when_new) in [
        ("cgroup.max.depth", "0", "max"),
        ("cgroup.max.descendants", "3", "max"),
    ] {
        assert!(group.is_as_new(), "{name}");
        fs::write(group.directory().join(name), changed).unwrap();
        assert!(!group.is_as_new(), "{name}");
        fs::write(group.directory().join(name), when_new).unwrap();
    }
    assert!(group.is_as_new());
    let mut child = member(&group);
    assert!(!group.is_as_new());
    group.kill();
    child.wait().unwrap();
    await_empty(&group.directory(), PATIENCE);
    assert!(!group.is_as_new(), "whoever is born into it may die");
    assert!(group.remove());
    server.remove();
}

/// One that is threaded takes no process any more, and never becomes what it was.
#[test]
fn a_tree_group_of_another_kind_is_not_as_new() {
    let Some(server) = server_group() else { return };
    let group = server.tree(getpid()).unwrap();
    assert!(group.is_as_new());
    fs::write(group.directory().join("cgroup.type"), "threaded").unwrap();
    assert!(!group.is_as_new());
    assert!(group.remove());
    server.remove();
}

#[test]
fn the_tree_of_a_dead_guard_is_ended_by_its_number() {
    let Some(server) = server_group() else { return };
    let guard = Pid::from_raw(1234).unwrap();
    let group = server.tree(guard).unwrap();
    let mut child = member(&group);
    server.end_abandoned(guard);
    assert!(removed_in_time(&group));
    child.wait().unwrap();
    assert!(
        server.end_abandoned(guard),
        "nothing is left, and asking again is harmless"
    );
    server.remove();
}

#[test]
fn a_group_is_stale_when_nobody_holds_its_lock() {
    let Some(living) = server_group() else { return };
    let parent = living.directory.parent().unwrap().to_owned();
    let dead = ServerGroup::create_in(&parent).unwrap();
    let tree = dead.tree(getpid()).unwrap();
    let mut child = member(&tree);
    drop(tree);
    let ServerGroup { directory, handle } = dead;
    drop(handle);
    // A child that some other thread is just starting may hold a copy of the lock for a moment.
    let deadline = Instant::now() + PATIENCE;
    while directory.exists() && Instant::now() < deadline {
        remove_stale(&parent);
    }
    child.wait().unwrap();
    assert_eq!(
        (directory.exists(), living.directory.exists()),
        (false, true)
    );
    living.remove();
}

#[test]
fn without_cgroup_kill_the_members_are_killed_one_by_one() {
    // A plain folder has no cgroup.kill that kills: the list is used.
    let folder = tempfile::tempdir().unwrap();
    let inner = folder.path().join("inner");
    fs::create_dir(&inner).unwrap();
    let mut child = Command::new("cat").stdin(Stdio::piped()).spawn().unwrap();
    fs::create_dir(folder.path().join("cgroup.kill")).unwrap();
    fs::write(inner.join("cgroup.procs"), format!("{}\n", child.id())).unwrap();
    kill(folder.path());
    let status = child.wait().unwrap();
    assert_eq!(
        std::os::unix::process::ExitStatusExt::signal(&status),
        Some(9)
    );
}
