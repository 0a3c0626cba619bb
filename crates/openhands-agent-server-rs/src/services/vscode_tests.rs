use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use pretty_assertions::assert_eq;
use tempfile::TempDir;

use super::*;

/// A program that plays VS Code: it notes its process, arguments and token, says that it is ready, and waits.
const PLAYER: &str = r#"#!/bin/sh
echo $$ >> "$PLAY/pids"
printf '%s\n' "$*" > "$PLAY/arguments"
env > "$PLAY/environment"
while [ $# -gt 0 ]; do
  [ "$1" = --connection-token-file ] && cat "$2" > "$PLAY/token" && echo >> "$PLAY/token"
  shift
done
[ -e "$PLAY/silent" ] && exec sleep 1000
[ -e "$PLAY/broken" ] && exit 3
echo "some words first" >&2
echo "Web UI available at http://localhost:0/?tkn=$(cat "$PLAY/token")"
sleep 1000 &
echo $! >> "$PLAY/pids"
wait
"#;

struct Play {
    directory: TempDir,
    setup: VsCodeSetup,
}

impl Play {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let program = directory.path().join("player");
        fs::write(&program, PLAYER).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        let mut env = command_environment([
            ("PATH".into(), std::env::var_os("PATH").unwrap()),
            ("OH_SECRET_KEY".into(), "hidden".into()),
        ]);
        env.insert("PLAY".into(), directory.path().into());
        let setup = VsCodeSetup {
            port: free_port(),
            base_path: None,
            token: Some("first-key".to_owned()),
            program: Some(program),
            image_root: directory.path().join("none"),
            env,
            user: None,
            directory: None,
            start_limit: Duration::from_secs(30),
            first_delay: Duration::from_millis(10),
        };
        Self { directory, setup }
    }

    fn text(&self, name: &str) -> String {
        fs::read_to_string(self.directory.path().join(name)).unwrap_or_default()
    }

    fn pids(&self) -> Vec<String> {
        self.text("pids").lines().map(str::to_owned).collect()
    }

    fn put(&self, name: &str) {
        fs::write(self.directory.path().join(name), "").unwrap();
    }
}

fn free_port() -> u16 {
    let listener = std::net::TcpListener::bind(("0.0.0.0", 0)).unwrap();
    listener.local_addr().unwrap().port()
}

fn is_alive(pid: &str) -> bool {
    Path::new("/proc").join(pid).exists()
}

