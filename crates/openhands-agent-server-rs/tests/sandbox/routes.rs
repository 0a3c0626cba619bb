//! The routes of a conversation's runtime are answered in its container.

use reqwest::Method;
use reqwest::multipart::{Form, Part};
use serde_json::{Value, json};

use crate::docker::docker;
use crate::world::{World, read};

#[tokio::test(flavor = "multi_thread")]
async fn commands_run_in_the_container() {
    let Some(world) = World::start().await else {
        return;
    };
    let id = world.converse().await;
    let base = format!("/api/conversations/{id}/bash");
    let (status, output) = world
        .post(
            &format!("{base}/execute_bash_command"),
            &json!({"command": "hostname; pwd; echo x > x.txt"}),
        )
        .await;
    assert_eq!(status, 200, "{output}");
    let hostname = docker(&["inspect", "-f", "{{.Config.Hostname}}", &world.container()]);
    assert_eq!(
        output["stdout"],
        format!("{hostname}\n{}\n", world.project().display())
    );
    assert_eq!(read(&world.project().join("x.txt")), "x\n");
    let (status, command) = world
        .post(
            &format!("{base}/start_bash_command"),
            &json!({"command": "sleep 1000"}),
        )
        .await;
    assert_eq!(status, 200, "{command}");
    let command = command["id"].as_str().unwrap().to_owned();
    let (status, event) = world.get(&format!("{base}/bash_events/{command}")).await;
    assert_eq!((status, &event["command"]), (200, &json!("sleep 1000")));
    let (status, stopped) = world
        .post(&format!("{base}/bash_commands/{command}/stop"), &json!({}))
        .await;
    assert_eq!((status, stopped), (200, json!({"success": true})));
    let search = format!("{base}/bash_events/search?kind__eq=BashCommand&limit=10");
    let (status, page) = world.get(&search).await;
    assert_eq!(status, 200, "{page}");
    assert_eq!(page["items"].as_array().unwrap().len(), 2, "{page}");
    let (status, some) = world
        .send(
            world
                .request(Method::GET, &format!("{base}/bash_events/"))
                .json(&json!([command, "0123456789abcdef0123456789abcdef"])),
        )
        .await;
    assert_eq!(status, 200, "{some}");
    assert_eq!(some[1], Value::Null);
    // They are kept where the server finds them again.
    let kept = world
        .directory
        .path()
        .join("srv/workspace/conversations")
        .join(id.replace('-', ""))
        .join("sandbox/bash_events");
    assert!(std::fs::read_dir(kept).unwrap().count() >= 3);
    let (status, cleared) = world
        .send(world.request(Method::DELETE, &format!("{base}/bash_events")))
        .await;
    assert_eq!(status, 200, "{cleared}");
    let (status, refused) = world
        .post(
            &format!("{base}/execute_bash_command"),
            &json!({"command": "true", "cwd": "/etc"}),
        )
        .await;
    assert_eq!(status, 422);
    assert_eq!(
        refused["detail"],
        "cwd must be inside the conversation workspace"
    );
    // Of the flat routes nothing is passed on.
    let (_, flat) = world
        .post(
            "/api/bash/execute_bash_command",
            &json!({"command": "hostname"}),
        )
        .await;
    assert_ne!(flat["stdout"], format!("{hostname}\n"));
}

