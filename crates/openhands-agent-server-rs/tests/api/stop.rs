//! The program itself: how it starts, what it says, and how it ends.

use std::io::{BufRead, BufReader, Read as _};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use tempfile::TempDir;

/// The program in a directory of its own, without the variables of whoever runs the tests.
struct Program {
    child: Child,
    url: String,
    lines: BufReader<std::process::ChildStderr>,
    directory: TempDir,
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn command(directory: &TempDir, arguments: &[&str], env: &[(&str, &str)]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_openhands-agent-server"));
    command
        .args(arguments)
        .current_dir(directory.path())
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap())
        .env("HOME", directory.path())
        .envs(env.iter().copied())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// Starts it on a free port and waits until it listens. The lines until then are given too.
fn start(arguments: &[&str], env: &[(&str, &str)]) -> (Program, Vec<String>) {
    let directory = tempfile::tempdir().unwrap();
    let mut all = vec!["--port", "0"];
    all.extend_from_slice(arguments);
    let mut child = command(&directory, &all, env).spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap());
    let mut before = Vec::new();
    let url = loop {
        let mut line = String::new();
        assert_ne!(lines.read_line(&mut line).unwrap(), 0, "{before:?}");
        if let Some((_, url)) = line.split_once("listening on http") {
            let end = url.find(['"', '\n']).unwrap();
            break format!("http{}", &url[..end]);
        }
        before.push(line);
    };
    let program = Program {
        child,
        url,
        lines,
        directory,
    };
    (program, before)
}

/// Runs it to its end.
fn run(arguments: &[&str], env: &[(&str, &str)]) -> Output {
    let directory = tempfile::tempdir().unwrap();
    command(&directory, arguments, env).output().unwrap()
}

fn tell(child: &Child, signal: rustix::process::Signal) {
    let pid = i32::try_from(child.id()).unwrap();
    let pid = rustix::process::Pid::from_raw(pid).unwrap();
    rustix::process::kill_process(pid, signal).unwrap();
}

async fn get(program: &Program, path: &str) -> Value {
    let url = format!("{}{path}", program.url);
    reqwest::get(url).await.unwrap().json().await.unwrap()
}

#[tokio::test]
async fn it_starts_on_its_defaults_and_ends_when_it_is_told_to() {
    for signal in [rustix::process::Signal::TERM, rustix::process::Signal::INT] {
        let (mut program, _) = start(&[], &[]);
        assert!(
            program.url.starts_with("http://127.0.0.1:"),
            "{}",
            program.url
        );
        assert_eq!(get(&program, "/health").await["status"], "ok");
        assert_eq!(get(&program, "/server_info").await["version"], "1.58.0");
        let began = Instant::now();
        tell(&program.child, signal);
        assert!(program.child.wait().unwrap().success());
        assert!(began.elapsed() < Duration::from_secs(5));
        assert!(!program.directory.path().join("logs").exists());
    }
}

#[tokio::test]
async fn a_conversation_without_a_directory_works_where_the_server_was_started() {
    for worktree in [false, true] {
        let (program, _) = start(&[], &[]);
        let tool = json!({"name": "terminal"});
        let agent = json!({"llm": {"model": "openai/any"}, "tools": [tool]});
        let request =
            json!({"agent": agent, "workspace": {"working_dir": ""}, "worktree": worktree});
        let answer = reqwest::Client::new()
            .post(format!("{}/api/conversations", program.url))
            .json(&request)
            .send()
            .await
            .unwrap();
        let status = answer.status();
        let said = answer.text().await.unwrap();
        assert_eq!(status, 201, "{said}");
        // Where a conversation works, there is a repository.
        assert!(program.directory.path().join(".git").exists());
    }
}

#[tokio::test]
async fn a_request_that_hangs_does_not_hold_up_the_end() {
    let (mut program, _) = start(&[], &[]);
    let address = program.url.strip_prefix("http://").unwrap().to_owned();
    // A connection that never finishes its request.
    let mut stuck = tokio::net::TcpStream::connect(address).await.unwrap();
    tokio::io::AsyncWriteExt::write_all(&mut stuck, b"GET /health HTTP/1.1\r\nHost: x\r\n")
        .await
        .unwrap();
    get(&program, "/health").await;
    let began = Instant::now();
    tell(&program.child, rustix::process::Signal::TERM);
    assert!(program.child.wait().unwrap().success());
    assert!(
        began.elapsed() < Duration::from_secs(5),
        "{:?}",
        began.elapsed()
    );
}

#[tokio::test]
async fn a_wrong_variable_stops_the_start_and_is_named() {
    let ended = run(&[], &[("OH_VSCODE_PORT", "many")]);
    assert!(!ended.status.success());
    let text = String::from_utf8(ended.stderr).unwrap();
    assert!(
        text.contains("OH_VSCODE_PORT: expected a whole number from 1 to 65535, found \"many\""),
        "{text}"
    );
    let ended = run(&["--config", "none.json"], &[]);
    assert!(!ended.status.success());
}

