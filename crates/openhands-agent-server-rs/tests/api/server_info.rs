//! What the server says about itself.

use serde_json::json;

use crate::harness::World;

#[tokio::test]
async fn says_that_it_is_well() {
    let world = World::new().await;
    for path in ["/alive", "/health"] {
        assert_eq!(
            world.get(path).await,
            (200.try_into().unwrap(), json!({"status": "ok"}))
        );
    }
    let (_, ready) = world.get("/ready").await;
    assert_eq!(ready, json!({"status": "ready"}));
}

#[tokio::test]
async fn an_unknown_path_is_not_found_and_a_wrong_method_is_not_allowed() {
    let world = World::new().await;
    let (status, body) = world.get("/api/nothing").await;
    assert_eq!(
        (status.as_u16(), body),
        (404, json!({"detail": "Not Found"}))
    );
    let (status, body) = world.post("/health", &json!({})).await;
    assert_eq!(
        (status.as_u16(), body),
        (405, json!({"detail": "Method Not Allowed"}))
    );
}

#[tokio::test]
async fn static_files_are_served_and_nothing_beside_them() {
    let files = tempfile::tempdir().unwrap();
    let root = files.path().join("site");
    std::fs::create_dir(&root).unwrap();
    std::fs::write(root.join("index.html"), "<p>hello").unwrap();
    std::fs::write(files.path().join("secret"), "no").unwrap();
    std::os::unix::fs::symlink(files.path().join("secret"), root.join("link")).unwrap();
    let world = World::with(|config| {
        config.session_api_keys = vec!["k".to_owned()];
        config.static_files_path = Some(root);
    })
    .await;
    let client = reqwest::Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .build()
        .unwrap();
    let ask = |path: &str| client.get(world.url(path)).send();
    let root = ask("/").await.unwrap();
    assert_eq!(root.status(), 302);
    assert_eq!(root.headers()["location"], "/static/index.html");
    let page = ask("/static/index.html").await.unwrap();
    assert_eq!(page.headers()["content-type"], "text/html; charset=utf-8");
    assert_eq!(page.text().await.unwrap(), "<p>hello");
    let head = client.head(world.url("/static/index.html")).send().await;
    assert_eq!(head.unwrap().status(), 200);
    for path in [
        "/static/none",
        "/static/link",
        "/static/..%2fsecret",
        "/static/%2e%2e/secret",
        "/static//etc/passwd",
        "/static/a%00b",
    ] {
        assert_eq!(ask(path).await.unwrap().status(), 404, "{path}");
    }
    assert_eq!(ask("/server_info").await.unwrap().status(), 200);
}

#[tokio::test]
async fn what_runs_here_is_said() {
    let world = World::with(|config| {
        config.surroundings.build_git_sha = "abc".to_owned();
        config.surroundings.runtime_idle_timeout_seconds = Some(100.0);
    })
    .await;
    let (_, info) = world.get("/server_info").await;
    assert_eq!(info["version"], "1.58.0");
    assert_eq!(info["build_git_sha"], "abc");
    assert_eq!(info["max_foreground_terminal_timeout_seconds"], json!(90.0));
    assert_eq!(info["conversation_runtime"], "local");
    assert_eq!(info["available_conversation_runtimes"], json!([]));
    assert_eq!(info["app_backend_ingress_url"], json!(null));
    assert!(
        info["usable_tools"]
            .as_array()
            .unwrap()
            .contains(&json!("terminal"))
    );
    // Each capability stands for routes that are there.
    let routes: Vec<&str> = openhands_agent_server_rs::App::operations()
        .iter()
        .map(|operation| operation.path)
        .collect();
    for (capability, route) in [
        (
            "conversation_runtime_routes_v1",
            "/api/conversations/{runtime_conversation_id}/bash/start_bash_command",
        ),
        (
            "conversation_runtime_routes_v1",
            "/api/conversations/{runtime_conversation_id}/file/upload",
        ),
        (
            "conversation_runtime_routes_v1",
            "/api/conversations/{runtime_conversation_id}/git/changes",
        ),
        ("idempotent_conversation_create_v1", "/api/conversations"),
        ("tool_catalog_v1", "/api/tools/catalog"),
        (
            "agent_profile_draft_materialize_v1",
            "/api/agent-profiles/{name}/materialize",
        ),
        ("skill_catalog_v1", "/api/skills/catalog"),
    ] {
        assert!(
            info["capabilities"]
                .as_array()
                .unwrap()
                .contains(&json!(capability))
        );
        assert!(routes.contains(&route), "{capability} needs {route}");
    }
    assert!(
        !info["capabilities"]
            .to_string()
            .contains("credential_binding")
    );
    let implementation = info["implementation"].as_str().unwrap();
    assert!(implementation.starts_with("openhands-agent-server-rs "));
}
