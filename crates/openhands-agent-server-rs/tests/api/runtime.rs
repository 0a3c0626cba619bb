//! Commands, files and git bound to the workspace of a conversation.

use std::os::unix::fs::symlink;

use pretty_assertions::assert_eq;
use reqwest::Method;
use reqwest::multipart::{Form, Part};
use serde_json::{Value, json};

use crate::harness::{World, answer};

const UNKNOWN: &str = "41d4908f-8d3c-4e6e-810a-eb41b2bfccfc";

struct Bound {
    world: World,
    id: String,
    /// The workspace.
    root: std::path::PathBuf,
}

impl Bound {
    async fn new() -> Self {
        let world = World::new().await;
        let root = world.path().canonicalize().unwrap().join("project");
        let id = world.converse_in(&root).await;
        Self { world, id, root }
    }

    fn path(&self, rest: &str) -> String {
        format!("/api/conversations/{}/{rest}", self.id)
    }

    async fn execute(&self, body: Value) -> (u16, Value) {
        let (status, body) = self
            .world
            .post(&self.path("bash/execute_bash_command"), &body)
            .await;
        (status.as_u16(), body)
    }

    async fn upload(&self, path: &str) -> (u16, Value) {
        let form = Form::new().part("file", Part::text("<h1>hi</h1>").file_name("i"));
        let request = self.world.request(Method::POST, &self.path("file/upload"));
        let (status, body) = answer(request.query(&[("path", path)]).multipart(form)).await;
        (status.as_u16(), body)
    }

    async fn get(&self, rest: &str, query: &[(&str, &str)]) -> (u16, Value) {
        let request = self
            .world
            .request(Method::GET, &self.path(rest))
            .query(query);
        let (status, body) = answer(request).await;
        (status.as_u16(), body)
    }
}

fn outside(name: &str) -> Value {
    json!({"detail": format!("{name} must be inside the conversation workspace")})
}

#[tokio::test]
async fn the_runtime_of_a_conversation_is_there() {
    let bound = Bound::new().await;
    let available =
        json!({"runtime_status": "available", "can_resume": true, "runtime_error": null});
    assert_eq!(bound.get("runtime", &[]).await, (200, available.clone()));
    let (status, body) = bound
        .world
        .post(&bound.path("runtime/reprovision"), &Value::Null)
        .await;
    assert_eq!((status.as_u16(), body), (200, available));
    let (status, body) = bound
        .world
        .get(&format!("/api/conversations/{UNKNOWN}/runtime"))
        .await;
    assert_eq!(
        (status.as_u16(), body),
        (404, json!({"detail": "Not Found"}))
    );
    let (status, _) = bound.world.delete(&bound.path("runtime")).await;
    assert_eq!(status, 405);
    let (status, _) = bound
        .world
        .post(&bound.path("runtime/credentials"), &Value::Null)
        .await;
    assert_eq!(status, 404);
}

#[tokio::test]
async fn commands_run_in_the_workspace_and_have_a_store_of_their_own() {
    let bound = Bound::new().await;
    let root = bound.root.to_str().unwrap();
    let (status, output) = bound.execute(json!({"command": "pwd"})).await;
    assert_eq!(
        (status, output["stdout"].as_str().unwrap().trim_end()),
        (200, root)
    );
    std::fs::create_dir(bound.root.join("sub")).unwrap();
    let sub = format!("{root}/sub");
    assert_eq!(
        bound.execute(json!({"command": "pwd", "cwd": sub})).await.0,
        200
    );
    for cwd in ["/tmp", "/", &format!("{root}/.."), &format!("{root}x"), "."] {
        assert_eq!(
            bound.execute(json!({"command": "pwd", "cwd": cwd})).await,
            (422, outside("cwd")),
            "{cwd}"
        );
    }
    let (_, page) = bound.get("bash/bash_events/search", &[]).await;
    let events = page["items"].as_array().unwrap();
    let commands = events.iter().filter(|event| event["kind"] == "BashCommand");
    assert_eq!(commands.count(), 2);
    assert_eq!(events[0]["cwd"], root);
    let hex = bound.id.replace('-', "");
    let stored = bound
        .world
        .path()
        .join("workspace/conversations")
        .join(hex)
        .join("bash_events");
    assert_eq!(std::fs::read_dir(stored).unwrap().count(), 4);
    let (_, flat) = bound.world.get("/api/bash/bash_events/search").await;
    assert_eq!(flat["items"], json!([]));
    let event = events[1]["id"].as_str().unwrap();
    assert_eq!(
        bound.get(&format!("bash/bash_events/{event}"), &[]).await,
        (200, events[1].clone())
    );
    let several = bound
        .world
        .request(Method::GET, &bound.path("bash/bash_events/"))
        .json(&json!([event]));
    assert_eq!(answer(several).await.1, json!([events[1]]));

    let (_, command) = bound
        .world
        .post(
            &bound.path("bash/start_bash_command"),
            &json!({"command": "sleep 60"}),
        )
        .await;
    let stop = format!(
        "bash/bash_commands/{}/stop",
        command["id"].as_str().unwrap()
    );
    let (status, body) = bound.world.post(&bound.path(&stop), &Value::Null).await;
    assert_eq!((status.as_u16(), body), (200, json!({"success": true})));
    let (status, body) = bound.world.delete(&bound.path("bash/bash_events")).await;
    assert_eq!((status.as_u16(), body), (200, json!({"cleared_count": 6})));
}