#[tokio::test]
async fn warnings_are_told_and_keys_are_not() {
    let (program, lines) = start(
        &[
            "--reload",
            "--import-modules",
            "canvas_ui_tool",
            "--host",
            "0.0.0.0",
        ],
        &[("OH_CONVERSATION_RUNTIME", "moon")],
    );
    let text = lines.concat();
    for part in [
        "--reload is ignored",
        "--import-modules is ignored",
        "OH_CONVERSATION_RUNTIME is ignored",
        "without a session key",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    drop(program);
    let (mut program, mut lines) = start(
        &[],
        &[
            ("OH_SESSION_API_KEYS_0", "hush-hush"),
            ("LOG_LEVEL", "trace"),
            ("LOG_JSON", "1"),
        ],
    );
    assert!(
        program.url.starts_with("http://0.0.0.0:"),
        "{}",
        program.url
    );
    let url = program.url.replace("0.0.0.0", "127.0.0.1");
    let client = reqwest::Client::new();
    let answered = client
        .get(format!("{url}/api/system?session_api_key=hush-hush"))
        .header("X-Session-API-Key", "hush-hush")
        .header("X-Request-ID", "the-request")
        .send()
        .await
        .unwrap();
    assert_eq!(answered.status(), 200);
    tell(&program.child, rustix::process::Signal::TERM);
    let mut rest = String::new();
    program.lines.read_to_string(&mut rest).unwrap();
    lines.extend(rest.lines().map(str::to_owned));
    assert!(
        lines.iter().all(|line| !line.contains("hush-hush")),
        "{lines:?}"
    );
    let records: Vec<Value> = lines
        .iter()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let request = records
        .iter()
        .find(|record| record["message"] == "answered" && record["span"]["id"] == "the-request")
        .expect("the request is logged");
    assert_eq!(request["status"], 200);
    assert_eq!(request["span"]["path"], "/api/system");
    assert_eq!(request["span"]["route"], "/api/system");
}

#[tokio::test]
async fn logs_go_to_a_file_too() {
    let (mut program, _) = start(&[], &[("LOG_TO_FILE", "true"), ("LOG_DIR", "kept")]);
    // A request that fails is worth a line; the many that do not are told at `debug`.
    let unknown = reqwest::get(format!("{}/api/nothing", program.url)).await;
    assert_eq!(unknown.unwrap().status(), 404);
    tell(&program.child, rustix::process::Signal::TERM);
    program.child.wait().unwrap();
    let kept = program.directory.path().join("kept");
    let files: Vec<_> = std::fs::read_dir(kept)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    assert_eq!(files.len(), 1);
    let text = std::fs::read_to_string(&files[0]).unwrap();
    assert!(text.contains("listening on http://"), "{text}");
    let line = text.lines().find(|line| line.contains("answered"));
    let line = line.expect("the request is logged");
    let (head, rest) = line.split_once(" INFO request{id=\"").expect(line);
    assert!(head.ends_with("Z "), "{line}");
    assert!(
        rest.contains("method=GET path=\"/api/nothing\"}: "),
        "{line}"
    );
    assert!(rest.contains("status=404"), "{line}");
}

#[tokio::test]
async fn a_file_configures_it() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("mine.json");
    std::fs::write(&file, r#"{"session_api_keys": ["from-file"]}"#).unwrap();
    let (program, _) = start(
        &["--config", file.to_str().unwrap(), "--host", "127.0.0.1"],
        &[],
    );
    let url = format!("{}/api/system", program.url);
    assert_eq!(reqwest::get(&url).await.unwrap().status(), 401);
    let client = reqwest::Client::new();
    let asked = client.get(&url).header("X-Session-API-Key", "from-file");
    assert_eq!(asked.send().await.unwrap().status(), 200);
}

#[test]
fn every_variable_is_listed() {
    let listed = run(&["--list-variables"], &[]);
    assert!(listed.status.success());
    let text = String::from_utf8(listed.stdout).unwrap();
    for name in ["`OH_VSCODE_PORT`", "`base_url`", "`LOG_LEVEL`"] {
        assert!(text.contains(name), "{name}");
    }
}

#[tokio::test]
async fn it_can_be_asked_whether_it_is_well() {
    let (mut program, _) = start(&[], &[]);
    let port = program.url.rsplit(':').next().unwrap().to_owned();
    let asked = run(&["--check-health", "--port", &port], &[]);
    assert_eq!(asked.status.code(), Some(0));
    tell(&program.child, rustix::process::Signal::TERM);
    program.child.wait().unwrap();
    let asked = run(&["--check-health", "--port", &port], &[]);
    assert_eq!(asked.status.code(), Some(1));
}

#[test]
fn a_browser_is_looked_for() {
    let said =
        |checked: &std::process::Output| String::from_utf8_lossy(&checked.stdout).into_owned();
    let nowhere = [("PATH", "/nowhere"), ("HOME", "/nowhere")];
    let without = run(&["--check-browser"], &nowhere);
    assert_eq!(without.status.code(), Some(1));
    assert!(said(&without).contains("apt-get install chromium"));
    // A program of the right name that is no browser.
    let directory = tempfile::tempdir().unwrap();
    let browser = directory.path().join("chromium");
    std::fs::write(&browser, "#!/bin/sh\necho broken in a way >&2\nexit 3\n").unwrap();
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(&browser, mode).unwrap();
    let path = format!("{}:/bin:/usr/bin", directory.path().display());
    let checked = run(&["--check-browser"], &[("PATH", &path)]);
    assert_eq!(checked.status.code(), Some(1));
    assert!(
        said(&checked).contains("broken in a way"),
        "{}",
        said(&checked)
    );
    // The real one.
    let checked = run(&["--check-browser"], &[]);
    if said(&checked).contains("No Chromium was found") {
        assert!(std::env::var_os("CI").is_none(), "skipped: no chromium");
        println!("skipped: no chromium");
        return;
    }
    assert_eq!(checked.status.code(), Some(0), "{}", said(&checked));
    assert!(said(&checked).starts_with("The browser works: /"));
    let name = said(&checked).trim().rsplit(' ').next().unwrap().to_owned();
    let missing = run(
        &["--check-browser"],
        &[("OH_BROWSER_EXECUTABLE", "/no/browser")],
    );
    assert!(said(&missing).contains("/no/browser does not exist"));
    let named = run(&["--check-browser"], &[("OH_BROWSER_EXECUTABLE", &name)]);
    assert_eq!(said(&named), said(&checked));
    let flagged = run(
        &["--check-browser", "--browser-executable", &name],
        &[("OH_BROWSER_EXECUTABLE", "/no/browser")],
    );
    assert_eq!(said(&flagged), said(&checked));
    let wrong = run(&["--check-browser"], &[("OH_BROWSER_VIEWPORT", "wide")]);
    assert!(said(&wrong).contains("OH_BROWSER_VIEWPORT must be a width"));
}

#[cfg(feature = "otel")]
#[tokio::test]
async fn traces_reach_their_receiver() {
    let (sender, mut received) = tokio::sync::mpsc::unbounded_channel();
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let endpoint = format!("http://{}", listener.local_addr().unwrap());
    let take = move |request: axum::extract::Request| {
        let sender = sender.clone();
        async move {
            let (head, body) = request.into_parts();
            let body = axum::body::to_bytes(body, usize::MAX).await.unwrap();
            sender.send((head, body)).unwrap();
        }
    };
    let router = axum::Router::new().fallback(take);
    let _receiver = tokio_util::task::AbortOnDropHandle::new(tokio::spawn(async move {
        axum::serve(listener, router).await.unwrap();
    }));
    let (mut program, _) = start(
        &[],
        &[
            ("OTEL_EXPORTER_OTLP_ENDPOINT", &endpoint),
            ("OTEL_EXPORTER_OTLP_HEADERS", "authorization=Bearer t"),
            ("OTEL_SERVICE_NAME", "my-agents"),
        ],
    );
    get(&program, "/server_info").await;
    tell(&program.child, rustix::process::Signal::TERM);
    let (head, body) = tokio::time::timeout(Duration::from_secs(20), received.recv())
        .await
        .expect("spans arrive")
        .unwrap();
    assert_eq!(head.uri.path(), "/v1/traces");
    assert_eq!(head.headers["content-type"], "application/x-protobuf");
    assert_eq!(head.headers["authorization"], "Bearer t");
    for part in ["my-agents", "request", "/server_info"] {
        let found = body
            .windows(part.len())
            .any(|window| window == part.as_bytes());
        assert!(found, "{part}");
    }
    assert!(
        tokio::task::spawn_blocking(move || program.child.wait().unwrap().success())
            .await
            .unwrap()
    );
}

#[tokio::test]
async fn a_server_of_which_nobody_asks_anything_ends_by_itself() {
    // Engines ask for the health by themselves: that does not count.
    ends_although_asked("/health", &[]).await;
    // Nor does what a program beside it asks, which has no key.
    ends_although_asked("/alive", &[("OH_SESSION_API_KEYS_0", "k")]).await;
}

async fn ends_although_asked(path: &str, env: &[(&str, &str)]) {
    let (mut program, _) = start(&["--exit-when-unwatched", "1"], env);
    let deadline = Instant::now() + Duration::from_secs(30);
    let status = loop {
        if let Some(status) = program.child.try_wait().unwrap() {
            break status;
        }
        assert!(Instant::now() < deadline, "it goes on");
        let _ = reqwest::get(format!("{}{path}", program.url)).await;
        tokio::time::sleep(Duration::from_millis(50)).await;
    };
    assert!(status.success(), "{status}");
}
