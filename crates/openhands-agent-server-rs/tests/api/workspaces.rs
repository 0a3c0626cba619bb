//! The list of directories that the UI offers.

use std::os::unix::fs::PermissionsExt as _;

use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::harness::World;
use crate::recording::recorded;

#[tokio::test]
async fn the_list_is_kept_as_recorded() {
    let world = World::new().await;
    let stored = world.path().join("workspace/.openhands/workspaces.json");
    for exchange in recorded("workspaces") {
        if exchange.0.get("request").is_some() {
            exchange.check(&world, &[]).await;
        } else {
            let text = std::fs::read_to_string(&stored).unwrap();
            assert_eq!(
                serde_json::from_str::<Value>(&text).unwrap(),
                exchange.0["content"]
            );
            assert!(text.starts_with("{\n  \"schema_version\": 1,\n"));
            let mode = stored.metadata().unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
        }
    }
}

#[tokio::test]
async fn a_list_that_cannot_be_read_is_not_overwritten() {
    let world = World::new().await;
    let directory = world.path().join("workspace/.openhands");
    std::fs::create_dir_all(&directory).unwrap();
    let file = directory.join("workspaces.json");
    for content in [
        "{ broken",
        "[]",
        r#"{"schema_version": 2, "workspaces": []}"#,
    ] {
        std::fs::write(&file, content).unwrap();
        let item = json!({"workspaces": [{"id": "a", "name": "a", "path": "/a"}]});
        let corrupted = json!({"detail": "Workspaces file is corrupted"});
        let (status, body) = world.get("/api/workspaces").await;
        assert_eq!((status.as_u16(), &body), (409, &corrupted), "{content}");
        let (status, body) = world.post("/api/workspaces", &item).await;
        assert_eq!((status.as_u16(), &body), (409, &corrupted));
        let (status, _) = world.delete("/api/workspaces?path=/a").await;
        assert_eq!(status, 409);
        assert_eq!(std::fs::read_to_string(&file).unwrap(), content);
    }
}

#[tokio::test]
async fn many_additions_at_once_are_all_kept() {
    let world = World::new().await;
    let adding = (0..20).map(|number| {
        let path = format!("/w/{number}");
        let item =
            json!({"workspaces": [{"id": path, "name": "w", "path": path, "parentPath": "/w"}]});
        let world = &world;
        async move { world.post("/api/workspaces", &item).await.0 }
    });
    for status in futures_util::future::join_all(adding).await {
        assert_eq!(status, 200);
    }
    let (_, list) = world.get("/api/workspaces").await;
    let list = list["workspaces"].as_array().unwrap();
    assert_eq!(list.len(), 20);
    assert!(list.iter().all(|item| item["parentPath"] == "/w"));
}