#[tokio::test(flavor = "multi_thread")]
async fn files_go_through_byte_for_byte() {
    let Some(world) = World::start().await else {
        return;
    };
    let id = world.converse().await;
    let base = format!("/api/conversations/{id}/file");
    let project = world.project();
    // More than fits into any buffer on the way, and no text.
    let content: Vec<u8> = (0..9_000_001_u32)
        .map(|number| number.wrapping_mul(2_654_435_761).to_le_bytes()[3])
        .collect();
    let target = project.join("a file with é & 100%.bin");
    let form = Form::new().part("file", Part::bytes(content.clone()).file_name("x.bin"));
    let upload = world
        .request(Method::POST, &format!("{base}/upload"))
        .query(&[("path", &target)])
        .multipart(form);
    let (status, uploaded) = world.send(upload).await;
    assert_eq!(
        (status, &uploaded["file_size"]),
        (200, &json!(content.len())),
        "{uploaded}"
    );
    assert!(std::fs::read(&target).unwrap() == content);
    let download = |range: Option<&'static str>| {
        let request = world
            .request(Method::GET, &format!("{base}/download"))
            .query(&[("path", &target)]);
        match range {
            Some(range) => request.header("range", range),
            None => request,
        }
    };
    let whole = download(None).send().await.unwrap();
    assert_eq!(
        whole.headers()["content-length"],
        content.len().to_string().as_str()
    );
    assert!(whole.headers().contains_key("etag"));
    assert!(whole.bytes().await.unwrap() == content);
    let part = download(Some("bytes=10-19")).send().await.unwrap();
    assert_eq!(part.status(), 206);
    assert_eq!(part.bytes().await.unwrap(), content[10..20]);
    let (status, made) = world
        .send(
            world
                .request(Method::POST, &format!("{base}/create_directory"))
                .query(&[("path", project.join("d/e"))]),
        )
        .await;
    assert_eq!(status, 200, "{made}");
    assert!(project.join("d/e").is_dir());
    let archive = world
        .request(Method::GET, &format!("{base}/archive"))
        .query(&[("path", &project)])
        .send()
        .await
        .unwrap();
    assert_eq!(archive.status(), 200);
    assert!(archive.bytes().await.unwrap().len() > 100);
    // The log is here, so its archive is made here.
    let hex = id.replace('-', "");
    let zip = world
        .request(Method::GET, &format!("{base}/download-trajectory/{hex}"))
        .send()
        .await
        .unwrap();
    assert_eq!(zip.status(), 200);
    assert!(zip.bytes().await.unwrap().starts_with(b"PK"));
    let (status, refused) = world
        .send(
            world
                .request(Method::GET, &format!("{base}/download"))
                .query(&[("path", "/etc/passwd")]),
        )
        .await;
    assert_eq!(
        (status, &refused["detail"]),
        (
            422,
            &json!("path must be inside the conversation workspace")
        )
    );
    // A link leads where it leads in the container, and not out of the workspace.
    std::os::unix::fs::symlink("/etc/hostname", project.join("link")).unwrap();
    let page = format!("/api/conversations/{id}/workspace");
    let (status, said) = world.get(&format!("{page}/link")).await;
    assert_eq!(
        (status, &said["detail"]),
        (400, &json!("Path is outside the workspace"))
    );
    std::fs::write(project.join("index.html"), "<p>Hello").unwrap();
    let answer = world
        .request(Method::GET, &format!("{page}/index.html"))
        .send()
        .await
        .unwrap();
    assert_eq!(answer.headers()["content-type"], "text/html; charset=utf-8");
    assert_eq!(answer.text().await.unwrap(), "<p>Hello");
    // A page that came in by its cookie cannot choose another directory.
    let by_cookie = world
        .client
        .get(format!("{}{page}/etc/hostname", world.url))
        .header(
            "cookie",
            format!("oh_workspace_session_key={}", crate::world::KEY),
        )
        .header("x-openhands-workspace", "/")
        .header("x-openhands-directory", "/tmp");
    let (status, _) = world.send(by_cookie).await;
    assert_eq!(status, 404);
}

