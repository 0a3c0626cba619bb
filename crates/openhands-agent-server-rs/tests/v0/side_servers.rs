//! What runs beside the API: the file viewer and the memory monitor; and what the server tells of itself.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::server::{Server, Setup};

/// Waits for words in the log of a server.
async fn logged(server: &Server, words: &str) {
    let began = Instant::now();
    while !server.log().contains(words) {
        assert!(began.elapsed() < Duration::from_mins(1), "{}", server.log());
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test]
async fn the_file_viewer_shows_files_of_the_sandbox() {
    let mut server = Server::start().await;
    let url = server.viewer();
    let port = |url: &str| -> u16 { url.rsplit(':').next().unwrap().parse().unwrap() };
    let (viewer, main) = (port(&url), port(&server.base));
    assert!(
        viewer > main && viewer <= main.saturating_add(1024),
        "{viewer}"
    );
    let answer = server.client.get(&url).send().await.unwrap();
    let status: Value = answer.json().await.unwrap();
    assert_eq!(status, json!({"status": "File viewer server is running"}));
    let path = server.path("a.txt");
    server
        .act("write", json!({"path": path, "content": "a < b"}), 10.0)
        .await;
    let request = server.client.get(format!("{url}/view"));
    let page = request.query(&[("path", &path)]).send().await.unwrap();
    let page = page.text().await.unwrap();
    assert!(page.contains("a &lt; b"), "{page}");
    assert!(server.terminate().await.success());
    assert!(server.client.get(&url).send().await.is_err());
}

#[tokio::test]
async fn memory_is_watched_where_it_is_wished() {
    let setup = Setup {
        env: &[
            ("RUNTIME_MEMORY_MONITOR", "true"),
            ("RUNTIME_MAX_MEMORY_GB", "4"),
        ],
        ..Setup::default()
    };
    let server = Server::with(setup).await;
    logged(&server, "the memory limit of 4 GB is not enforced").await;
    logged(&server, "Memory usage: ").await;
    assert!(!Server::start().await.log().contains("Memory usage"));
}

#[tokio::test]
async fn what_the_server_uses_is_told() {
    let server = Server::start().await;
    let info = async || -> Value { server.get("/server_info").await.json().await.unwrap() };
    for _ in 0..20 {
        let info = info().await;
        assert!(info["resources"]["memory"]["rss"].as_u64().unwrap() > 1 << 20);
        assert!(info["resources"]["cpu_percent"].as_f64().unwrap() >= 0.0);
    }
    server.output("true").await;
    let info = info().await;
    let (uptime, idle) = (&info["uptime"], &info["idle_time"]);
    assert!(idle.as_f64().unwrap() < uptime.as_f64().unwrap(), "{info}");
}
