//! Commands that cannot start: each cause has its own error, and nothing is left behind.

use std::fs;
use std::os::fd::OwnedFd;
use std::os::unix::fs::PermissionsExt as _;

use openhands_process::{Spawn, SpawnError, Stdio, User};
use pretty_assertions::assert_eq;

use crate::marks::{BOTH, sh};

async fn error(spawn: Spawn) -> SpawnError {
    spawn.start().await.expect_err("it should not start")
}

/// The variant's name and the kernel's number.
async fn cause(spawn: Spawn) -> (String, Option<i32>) {
    let error = error(spawn).await;
    let name: String = format!("{error:?}")
        .chars()
        .take_while(|letter| letter.is_alphanumeric())
        .collect();
    (name, error.errno())
}

fn named(name: &str, errno: i32) -> (String, Option<i32>) {
    (name.to_owned(), Some(errno))
}

#[tokio::test]
async fn a_program_that_is_not_there() {
    for cgroup in BOTH {
        for program in ["/no/such/program", "no-such-program", "", "/etc/passwd/x"] {
            assert_eq!(
                cause(Spawn::new(program).cgroup(cgroup)).await,
                named("NotFound", libc::ENOENT),
                "{program}"
            );
        }
    }
    let error = error(Spawn::new("no-such-program")).await;
    assert_eq!(error.to_string(), "program not found: no-such-program");
}

#[tokio::test]
async fn a_program_that_cannot_be_executed() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str, mode: u32| {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        path
    };
    let plain = file("plain", "#!/bin/sh\n", 0o644);
    let orphan = file("orphan", "#!/no/such/interpreter\n", 0o755);
    let noise = file("noise", "\u{7f}not a program", 0o755);
    let denied = named("PermissionDenied", libc::EACCES);
    assert_eq!(cause(Spawn::new(plain)).await, denied);
    assert_eq!(cause(Spawn::new(folder.path())).await, denied);
    assert_eq!(
        cause(Spawn::new(orphan)).await,
        named("InterpreterNotFound", libc::ENOENT)
    );
    assert_eq!(
        cause(Spawn::new(noise)).await,
        named("NotExecutable", libc::ENOEXEC)
    );
}

#[tokio::test]
async fn the_path_is_searched_on_past_what_may_not_be_executed() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("true"), "").unwrap();
    let path = |rest: &str| format!("/no/such/folder:{}{rest}", folder.path().display());
    let found = Spawn::new("true")
        .env("PATH", path(":/usr/bin:/bin"))
        .start()
        .await
        .unwrap();
    assert!(found.wait().await.success());
    let denied = cause(Spawn::new("true").env("PATH", path(""))).await;
    assert_eq!(denied, named("PermissionDenied", libc::EACCES));
}

#[tokio::test]
async fn a_working_directory_that_is_not_there() {
    let missing = error(sh("true").cwd("/no/such/folder")).await;
    assert!(
        matches!(&missing, SpawnError::WorkingDirectory { directory, .. } if directory.ends_with("folder"))
    );
    assert_eq!(missing.errno(), Some(libc::ENOENT));
    assert_eq!(
        cause(sh("true").cwd("/etc/passwd")).await,
        named("WorkingDirectory", libc::ENOTDIR)
    );
}

#[tokio::test]
async fn arguments_and_environments_beyond_the_kernels_limit() {
    let too_long = named("ArgumentsTooLong", libc::E2BIG);
    assert_eq!(
        cause(sh("true").env("V", "x".repeat(200_000))).await,
        too_long
    );
    assert_eq!(
        cause(sh("true").args((0..100).map(|_| "x".repeat(100_000)))).await,
        too_long
    );
}

#[tokio::test]
async fn strings_with_a_nul() {
    for spawn in [
        Spawn::new("tr\0ue"),
        sh("a\0b"),
        sh("true").env("A", "b\0"),
        sh("true").cwd("/\0"),
    ] {
        assert_eq!(cause(spawn).await, ("ContainsNul".to_owned(), None));
    }
}

#[tokio::test]
async fn descriptor_numbers_that_are_not_free() {
    let pipe = || OwnedFd::from(std::io::pipe().unwrap().0);
    for spawn in [
        sh("true").fd(2, pipe()),
        sh("true").fd(4, pipe()).fd(4, pipe()),
        sh("true").fd(-1, pipe()),
    ] {
        assert_eq!(cause(spawn).await, ("DescriptorNumber".to_owned(), None));
    }
    let many = (3..100).fold(sh("true"), |spawn, number| spawn.fd(number, pipe()));
    assert_eq!(cause(many).await, ("TooManyDescriptors".to_owned(), None));
}

#[tokio::test]
async fn what_is_no_terminal_cannot_be_the_controlling_one() {
    assert_eq!(
        cause(sh("true").stdin(Stdio::Pipe).controlling_terminal(0)).await,
        named("Terminal", libc::ENOTTY)
    );
    assert_eq!(
        cause(sh("true").controlling_terminal(7)).await,
        named("Terminal", libc::EBADF)
    );
}

#[tokio::test]
async fn only_root_can_become_another_user() {
    if rustix::process::geteuid().is_root() {
        println!("skipped: is root");
        return;
    }
    let root = User {
        uid: 0,
        gid: 0,
        groups: Vec::new(),
    };
    assert_eq!(
        cause(sh("true").user(root)).await,
        named("User", libc::EPERM)
    );
}

#[tokio::test]
async fn a_failed_start_leaves_no_process_and_no_descriptor() {
    // The first start also starts the watchdog, whose socket stays.
    error(Spawn::new("/no/such/program")).await;
    let before = fs::read_dir("/proc/self/fd").unwrap().count();
    let deadline = std::time::Instant::now() + crate::marks::DEADLINE;
    loop {
        for _ in 0..20 {
            error(
                Spawn::new("/no/such/program")
                    .stdout(Stdio::Pipe)
                    .stdin(Stdio::Pipe),
            )
            .await;
        }
        // Tests beside this one open descriptors too, but not twenty for each of ours.
        let now = fs::read_dir("/proc/self/fd").unwrap().count();
        if now < before + 20 {
            return;
        }
        assert!(
            std::time::Instant::now() < deadline,
            "{before} descriptors became {now}"
        );
    }
}

#[test]
fn a_printed_command_does_not_show_the_values_of_its_environment() {
    let printed = format!("{:?}", sh("true").env("API_TOKEN", "hush"));
    assert!(
        printed.contains("API_TOKEN") && !printed.contains("hush"),
        "{printed}"
    );
}