#[tokio::test(flavor = "multi_thread")]
async fn git_and_the_editor_are_asked_there() {
    let Some(world) = World::start().await else {
        return;
    };
    let id = world.converse().await;
    let project = world.project();
    world.bash(&id, "git init -q 2>/dev/null; git config user.name t; git config user.email t@example.org; echo one > a.txt; git add .; git commit -qm first; echo two > a.txt; echo new > b.txt").await;
    let base = format!("/api/conversations/{id}/git");
    let get = |path: &str, at: &std::path::Path| {
        world.send(
            world
                .request(Method::GET, &format!("{base}/{path}"))
                .query(&[("path", at)]),
        )
    };
    let (status, changes) = get("changes", &project).await;
    assert_eq!(status, 200, "{changes}");
    assert_eq!(changes.as_array().unwrap().len(), 2, "{changes}");
    let (status, diff) = get("diff", &project.join("a.txt")).await;
    assert_eq!(status, 200, "{diff}");
    assert_eq!(
        (
            diff["original"].as_str().map(str::trim),
            diff["modified"].as_str().map(str::trim)
        ),
        (Some("one"), Some("two"))
    );
    let (status, commits) = get("commits", &project).await;
    assert_eq!(status, 200, "{commits}");
    let sha = commits["commits"][0]["sha"]
        .as_str()
        .or(commits["items"][0]["sha"].as_str())
        .unwrap()
        .to_owned();
    let (status, changed) = get(&format!("commits/{sha}/changes"), &project).await;
    assert_eq!(status, 200, "{changed}");
    let (status, editor) = world
        .get(&format!("/api/conversations/{id}/vscode/status"))
        .await;
    assert_eq!(status, 200, "{editor}");
    // The server inside has an editor to look for, and its image has none. The one outside would say that it is disabled.
    assert_eq!(
        (&editor["enabled"], &editor["running"]),
        (&json!(true), &json!(false))
    );
    let (status, url) = world
        .get(&format!("/api/conversations/{id}/vscode/url"))
        .await;
    assert_eq!((status, &url["url"]), (200, &Value::Null), "{url}");
    let (status, said) = world.get(&format!("{base}/changes")).await;
    assert_eq!(status, 422, "{said}");
    assert_eq!(said["detail"][0]["loc"], json!(["query", "path"]));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_runtime_can_be_looked_at_replaced_and_removed() {
    let Some(world) = World::start().await else {
        return;
    };
    let id = world.converse().await;
    let base = format!("/api/conversations/{id}/runtime");
    // The steps of the start, as they happen, and how it ends.
    let progress = world
        .request(Method::GET, &format!("{base}/progress"))
        .send()
        .await
        .unwrap();
    assert_eq!(progress.headers()["content-type"], "text/event-stream");
    let told = progress.text().await.unwrap();
    assert!(
        told.contains("event: step") && told.contains("The container is ready"),
        "{told}"
    );
    let last = told.trim().rsplit("data: ").next().unwrap();
    let last: Value = serde_json::from_str(last.lines().next().unwrap()).unwrap();
    assert_eq!(last["runtime_status"], "available", "{told}");
    let available =
        json!({"runtime_status": "available", "can_resume": true, "runtime_error": null});
    assert_eq!(world.get(&base).await, (200, available.clone()));
    let (status, credentials) = world.post(&format!("{base}/credentials"), &json!({})).await;
    assert_eq!(status, 200);
    let key = credentials["session_api_key"].as_str().unwrap();
    let environment = docker(&["inspect", "-f", "{{.Config.Env}}", &world.container()]);
    assert!(environment.contains(key));
    let before = world.container();
    assert_eq!(
        world.post(&format!("{base}/reprovision"), &json!({})).await,
        (200, available)
    );
    assert_ne!(world.container(), before);
    let (status, _) = world.send(world.request(Method::DELETE, &base)).await;
    assert_eq!(status, 204);
    assert!(world.containers().is_empty());
    let (_, info) = world.get(&base).await;
    assert_eq!(info["runtime_status"], "missing");
    assert_eq!(world.bash(&id, "echo again").await, "again\n");
    // It is not ours to tell who may come in.
    let unknown = "/api/conversations/0123456789abcdef0123456789abcdef/runtime";
    assert_eq!(world.get(unknown).await.0, 404);
    let without_key = world
        .client
        .get(format!("{}{base}", world.url))
        .send()
        .await
        .unwrap();
    assert_eq!(without_key.status(), 401);
}
