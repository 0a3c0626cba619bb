//! Starting and ending.

use std::time::{Duration, Instant};

use serde_json::json;

use crate::server::Server;

#[tokio::test]
async fn it_ends_at_once_with_all_that_runs() {
    let mut server = Server::start().await;
    let pid = server.output("sleep 300 & echo $!").await;
    let pid = pid.lines().last().unwrap().to_owned();
    let action = json!({"action": {"action": "run", "args": {"command": "touch started; sleep 301"}, "timeout": 60}});
    let (base, client) = (server.url("/execute_action"), server.client.clone());
    let asking = tokio::spawn(async move {
        client
            .post(base)
            .json(&action)
            .send()
            .await
            .map(|a| a.status())
    });
    let began = Instant::now();
    while !server.workspace.join("started").exists() {
        assert!(
            began.elapsed() < Duration::from_secs(20),
            "the command does not start"
        );
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let began = Instant::now();
    assert!(server.terminate().await.success(), "{}", server.log());
    assert!(
        began.elapsed() < Duration::from_secs(3),
        "{:?}",
        began.elapsed()
    );
    assert!(!std::path::Path::new(&format!("/proc/{pid}")).exists());
    drop(asking.await);
}
