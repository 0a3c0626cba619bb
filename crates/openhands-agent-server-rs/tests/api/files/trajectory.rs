//! What is stored of a conversation, as a zip.

use std::collections::BTreeMap;
use std::io::{Cursor, Read as _};
use std::os::unix::fs::symlink;

use pretty_assertions::assert_eq;
use reqwest::Method;
use serde_json::json;

use crate::harness::World;

#[tokio::test]
async fn a_trajectory_holds_everything_but_credentials() {
    let world = World::new().await;
    let workspace = world.path().join("w");
    let id = world.converse_in(&workspace).await;
    let hex = id.replace('-', "");
    let directory = world.path().join("workspace/conversations").join(&hex);
    std::fs::create_dir_all(directory.join("acp")).unwrap();
    std::fs::write(directory.join("acp/token"), "secret").unwrap();
    std::fs::write(
        directory.join("extra.json"),
        r#"{"api_key": "sk-secret", "x": ["gAAAAAsealed"]}"#,
    )
    .unwrap();
    std::fs::write(directory.join("plain.json"), "{ \"a\":  1 }").unwrap();
    std::fs::write(directory.join(".extra.json.abc.tmp"), "sk-secret").unwrap();
    std::fs::write(directory.join("big"), vec![b'x'; 3_000_000]).unwrap();
    symlink("/etc/passwd", directory.join("link")).unwrap();
    let path = format!("/api/file/download-trajectory/{id}");
    let response = world.request(Method::GET, &path).send().await.unwrap();
    assert_eq!(response.status(), 200);
    assert_eq!(
        response.headers()["content-type"],
        "application/octet-stream"
    );
    assert_eq!(
        response.headers()["content-disposition"].to_str().unwrap(),
        format!("attachment; filename=\"{hex}.zip\"")
    );
    let body = response.bytes().await.unwrap();
    let mut zip = zip::ZipArchive::new(Cursor::new(body)).unwrap();
    let mut members = BTreeMap::new();
    for index in 0..zip.len() {
        let mut member = zip.by_index(index).unwrap();
        let name = member.name().unwrap().into_owned();
        assert!(member.enclosed_name().is_some(), "{name}");
        let mut content = Vec::new();
        member.read_to_end(&mut content).unwrap();
        members.insert(name, content);
    }
    let text = |name: &str| String::from_utf8(members[&format!("{hex}/{name}")].clone()).unwrap();
    assert!(members.contains_key(&format!("{hex}/")));
    assert!(members.contains_key(&format!("{hex}/events/")));
    assert_eq!(
        text("extra.json"),
        r#"{"api_key":"**********","x":["**********"]}"#
    );
    assert_eq!(text("plain.json"), "{ \"a\":  1 }");
    assert_eq!(text("big").len(), 3_000_000);
    assert!(text("base_state.json").contains("openai/scripted"));
    let names: Vec<&String> = members.keys().collect();
    assert!(
        names.iter().all(|name| !name.contains("/acp")
            && !name.ends_with(".tmp")
            && !name.ends_with("link")),
        "{names:?}"
    );
    for (name, content) in &members {
        assert!(
            !String::from_utf8_lossy(content).contains("sk-secret"),
            "{name}"
        );
    }
}

#[tokio::test]
async fn a_conversation_that_is_not_there_has_none() {
    let world = World::new().await;
    let (status, body) = world
        .get("/api/file/download-trajectory/49d3820a-445d-470d-9bd4-b21895f1ae2e")
        .await;
    assert_eq!(
        (status.as_u16(), body),
        (404, json!({"detail": "Conversation not found"}))
    );
    let (status, _) = world.get("/api/file/download-trajectory/..%2f..").await;
    assert_eq!(status, 422);
}
