//! The editor beside the server: its routes, with a program that plays its part and with a real one.

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use pretty_assertions::assert_eq;
use serde_json::json;

use crate::harness::World;
use crate::recording::recorded;

/// Waits until the status says that the editor runs; it has a minute.
async fn until_running(world: &World) {
    let deadline = Instant::now() + Duration::from_mins(1);
    loop {
        let (_, status) = world.get("/api/vscode/status").await;
        if status == json!({"running": true, "enabled": true}) {
            return;
        }
        assert!(Instant::now() < deadline, "{status}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

fn free_port() -> u16 {
    let listener = std::net::TcpListener::bind(("0.0.0.0", 0)).unwrap();
    listener.local_addr().unwrap().port()
}

#[tokio::test]
async fn without_an_editor_the_answers_are_as_recorded() {
    let world = World::new().await;
    for exchange in recorded("vscode") {
        exchange.check(&world, &[]).await;
    }
}

#[tokio::test]
async fn a_disabled_editor_says_so() {
    let world = World::with(|config| config.enable_vscode = false).await;
    let (status, body) = world.get("/api/vscode/status").await;
    let message = "VSCode is disabled in configuration";
    assert_eq!(
        (status.as_u16(), body),
        (
            200,
            json!({"running": false, "enabled": false, "message": message})
        )
    );
    let (status, body) = world.get("/api/vscode/url").await;
    assert_eq!(status.as_u16(), 503);
    assert_eq!(
        body,
        json!({
            "detail": "Internal Server Error",
            "exception": "503: VSCode is disabled in configuration. Set enable_vscode=true to enable.",
        })
    );
}

/// Writes a program that says it is ready, and waits.
fn player(directory: &Path) -> PathBuf {
    let program = directory.join("player");
    let script = format!(
        "#!/bin/sh\necho $$ > {}/pid\necho 'Server bound to 0.0.0.0'\nexec sleep 1000\n",
        directory.display()
    );
    std::fs::write(&program, script).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    program
}

#[tokio::test]
async fn the_url_has_the_session_key_and_the_editor_ends_with_the_server() {
    let directory = tempfile::tempdir().unwrap();
    let port = free_port();
    let world = World::with(|config| {
        config.session_api_keys = vec!["the-key".to_owned()];
        config.vscode_port = port;
        config.vscode_base_path = Some("/vscode/".to_owned());
        config.vscode_program = Some(player(directory.path()));
    })
    .await;
    until_running(&world).await;
    let (_, body) = world.get("/api/vscode/url").await;
    let url = format!("http://localhost:{port}/vscode/?tkn=the-key&folder=workspace");
    assert_eq!(body, json!({"url": url}));
    let (_, body) = world
        .get("/api/vscode/url?base_url=https://h/&workspace_dir=/a%20b%26c")
        .await;
    let url = "https://h/vscode/?tkn=the-key&folder=/a%20b%26c";
    assert_eq!(body, json!({"url": url}));
    let pid = std::fs::read_to_string(directory.path().join("pid")).unwrap();
    let begin = Instant::now();
    world.server.stop().await.unwrap();
    assert!(
        begin.elapsed() < Duration::from_secs(1),
        "{:?}",
        begin.elapsed()
    );
    assert!(!Path::new("/proc").join(pid.trim()).exists());
}

#[tokio::test]
async fn a_real_code_server_lets_in_who_has_the_token() {
    let Some(program) = std::env::var_os("OPENHANDS_TEST_CODE_SERVER") else {
        println!("skipped: no code-server");
        return;
    };
    let port = free_port();
    let world = World::with(|config| {
        config.session_api_keys = vec!["the-key".to_owned()];
        config.vscode_port = port;
        config.vscode_base_path = Some("/vscode".to_owned());
        config.vscode_program = Some(program.into());
    })
    .await;
    until_running(&world).await;
    let directory = world.path().to_str().unwrap();
    let (_, body) = world
        .get(&format!("/api/vscode/url?workspace_dir={directory}"))
        .await;
    let url = body["url"].as_str().unwrap();
    let client = reqwest::Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .build()
        .unwrap();
    // The token in the address becomes a cookie, and with it comes the page.
    let answer = client.get(url).send().await.unwrap();
    assert_eq!(answer.status().as_u16(), 302, "{answer:?}");
    let cookie = answer.headers()["set-cookie"].to_str().unwrap().to_owned();
    assert!(cookie.starts_with("vscode-tkn=the-key"), "{cookie}");
    let page = format!("http://localhost:{port}/vscode/?folder={directory}");
    let answer = client
        .get(&page)
        .header("cookie", "vscode-tkn=the-key")
        .send();
    let answer = answer.await.unwrap();
    assert_eq!(answer.status().as_u16(), 200);
    assert!(
        answer
            .text()
            .await
            .unwrap()
            .contains("vscode-workbench-web-configuration")
    );
    // Without it there is nothing to see.
    let answer = client.get(&page).send().await.unwrap();
    assert_eq!(answer.status().as_u16(), 403);
    world.server.stop().await.unwrap();
    assert!(std::net::TcpListener::bind(("0.0.0.0", port)).is_ok());
}