#[tokio::test]
async fn files_stay_inside_of_the_workspace() {
    let bound = Bound::new().await;
    let root = bound.root.to_str().unwrap();
    let page = format!("{root}/sub/index.html");
    assert_eq!(
        bound.upload(&page).await,
        (200, json!({"success": true, "file_size": 11}))
    );
    assert_eq!(bound.get("file/download", &[("path", &page)]).await.0, 200);
    symlink("/etc", bound.root.join("esc")).unwrap();
    symlink(bound.world.path().join("new"), bound.root.join("dangling")).unwrap();
    symlink("sub", bound.root.join("inner")).unwrap();
    assert_eq!(
        bound
            .get(
                "file/download",
                &[("path", &format!("{root}/inner/index.html"))]
            )
            .await
            .0,
        200
    );
    for path in [
        "/etc/passwd".to_owned(),
        format!("{root}/../../../../etc/passwd"),
        format!("{root}/esc/hostname"),
        format!("{root}/dangling"),
        format!("{root}/dangling/x/y"),
        format!("{root}beside"),
        "sub/index.html".to_owned(),
        ".".to_owned(),
    ] {
        let expected = (422, outside("path"));
        assert_eq!(bound.upload(&path).await, expected, "{path}");
        for (route, query) in [
            ("file/download", "path"),
            ("file/archive", "path"),
            ("git/changes", "path"),
            ("git/diff", "path"),
            ("git/commits", "path"),
        ] {
            assert_eq!(
                bound.get(route, &[(query, &path)]).await,
                expected,
                "{route} {path}"
            );
        }
        // The last one of two does not hide the first.
        assert_eq!(
            bound
                .get("file/download", &[("path", &path), ("path", &page)])
                .await,
            expected,
            "{path}"
        );
        let request = bound
            .world
            .request(Method::POST, &bound.path("file/create_directory"))
            .query(&[("path", &path)]);
        assert_eq!(answer(request).await.0, 422);
    }
    assert!(!bound.world.path().join("new").exists());
    let (status, _) = bound
        .get("file/archive", &[("path", root), ("format", "tar.gz")])
        .await;
    assert_eq!(status, 200);
}

#[tokio::test]
async fn git_and_the_editor_are_bound_too() {
    let bound = Bound::new().await;
    let root = bound.root.to_str().unwrap();
    bound.upload(&format!("{root}/index.html")).await;
    assert_eq!(
        bound.get("git/changes", &[("path", root)]).await,
        (200, json!([{"status": "ADDED", "path": "index.html"}]))
    );
    assert_eq!(
        bound.get("git/commits", &[("path", root)]).await,
        (200, json!({"commits": [], "has_more": false}))
    );
    assert_eq!(
        bound.get("vscode/url", &[]).await,
        (200, json!({"url": null}))
    );
    assert_eq!(
        bound.get("vscode/url", &[("workspace_dir", "/etc")]).await,
        (422, outside("workspace_dir"))
    );
    assert_eq!(bound.get("vscode/status", &[]).await.0, 200);
}

#[tokio::test]
async fn only_the_own_trajectory_is_given() {
    let bound = Bound::new().await;
    let own = format!("file/download-trajectory/{}", bound.id);
    assert_eq!(bound.get(&own, &[]).await.0, 200);
    let other = format!("file/download-trajectory/{UNKNOWN}");
    let detail = json!({"detail": "Trajectory must belong to the selected conversation"});
    assert_eq!(bound.get(&other, &[]).await, (422, detail));
}

#[tokio::test]
async fn an_unknown_conversation_is_not_found() {
    let bound = Bound::new().await;
    let (status, body) = bound
        .world
        .get(&format!(
            "/api/conversations/{UNKNOWN}/bash/bash_events/search"
        ))
        .await;
    assert_eq!(
        (status.as_u16(), body),
        (
            404,
            json!({"detail": format!("Conversation not found: {UNKNOWN}")})
        )
    );
    let (status, _) = bound
        .world
        .get("/api/conversations/xyz/bash/bash_events/search")
        .await;
    assert_eq!(status, 422);
    // Those of the server itself have no such form.
    for rest in [
        "file/home",
        "file/search_subdirs",
        "git/repositories/search",
    ] {
        assert_eq!(bound.get(rest, &[]).await.0, 404, "{rest}");
    }
}

#[tokio::test]
async fn commands_end_with_their_conversation() {
    let bound = Bound::new().await;
    let (status, output) = bound
        .execute(json!({"command": "sleep 600 >/dev/null 2>&1 & echo $!"}))
        .await;
    assert_eq!(status, 200);
    let pid = output["stdout"].as_str().unwrap().trim().to_owned();
    let stat = || std::fs::read_to_string(format!("/proc/{pid}/stat"));
    assert!(stat().is_ok());
    let (status, body) = bound
        .world
        .delete(&format!("/api/conversations/{}", bound.id))
        .await;
    assert_eq!(status, 200, "{body}");
    assert!(stat().is_err() || stat().unwrap().contains(") Z "));
    let hex = bound.id.replace('-', "");
    assert!(
        !bound
            .world
            .path()
            .join("workspace/conversations")
            .join(hex)
            .exists()
    );
}
