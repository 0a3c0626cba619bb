//! A server that is itself in a container, with the engine's socket: its containers are its neighbours.

use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::docker::{docker, image, with_label};

const KEY: &str = "the-key-of-the-server-in-a-container";

/// Removes what a test made, also when it fails.
struct Cleanup {
    server: String,
    network: String,
    owner_file: std::path::PathBuf,
}

impl Cleanup {
    fn containers(&self) -> Vec<String> {
        let owner = std::fs::read_to_string(&self.owner_file).unwrap_or_default();
        if owner.is_empty() {
            return Vec::new();
        }
        with_label(&format!("dev.openhands.owner={owner}"))
    }
}

impl Drop for Cleanup {
    fn drop(&mut self) {
        for container in self.containers() {
            crate::docker::succeeds(&["rm", "-f", &container]);
        }
        crate::docker::succeeds(&["rm", "-f", &self.server]);
        crate::docker::succeeds(&["network", "rm", &self.network]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_in_a_container_maps_its_paths_to_those_of_the_host() {
    let Some(image) = image() else { return };
    let socket = std::env::var("DOCKER_HOST").unwrap_or_default();
    let socket = socket
        .strip_prefix("unix://")
        .unwrap_or("/var/run/docker.sock")
        .to_owned();
    assert!(Path::new(&socket).exists(), "{socket}");
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path().canonicalize().unwrap();
    for name in ["srv", "project"] {
        std::fs::create_dir(root.join(name)).unwrap();
    }
    let name = format!("openhands-test-outer-{}", std::process::id());
    let cleanup = Cleanup {
        server: name.clone(),
        network: name.clone(),
        owner_file: root.join("srv/workspace/conversations/.sandbox-owner"),
    };
    docker(&["network", "create", &name]);
    let map = json!({"/data": root}).to_string();
    docker(&[
        "run",
        "-d",
        "--name",
        &name,
        "--network",
        &name,
        "-p",
        "127.0.0.1::8000",
        "-u",
        "0",
        "-v",
        &format!("{socket}:/var/run/docker.sock"),
        "-v",
        &format!("{}:/data", root.display()),
        "-w",
        "/data/srv",
        "-e",
        "RUNTIME_ENV=docker",
        "-e",
        "OH_ENABLE_VSCODE=false",
        "-e",
        &format!("OH_CONVERSATION_IMAGE={image}"),
        "-e",
        &format!("OH_CONVERSATION_CONTAINER_NETWORK={name}"),
        "-e",
        &format!("OH_CONVERSATION_CONTAINER_PATH_MAP={map}"),
        "-e",
        &format!("OH_SESSION_API_KEYS_0={KEY}"),
        "-e",
        "OH_CONVERSATIONS_PATH=/data/srv/workspace/conversations",
        &image,
        "--host",
        "0.0.0.0",
        "--port",
        "8000",
    ]);
    let address = docker(&["port", &name, "8000/tcp"]);
    let url = format!("http://{}", address.lines().next().unwrap());
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let began = Instant::now();
    while !client
        .get(format!("{url}/health"))
        .send()
        .await
        .is_ok_and(|answer| answer.status() == 200)
    {
        assert!(
            began.elapsed() < Duration::from_mins(1),
            "{}",
            docker(&["logs", &name])
        );
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let post = async |path: &str, body: Value| {
        let request = client
            .post(format!("{url}{path}"))
            .header("x-session-api-key", KEY)
            .json(&body);
        let answer = request
            .timeout(Duration::from_secs(100))
            .send()
            .await
            .unwrap();
        let status = answer.status().as_u16();
        (status, answer.json::<Value>().await.unwrap())
    };
    // The directory as the server sees it, which the host calls by another name.
    let (status, info) = post("/api/conversations", json!({
        "workspace": {"working_dir": "/data/project"},
        "agent": {"llm": {"model": "openai/none", "api_key": "k"}, "tools": [{"name": "terminal"}]},
    })).await;
    assert_eq!(status, 201, "{info}");
    let id = info["id"].as_str().unwrap();
    let (status, output) = post(
        &format!("/api/conversations/{id}/bash/execute_bash_command"),
        json!({"command": "pwd; hostname; echo made > made.txt"}),
    )
    .await;
    assert_eq!(status, 200, "{output}\n{}", docker(&["logs", &name]));
    let said = output["stdout"].as_str().unwrap();
    assert!(said.starts_with("/data/project\n"), "{said}");
    assert_eq!(
        std::fs::read_to_string(root.join("project/made.txt")).unwrap(),
        "made\n"
    );
    let containers = cleanup.containers();
    assert_eq!(containers.len(), 1);
    assert!(said.contains(&containers[0][..12]), "{said}");
    // It goes with its server.
    docker(&["stop", "-t", "20", &name]);
    assert!(cleanup.containers().is_empty());
}
