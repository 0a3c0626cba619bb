//! The files of a conversation's workspace, as a web server shows them.

use std::os::unix::fs::symlink;

use pretty_assertions::assert_eq;
use reqwest::Method;
use reqwest::header::{
    ACCEPT_RANGES, CONTENT_DISPOSITION, CONTENT_RANGE, CONTENT_TYPE, SET_COOKIE,
};
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use crate::harness::World;

/// Sends a path as it is: a client that follows the rules would take the dots away.
async fn raw(world: &World, path: &str) -> String {
    let mut stream = tokio::net::TcpStream::connect(world.server.address)
        .await
        .unwrap();
    let request = format!(
        "GET {path} HTTP/1.1\r\nHost: x\r\nX-Session-API-Key: key1\r\nConnection: close\r\n\r\n"
    );
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    answer
}

async fn world_with_site() -> (World, String) {
    let world = World::with(|config| config.session_api_keys = vec!["key1".to_owned()]).await;
    let site = world.path().join("site");
    std::fs::create_dir_all(site.join("sub")).unwrap();
    std::fs::create_dir_all(site.join("empty")).unwrap();
    std::fs::write(site.join("index.html"), "<h1>hi</h1>").unwrap();
    std::fs::write(site.join("sub/a.css"), "a{}").unwrap();
    std::fs::write(site.join("sub/ü \"x\".txt"), "odd").unwrap();
    std::fs::write(world.path().join("secret"), "secret").unwrap();
    std::fs::write(world.path().join("sitebeside"), "secret").unwrap();
    symlink(world.path(), site.join("out")).unwrap();
    symlink(world.path().join("secret"), site.join("empty/index.html")).unwrap();
    symlink("index.html", site.join("inside.html")).unwrap();
    symlink("loop", site.join("loop")).unwrap();
    let id = world.converse_in(&site).await;
    (world, id)
}

#[tokio::test]
async fn files_are_shown_with_their_types() {
    let (world, id) = world_with_site().await;
    for (path, kind, content) in [
        ("", "text/html; charset=utf-8", "<h1>hi</h1>"),
        ("/", "text/html; charset=utf-8", "<h1>hi</h1>"),
        ("/index.html", "text/html; charset=utf-8", "<h1>hi</h1>"),
        ("/inside.html", "text/html; charset=utf-8", "<h1>hi</h1>"),
        ("/sub/a.css", "text/css; charset=utf-8", "a{}"),
        (
            "/sub/../index.html",
            "text/html; charset=utf-8",
            "<h1>hi</h1>",
        ),
        (
            "/sub/%C3%BC%20%22x%22.txt",
            "text/plain; charset=utf-8",
            "odd",
        ),
    ] {
        let response = world
            .request(
                Method::GET,
                &format!("/api/conversations/{id}/workspace{path}"),
            )
            .send()
            .await
            .unwrap();
        assert_eq!(response.status(), 200, "{path}");
        assert_eq!(response.headers()[CONTENT_TYPE], kind, "{path}");
        assert_eq!(response.headers()[ACCEPT_RANGES], "bytes");
        assert!(response.headers().get(CONTENT_DISPOSITION).is_none());
        assert_eq!(response.text().await.unwrap(), content, "{path}");
    }
    let part = world
        .request(
            Method::GET,
            &format!("/api/conversations/{id}/workspace/index.html"),
        )
        .header("Range", "bytes=4-5")
        .send()
        .await
        .unwrap();
    assert_eq!(
        (part.status().as_u16(), &part.headers()[CONTENT_RANGE]),
        (206, &"bytes 4-5/11".parse().unwrap())
    );
    assert_eq!(part.text().await.unwrap(), "hi");
}

