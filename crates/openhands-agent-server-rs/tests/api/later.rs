//! Parts of the API that come later: lists are empty, the rest says so.

use pretty_assertions::assert_eq;
use reqwest::Method;
use serde_json::{Value, json};

use crate::harness::{World, answer};
use crate::recording::recorded;

#[tokio::test]
async fn lists_are_empty() {
    let world = World::new().await;
    for (path, expected) in [
        ("/api/plugins/installed", json!({"plugins": []})),
        ("/api/plugins/marketplace", json!({"plugins": []})),
        ("/api/skills/installed", json!({"skills": []})),
        ("/api/skills/marketplace", json!({"skills": []})),
        (
            "/api/canvas-extensions/installed",
            json!({"canvas_extensions": []}),
        ),
        (
            "/api/meta-profiles",
            json!({"meta_profiles": [], "active_meta_profile": null}),
        ),
        ("/v1/models", json!({"object": "list", "data": []})),
    ] {
        let (status, body) = world.get(path).await;
        assert_eq!((status.as_u16(), body), (200, expected), "{path}");
    }
    let (status, body) = world.post("/api/plugins", &json!({})).await;
    assert_eq!((status.as_u16(), body), (200, json!({"plugins": []})));
}

#[tokio::test]
async fn subscriptions_are_as_recorded_but_for_the_login() {
    let world = World::new().await;
    for exchange in &recorded("llm-catalog")[5..9] {
        exchange.check(&world, &[]).await;
    }
}

#[tokio::test]
async fn logins_to_mcp_servers_are_as_recorded_but_for_the_login() {
    let world = World::new().await;
    let exchanges = recorded("mcp-test");
    for number in [10, 12, 13] {
        exchanges[number].check(&world, &[]).await;
    }
}

#[tokio::test]
async fn the_rest_is_not_there_yet() {
    let world = World::new().await;
    let install = json!({"source": "github:o/r"});
    let revision = json!({"revision": "r"});
    let backend = "/api/canvas-extensions/installed/x/backend";
    for (method, path, body) in [
        (
            "POST",
            "/api/llm/subscription/openai/device/start".to_owned(),
            json!({}),
        ),
        (
            "POST",
            "/api/mcp/oauth/start".to_owned(),
            json!({"server": {"url": "http://127.0.0.1:1/mcp", "auth": {"strategy": "oauth2"}}}),
        ),
        ("POST", "/api/skills/install".to_owned(), install.clone()),
        (
            "PATCH",
            "/api/skills/installed/x".to_owned(),
            json!({"enabled": true}),
        ),
        ("DELETE", "/api/skills/installed/x".to_owned(), Value::Null),
        (
            "POST",
            "/api/skills/installed/x/refresh".to_owned(),
            Value::Null,
        ),
        ("POST", "/api/plugins/install".to_owned(), install.clone()),
        ("POST", "/api/plugins/fetch".to_owned(), install.clone()),
        ("GET", "/api/plugins/installed/x".to_owned(), Value::Null),
        (
            "PATCH",
            "/api/plugins/installed/x".to_owned(),
            json!({"enabled": true}),
        ),
        ("DELETE", "/api/plugins/installed/x".to_owned(), Value::Null),
        (
            "POST",
            "/api/plugins/installed/x/refresh".to_owned(),
            Value::Null,
        ),
        ("POST", "/api/canvas-extensions/install".to_owned(), install),
        (
            "GET",
            "/api/canvas-extensions/installed/x".to_owned(),
            Value::Null,
        ),
        (
            "GET",
            "/api/canvas-extensions/installed/x/bundle".to_owned(),
            Value::Null,
        ),
        ("GET", backend.to_owned(), Value::Null),
        ("POST", format!("{backend}/prepare"), revision.clone()),
        ("POST", format!("{backend}/start"), revision),
        ("POST", format!("{backend}/stop"), Value::Null),
        ("GET", format!("{backend}/logs?limit_bytes=10"), Value::Null),
        ("DELETE", format!("{backend}/data"), Value::Null),
        ("POST", "/app-backends/x/session".to_owned(), Value::Null),
        ("GET", "/api/meta-profiles/x".to_owned(), Value::Null),
        (
            "POST",
            "/api/meta-profiles/x".to_owned(),
            json!({"classifier_model": "m", "classes": [{"description": "d", "model": "m"}]}),
        ),
        (
            "POST",
            "/api/meta-profiles/x/activate".to_owned(),
            Value::Null,
        ),
        (
            "POST",
            "/v1/chat/completions".to_owned(),
            json!({"model": "m", "messages": [{"role": "user", "content": "x"}]}),
        ),
        (
            "POST",
            "/v1/responses".to_owned(),
            json!({"model": "m", "input": "x"}),
        ),
    ] {
        let mut request = world.request(method.parse::<Method>().unwrap(), &path);
        if !body.is_null() {
            request = request.json(&body);
        }
        let (status, body) = answer(request).await;
        assert_eq!(status.as_u16(), 501, "{method} {path}: {body}");
        assert_eq!(body["detail"], "Internal Server Error");
        let exception = body["exception"].as_str().unwrap();
        assert!(exception.starts_with("501: "), "{exception}");
        assert!(exception.ends_with("not there yet"), "{exception}");
    }
}

#[tokio::test]
async fn the_rest_needs_a_key_too() {
    let world = World::with(|config| config.session_api_keys = vec!["key".to_owned()]).await;
    for path in [
        "/app-backends/x/session",
        "/v1/responses",
        "/api/plugins/install",
    ] {
        let request = world.client.post(world.url(path)).json(&json!({}));
        let (status, _) = answer(request).await;
        assert_eq!(status.as_u16(), 401, "{path}");
    }
}

#[tokio::test]
async fn what_another_server_installed_is_shown() {
    let world = World::new().await;
    let installed = world.path().join("home/.openhands/skills/installed");
    std::fs::create_dir_all(installed.join("orgs")).unwrap();
    let skill = json!({
        "name": "orgs", "version": "1.0.0", "description": "o", "enabled": true,
        "source": "file:///ws/orgrepo", "requested_ref": null, "resolved_ref": null, "repo_path": "skills/orgs",
        "installed_at": "2026-11-15T19:32:25.752979+00:00", "install_path": installed.join("orgs"),
    });
    let record = json!({"extensions": {"orgs": skill, "gone": {
        "name": "gone", "source": "x", "installed_at": "x", "install_path": "x",
    }}});
    std::fs::write(installed.join(".installed.json"), record.to_string()).unwrap();
    let (_, body) = world.get("/api/skills/installed").await;
    let mut shown = skill.clone();
    shown.as_object_mut().unwrap().shift_remove("requested_ref");
    assert_eq!(body, json!({"skills": [shown]}));
    let (_, body) = world.get("/api/skills/installed/orgs").await;
    assert_eq!(body, shown);
    let (status, body) = world.get("/api/skills/installed/gone").await;
    assert_eq!(
        (status.as_u16(), body),
        (404, json!({"detail": "Skill 'gone' is not installed"}))
    );
}
