//! Files and programs of the inner server.

use std::path::Path;
use std::time::Duration;

use bytes::Bytes;
use openhands_protocol::Secret;
use openhands_sdk_rs::process::Exit;
use openhands_sdk_rs::runtime::{Entry, EntryKind, Exec, Runtime as _, WorkspaceError};
use pretty_assertions::assert_eq;
use tokio_util::sync::CancellationToken;

use crate::world::World;

#[tokio::test(flavor = "multi_thread")]
async fn files_are_written_read_and_listed() {
    let world = World::new().await;
    let runtime = world.runtime();
    let workspace = runtime.workspace();
    assert_eq!(workspace.root(), world.work());
    let content = Bytes::from_static(b"\0\xff any bytes");
    workspace
        .write(Path::new("a/b.bin"), content.clone())
        .await
        .unwrap();
    assert_eq!(
        std::fs::read(world.work().join("a/b.bin")).unwrap(),
        content
    );
    assert_eq!(workspace.read(Path::new("a/b.bin")).await.unwrap(), content);
    workspace
        .write(&world.work().join("empty"), Bytes::new())
        .await
        .unwrap();
    assert_eq!(workspace.read(Path::new("empty")).await.unwrap().len(), 0);
    let mut entries = workspace.list(Path::new("")).await.unwrap();
    // The place of a tool that keeps plans.
    entries.retain(|entry| entry.name != ".agents_tmp");
    let entry = |name: &str, kind| Entry {
        name: name.to_owned(),
        kind,
    };
    assert_eq!(
        entries,
        [
            entry("a", EntryKind::Directory),
            entry("empty", EntryKind::File)
        ]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_large_file_goes_in_parts() {
    let world = World::new().await;
    let runtime = world.runtime();
    let pattern: Vec<u8> = (0..=250).collect();
    let content = Bytes::from(pattern.repeat((20 << 20) / pattern.len()));
    let path = Path::new("large.bin");
    runtime
        .workspace()
        .write(path, content.clone())
        .await
        .unwrap();
    assert!(runtime.workspace().read(path).await.unwrap() == content);
    // More than is read in one piece.
    let file = std::fs::File::create(world.work().join("huge")).unwrap();
    file.set_len((64 << 20) + 1).unwrap();
    let refused = runtime.workspace().read(Path::new("huge")).await;
    let Err(WorkspaceError::TooLarge { size, .. }) = refused else {
        panic!("{refused:?}");
    };
    assert_eq!(size, (64 << 20) + 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn errors_are_those_of_the_machine() {
    let world = World::new().await;
    let runtime = world.runtime();
    let workspace = runtime.workspace();
    let missing = workspace.read(Path::new("missing")).await.unwrap_err();
    assert!(missing.is_not_found(), "{missing}");
    let path = world.work().join("missing");
    assert_eq!(
        missing.to_string(),
        format!(
            "cannot read {}: No such file or directory (os error 2)",
            path.display()
        )
    );
    let missing = workspace.list(Path::new("missing")).await.unwrap_err();
    assert!(missing.is_not_found(), "{missing}");
    std::fs::write(world.work().join("file"), "").unwrap();
    let below = workspace.read(Path::new("file/below")).await.unwrap_err();
    assert!(below.is_not_found(), "{below}");
    let directory = workspace.read(Path::new("")).await.unwrap_err();
    assert!(!directory.is_not_found(), "{directory}");
    let impossible = workspace
        .write(Path::new("file/below"), Bytes::new())
        .await
        .unwrap_err();
    assert!(
        impossible.to_string().starts_with("cannot write"),
        "{impossible}"
    );
    let exec = Exec::new(["no-such-program"]);
    let refused = workspace.exec(exec, CancellationToken::new()).await;
    let Err(WorkspaceError::Start { program, .. }) = refused else {
        panic!("{refused:?}");
    };
    assert_eq!(program, "no-such-program");
}

#[tokio::test(flavor = "multi_thread")]
async fn programs_have_input_variables_and_a_time_limit() {
    let world = World::new().await;
    let runtime = world.runtime();
    let exec = Exec {
        stdin: Bytes::from_static(b"from us"),
        env: vec![("TOKEN".to_owned(), Secret::new("s3cr3t"))],
        cwd: Some("/".into()),
        ..Exec::shell("cat; echo \" $TOKEN $PWD\"; echo no >&2; exit 3")
    };
    let output = runtime
        .workspace()
        .exec(exec, CancellationToken::new())
        .await
        .unwrap();
    assert_eq!(output.exit, Some(Exit::Code(3)));
    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        "from us s3cr3t /\n"
    );
    assert_eq!(String::from_utf8_lossy(&output.stderr), "no\n");
    let exec = Exec {
        timeout: Duration::from_millis(100),
        ..Exec::shell("echo begun; sleep 1000")
    };
    let output = runtime
        .workspace()
        .exec(exec, CancellationToken::new())
        .await
        .unwrap();
    assert_eq!((output.exit, output.timed_out), (None, true));
    assert_eq!(output.stdout, b"begun\n");
    let signalled = runtime
        .workspace()
        .exec(Exec::shell("kill -9 $$"), CancellationToken::new())
        .await
        .unwrap();
    assert_eq!(signalled.exit, Some(Exit::Signal(9)));
}
