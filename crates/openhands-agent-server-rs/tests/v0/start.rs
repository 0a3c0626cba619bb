//! Starting and ending.

use std::time::{Duration, Instant};

use serde_json::json;

use crate::server::{Server, Setup};

#[tokio::test]
async fn it_ends_at_once_with_all_that_runs() {
    let mut server = Server::start().await;
    let pid = server.output("sleep 300 & echo $!").await;
    let pid = pid.lines().last().unwrap().to_owned();
    let action = json!({"action": {"action": "run", "args": {"command": "touch started; sleep 301"}, "timeout": 60}});
    let (base, client) = (server.url("/execute_action"), server.client.clone());
    let asking = tokio::spawn(async move {
        client
            .post(base)
            .json(&action)
            .send()
            .await
            .map(|a| a.status())
    });
    let began = Instant::now();
    while !server.workspace.join("started").exists() {
        assert!(
            began.elapsed() < Duration::from_secs(20),
            "the command does not start"
        );
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let began = Instant::now();
    assert!(server.terminate().await.success(), "{}", server.log());
    assert!(
        began.elapsed() < Duration::from_secs(3),
        "{:?}",
        began.elapsed()
    );
    assert!(!std::path::Path::new(&format!("/proc/{pid}")).exists());
    drop(asking.await);
}

/// The last values of arguments and variables count.
const AS_NOBODY: Setup<'_> = Setup {
    plugins: &[],
    env: &[
        ("SU_TO_USER", "true"),
        ("RUNTIME_USERNAME", "nobody"),
        ("USER", "root"),
    ],
    args: &["--username", "nobody"],
};

#[tokio::test]
async fn commands_run_as_the_named_user_who_owns_the_workspace() {
    if !rustix::process::geteuid().is_root() {
        assert!(std::env::var_os("CI").is_none(), "skipped: not root");
        println!("skipped: not root");
        return;
    }
    let server = Server::with(AS_NOBODY).await;
    assert_eq!(server.output("id -un; echo $USER").await, "nobody\nnobody");
    assert_eq!(server.output("stat -c %U .").await, "nobody");
    let observation = server.run("pwd").await;
    assert_eq!(observation["extras"]["metadata"]["username"], "nobody");
    // A new file is theirs too, and they can change it.
    server
        .act("write", json!({"path": "a.txt", "content": "x"}), 10.0)
        .await;
    assert_eq!(
        server.output("stat -c %U:%a a.txt; echo y >> a.txt").await,
        "nobody:664"
    );
}

#[tokio::test]
async fn a_workspace_that_cannot_be_handed_over_is_used_as_it_is() {
    if !rustix::process::geteuid().is_root() {
        assert!(std::env::var_os("CI").is_none(), "skipped: not root");
        println!("skipped: not root");
        return;
    }
    let mut env = AS_NOBODY.env.to_vec();
    env.push(("SANDBOX_GROUP_ID", "no-such-group-here"));
    let server = Server::with(Setup {
        env: &env,
        ..AS_NOBODY
    })
    .await;
    assert_eq!(server.output("echo well").await, "well");
    let log = server.log();
    assert!(log.contains("keeps files of other owners"), "{log}");
}