#[tokio::test]
async fn nothing_outside_of_the_workspace_is_shown() {
    let (world, id) = world_with_site().await;
    for path in [
        "../secret",
        "%2e%2e/secret",
        "..%2fsecret",
        "%2e%2e/%2e%2e/%2e%2e/%2e%2e/%2e%2e/%2e%2e/%2e%2e/etc/passwd",
        "out/secret",
        "out/home",
        "empty",
        "%2Fetc/passwd",
        "%2e%2e/sitebeside",
        "sub/%2e%2e/%2e%2e/secret",
    ] {
        let answer = raw(&world, &format!("/api/conversations/{id}/workspace/{path}")).await;
        assert!(answer.starts_with("HTTP/1.1 400 "), "{path}: {answer}");
        assert!(
            answer.ends_with(r#"{"detail":"Path is outside the workspace"}"#),
            "{path}: {answer}"
        );
    }
    for (path, detail) in [
        ("none.txt", "File not found"),
        ("sub", "No index.html in directory"),
        ("index.html/x", "File not found"),
        ("a%00b", "File not found"),
        ("loop", "File not found"),
    ] {
        let (status, body) = world
            .get(&format!("/api/conversations/{id}/workspace/{path}"))
            .await;
        assert_eq!(
            (status.as_u16(), &body),
            (404, &json!({"detail": detail})),
            "{path}"
        );
    }
}

#[tokio::test]
async fn a_workspace_that_is_not_there_is_not_found() {
    let (world, id) = world_with_site().await;
    let unknown = "9e167019-a25a-46a5-90e1-e0130b72e4e5";
    let (status, body) = world
        .get(&format!("/api/conversations/{unknown}/workspace/x"))
        .await;
    assert_eq!(
        (status.as_u16(), body),
        (
            404,
            json!({"detail": format!("Conversation not found: {unknown}")})
        )
    );
    let (status, _) = world.get("/api/conversations/zz/workspace/x").await;
    assert_eq!(status, 422);
    std::fs::remove_dir_all(world.path().join("site")).unwrap();
    let (status, body) = world
        .get(&format!("/api/conversations/{id}/workspace"))
        .await;
    assert_eq!(
        (status.as_u16(), body),
        (404, json!({"detail": "Workspace directory does not exist"}))
    );
}

#[tokio::test]
async fn a_browser_gets_in_by_cookie_but_only_here() {
    let (world, id) = world_with_site().await;
    let file = world.url(&format!("/api/conversations/{id}/workspace/index.html"));
    assert_eq!(world.client.get(&file).send().await.unwrap().status(), 401);
    let session = world.url("/api/auth/workspace-session");
    assert_eq!(
        world.client.post(&session).send().await.unwrap().status(),
        401
    );
    let post = || {
        world
            .client
            .post(&session)
            .header("X-Session-API-Key", "key1")
    };
    let cookie = |response: reqwest::Response| {
        assert_eq!(response.status(), 204);
        response.headers()[SET_COOKIE].to_str().unwrap().to_owned()
    };
    let plain = "oh_workspace_session_key=key1; HttpOnly; Max-Age=315360000; Path=/api/conversations; SameSite=none";
    let secure = format!("{plain}; Secure; Partitioned");
    assert_eq!(cookie(post().send().await.unwrap()), secure);
    assert_eq!(
        cookie(post().header("Host", "example.org").send().await.unwrap()),
        plain
    );
    for (name, value) in [
        ("X-Forwarded-Proto", "https, http"),
        ("X-Forwarded-Host", "[::1]:80"),
        ("X-Forwarded-Host", "LOCALHOST:3000"),
    ] {
        let forwarded = post().header("Host", "example.org").header(name, value);
        assert_eq!(
            cookie(forwarded.send().await.unwrap()),
            secure,
            "{name}: {value}"
        );
    }
    let given_back = world
        .request(Method::DELETE, "/api/auth/workspace-session")
        .send()
        .await
        .unwrap();
    assert_eq!(
        cookie(given_back),
        "oh_workspace_session_key=\"\"; HttpOnly; Max-Age=0; Path=/api/conversations; SameSite=none; Secure; Partitioned"
    );
    let with_cookie = |url: &str, key: &str| {
        world
            .client
            .get(url)
            .header("Cookie", format!("a=b; oh_workspace_session_key={key}"))
    };
    assert_eq!(
        with_cookie(&file, "key1").send().await.unwrap().status(),
        200
    );
    assert_eq!(
        with_cookie(&file, "key2").send().await.unwrap().status(),
        401
    );
    let elsewhere = world.url("/api/workspaces");
    assert_eq!(
        with_cookie(&elsewhere, "key1")
            .send()
            .await
            .unwrap()
            .status(),
        401
    );
}

#[tokio::test]
async fn a_server_without_keys_gives_an_empty_cookie() {
    let world = World::new().await;
    let response = world
        .client
        .post(world.url("/api/auth/workspace-session"))
        .header("X-Session-API-Key", "a;b\"c");
    let response = response.send().await.unwrap();
    assert!(
        response.headers()[SET_COOKIE]
            .to_str()
            .unwrap()
            .starts_with("oh_workspace_session_key=\"\"; HttpOnly")
    );
}