/// Waits until a condition holds; it has thirty seconds.
async fn until(mut holds: impl FnMut() -> bool) {
    let deadline = std::time::Instant::now() + Duration::from_secs(30);
    while !holds() {
        assert!(std::time::Instant::now() < deadline, "it did not happen");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

#[tokio::test]
async fn it_runs_with_token_and_port_and_ends_with_all_it_started() {
    let play = Play::new();
    let vscode = VsCode::start(VsCodeSetup {
        base_path: Some("/vscode".to_owned()),
        ..play.setup.clone()
    });
    vscode.until_running(true).await;
    let port = play.setup.port;
    let arguments = play.text("arguments");
    assert!(
        arguments.starts_with(&format!(
            "--host 0.0.0.0 --port {port} --connection-token-file /"
        )),
        "{arguments}"
    );
    assert!(
        arguments.ends_with(" --disable-workspace-trust --server-base-path /vscode\n"),
        "{arguments}"
    );
    assert!(!arguments.contains("first-key"));
    assert_eq!(play.text("token"), "first-key\n");
    assert!(!play.text("environment").contains("hidden"));
    assert_eq!(
        vscode.url(None, "/a b/ü&c").unwrap(),
        format!("http://localhost:{port}/vscode/?tkn=first-key&folder=/a%20b/%C3%BC%26c")
    );
    assert_eq!(
        vscode.url(Some("https://h:9/x/"), "workspace").unwrap(),
        "https://h:9/x/vscode/?tkn=first-key&folder=workspace"
    );
    until(|| play.pids().len() == 2).await;
    vscode.stop().await;
    assert!(!vscode.is_running());
    assert_eq!(vscode.url(None, "workspace"), None);
    for pid in play.pids() {
        assert!(!is_alive(&pid), "{pid} lives on");
    }
}

#[tokio::test]
async fn the_file_of_the_token_is_private_and_goes_with_the_editor() {
    let play = Play::new();
    let vscode = VsCode::start(play.setup.clone());
    vscode.until_running(true).await;
    let arguments = play.text("arguments");
    let file = Path::new(arguments.split_whitespace().nth(5).unwrap());
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(
        (mode(file), mode(file.parent().unwrap())),
        (0o600, 0o700),
        "{arguments}"
    );
    vscode.stop().await;
    assert!(!file.parent().unwrap().exists());
}

#[tokio::test]
async fn one_that_dies_is_started_again() {
    let play = Play::new();
    let vscode = VsCode::start(play.setup.clone());
    vscode.until_running(true).await;
    until(|| play.pids().len() == 2).await;
    let killed = std::process::Command::new("kill")
        .args(["-KILL", &play.pids()[0]])
        .status();
    assert!(killed.unwrap().success());
    until(|| play.pids().len() == 4).await;
    vscode.until_running(true).await;
    // What the dead one left is gone too.
    for pid in &play.pids()[..2] {
        assert!(!is_alive(pid), "{pid} lives on");
    }
    vscode.stop().await;
}

#[tokio::test]
async fn a_port_that_is_taken_is_waited_for() {
    let play = Play::new();
    let taken = std::net::TcpListener::bind(("127.0.0.1", play.setup.port)).unwrap();
    let program = Program::find(&play.setup).await.unwrap();
    let refused = child::Child::start(&program, &play.setup, "t").await;
    assert_eq!(
        refused.unwrap_err().to_string(),
        format!("port {} is taken", play.setup.port)
    );
    let vscode = VsCode::start(play.setup.clone());
    assert!(!vscode.is_running());
    assert_eq!(play.pids(), Vec::<String>::new());
    drop(taken);
    vscode.until_running(true).await;
    vscode.stop().await;
}

#[tokio::test]
async fn a_key_that_is_no_token_is_replaced_by_a_random_one() {
    let play = Play::new();
    let vscode = VsCode::start(VsCodeSetup {
        token: Some("with spaces & more".to_owned()),
        ..play.setup.clone()
    });
    vscode.until_running(true).await;
    let token = play.text("token");
    assert_eq!(token.trim_end().len(), 64);
    assert!(is_token(token.trim_end()));
    vscode.stop().await;
}

#[tokio::test]
async fn one_that_never_gets_ready_is_ended_and_tried_again() {
    let play = Play::new();
    play.put("silent");
    let vscode = VsCode::start(VsCodeSetup {
        start_limit: Duration::from_millis(200),
        ..play.setup.clone()
    });
    until(|| play.pids().len() >= 2).await;
    assert!(!vscode.is_running());
    let first = play.pids().remove(0);
    until(|| !is_alive(&first)).await;
    vscode.stop().await;
    for pid in play.pids() {
        assert!(!is_alive(&pid), "{pid} lives on");
    }
}

#[tokio::test]
async fn a_broken_one_is_tried_again_until_the_stop() {
    let play = Play::new();
    play.put("broken");
    let vscode = VsCode::start(play.setup.clone());
    until(|| play.pids().len() >= 3).await;
    let begin = std::time::Instant::now();
    vscode.stop().await;
    assert!(begin.elapsed() < Duration::from_secs(1));
}

#[tokio::test]
async fn without_a_program_nothing_runs() {
    let play = Play::new();
    let vscode = VsCode::start(VsCodeSetup {
        program: Some(play.directory.path().join("missing")),
        ..play.setup.clone()
    });
    vscode.stop().await;
    assert!(!vscode.is_running());
}
