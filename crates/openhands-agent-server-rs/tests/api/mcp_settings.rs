//! Servers of tools in the settings.

use pretty_assertions::assert_eq;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::harness::{World, answer};

fn servers(answer: &(StatusCode, Value)) -> Value {
    answer.1["agent_settings"]["mcp_config"].clone()
}

#[tokio::test]
async fn a_server_is_added_changed_and_removed() {
    let world = World::with(|config| config.secret_key = Some("k".to_owned())).await;
    let fs = "/api/settings/mcp/fs";
    let added = world
        .post(
            fs,
            &json!({"command": "npx", "args": ["-y", "x"], "env": {"TOKEN": "secretval"}}),
        )
        .await;
    assert_eq!(added.0, StatusCode::CREATED);
    let shown = json!({"command": "npx", "args": ["-y", "x"], "env": {"TOKEN": "**********"}, "enabled": true});
    assert_eq!(servers(&added), json!({"fs": shown}));
    assert_eq!(
        world.post(fs, &json!({"command": "npx"})).await,
        (
            StatusCode::CONFLICT,
            json!({"detail": "MCP server 'fs' already exists"})
        )
    );
    let web = "/api/settings/mcp/web";
    let server = json!({"url": "http://127.0.0.1:1/mcp", "headers": {"Authorization": "Bearer abc", "X-A": "1"}});
    world.post(web, &server).await;
    let changed = world
        .patch(web, &json!({"headers": {"X-A": null, "X-B": "2"}}))
        .await;
    assert_eq!(changed.0, StatusCode::OK);
    let stars = "**********";
    assert_eq!(
        servers(&changed)["web"],
        json!({"url": "http://127.0.0.1:1/mcp", "headers": {"Authorization": stars, "X-B": stars}, "enabled": true})
    );
    let off = world.patch(fs, &json!({"enabled": false})).await;
    assert_eq!(servers(&off)["fs"]["enabled"], false);
    let plain = world
        .request(Method::GET, "/api/settings")
        .header("X-Expose-Secrets", "plaintext");
    let plain = servers(&answer(plain).await);
    assert_eq!(plain["fs"]["env"]["TOKEN"], "secretval");
    assert_eq!(
        plain["web"]["headers"],
        json!({"Authorization": "Bearer abc", "X-B": "2"})
    );
    let file = std::fs::read_to_string(world.path().join("home/.openhands/settings.json")).unwrap();
    assert!(!file.contains("secretval") && !file.contains("Bearer abc"));

    assert_eq!(
        servers(&world.delete(web).await),
        json!({"fs": {
            "command": "npx", "args": ["-y", "x"], "env": {"TOKEN": stars}, "enabled": false
        }})
    );
    for (method, body) in [
        (Method::DELETE, None),
        (Method::PATCH, Some(json!({"enabled": false}))),
    ] {
        let mut request = world.request(method, web);
        if let Some(body) = body {
            request = request.json(&body);
        }
        assert_eq!(
            answer(request).await,
            (
                StatusCode::NOT_FOUND,
                json!({"detail": "MCP server 'web' was not found"})
            )
        );
    }
}

#[tokio::test]
async fn a_server_that_makes_no_sense_is_refused() {
    let world = World::new().await;
    for server in [
        json!({"transport": "stdio"}),
        json!({"transport": "http", "command": "x"}),
        json!({"url": "http://x", "headers": {"authorization": "a"}, "auth": {"strategy": "bearer", "value": "b"}}),
        json!({"command": "x", "foo": 1}),
    ] {
        let (status, _) = world.post("/api/settings/mcp/bad", &server).await;
        assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY, "{server}");
    }
    assert_eq!(
        world.get("/api/settings").await.1["agent_settings"]["mcp_config"],
        json!({})
    );
}
