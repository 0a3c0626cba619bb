//! What a command gets and gives: exit, standard descriptors, environment.

use openhands_process::{Exit, Spawn, Stdio};
use pretty_assertions::assert_eq;
use tokio::io::AsyncReadExt as _;

fn sh(script: &str) -> Spawn {
    Spawn::new("/bin/sh")
        .args(["-c", script])
        .env("PATH", "/usr/bin:/bin")
}

#[tokio::test]
async fn exit_codes_and_signals_are_exact() {
    for (script, exit) in [
        ("exit 0", Exit::Code(0)),
        ("exit 255", Exit::Code(255)),
        ("kill -9 $$", Exit::Signal(9)),
        ("kill -TERM $$", Exit::Signal(15)),
    ] {
        let tree = sh(script).start().await.unwrap();
        assert_eq!(tree.wait().await, exit, "{script}");
        tree.gone().await.unwrap();
    }
}

#[tokio::test]
async fn output_comes_through_a_pipe() {
    let mut tree = sh("echo hello; pwd")
        .cwd("/usr")
        .stdout(Stdio::Pipe)
        .start()
        .await
        .unwrap();
    let mut text = String::new();
    tree.stdout
        .take()
        .unwrap()
        .read_to_string(&mut text)
        .await
        .unwrap();
    assert_eq!(text, "hello\n/usr\n");
}
