//! A server that is itself in a container, with the engine's socket: its containers are its neighbours.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::docker::{docker, image, succeeds, with_label};

const KEY: &str = "the-key-of-the-server-in-a-container";

/// A server in a container. It goes with its containers at the end, also when a test fails.
struct Outer {
    name: String,
    network: Option<String>,
    url: String,
    client: reqwest::Client,
    root: PathBuf,
    _directory: TempDir,
}

impl Outer {
    /// A server in a network that its containers share with it, or, without one, in the engine's own; with some variables.
    /// None if there is no engine.
    async fn start(network: Option<&str>, variables: &[(&str, &str)]) -> Option<Self> {
        let image = image()?;
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
        // The name of the directory is nobody else's.
        let unique = root.file_name().unwrap().to_string_lossy();
        let mut outer = Self {
            name: format!("openhands-test-outer-{}", unique.trim_start_matches('.')),
            network: None,
            url: String::new(),
            client: reqwest::Client::builder().no_proxy().build().unwrap(),
            root: root.clone(),
            _directory: directory,
        };
        let mut arguments: Vec<String> = ["run", "-d", "--name", &outer.name, "-u", "0"]
            .map(str::to_owned)
            .to_vec();
        let mut say = |option: &str, value: String| arguments.extend([option.to_owned(), value]);
        if let Some(network) = network {
            docker(&["network", "create", network]);
            outer.network = Some(network.to_owned());
            say("--network", network.to_owned());
            say("-e", format!("OH_CONVERSATION_CONTAINER_NETWORK={network}"));
        }
        say("-p", "127.0.0.1::8000".to_owned());
        say("-v", format!("{socket}:/var/run/docker.sock"));
        say("-v", format!("{}:/data", root.display()));
        say("-w", "/data/srv".to_owned());
        let map = json!({"/data": root}).to_string();
        let usual = [
            ("RUNTIME_ENV", "docker"),
            ("OH_ENABLE_VSCODE", "false"),
            ("OH_CONVERSATION_IMAGE", &image),
            ("OH_CONVERSATION_CONTAINER_PATH_MAP", &map),
            ("OH_SESSION_API_KEYS_0", KEY),
            ("OH_CONVERSATIONS_PATH", "/data/srv/workspace/conversations"),
        ];
        for (name, value) in usual.iter().chain(variables) {
            say("-e", format!("{name}={value}"));
        }
        arguments.push(image.clone());
        arguments.extend(["--host", "0.0.0.0", "--port", "8000"].map(str::to_owned));
        docker(&arguments.iter().map(String::as_str).collect::<Vec<_>>());
        let address = docker(&["port", &outer.name, "8000/tcp"]);
        outer.url = format!("http://{}", address.lines().next().unwrap());
        let health = format!("{}/health", outer.url);
        outer
            .until("the server answers", async || {
                let asked = outer.client.get(&health).send().await;
                asked.is_ok_and(|answer| answer.status() == 200)
            })
            .await;
        Some(outer)
    }

    async fn until(&self, what: &str, mut is_so: impl AsyncFnMut() -> bool) {
        let began = Instant::now();
        while !is_so().await {
            let late = began.elapsed() > Duration::from_mins(1);
            assert!(!late, "not in time: {what}\n{}", self.log());
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    async fn post(&self, path: &str, body: &Value) -> (u16, Value) {
        let request = self
            .client
            .post(format!("{}{path}", self.url))
            .header("x-session-api-key", KEY)
            .json(body);
        let answer = request
            .timeout(Duration::from_secs(100))
            .send()
            .await
            .unwrap();
        let status = answer.status().as_u16();
        (status, answer.json::<Value>().await.unwrap())
    }

    /// A conversation in the directory as the server sees it, which the host calls by another name.
    async fn converse(&self) -> String {
        let (status, info) = self.post("/api/conversations", &json!({
            "workspace": {"working_dir": "/data/project"},
            "agent": {"llm": {"model": "openai/none", "api_key": "k"}, "tools": [{"name": "terminal"}]},
        })).await;
        assert_eq!(status, 201, "{info}");
        info["id"].as_str().unwrap().to_owned()
    }

    async fn bash(&self, id: &str, command: &str) -> String {
        let path = format!("/api/conversations/{id}/bash/execute_bash_command");
        let (status, output) = self.post(&path, &json!({"command": command})).await;
        assert_eq!(status, 200, "{output}\n{}", self.log());
        output["stdout"].as_str().unwrap().to_owned()
    }

    /// What the server said: both of its streams.
    fn log(&self) -> String {
        let said = std::process::Command::new("docker")
            .args(["logs", &self.name])
            .output()
            .unwrap();
        let [out, error] =
            [said.stdout, said.stderr].map(|said| String::from_utf8_lossy(&said).into_owned());
        out + &error
    }

    /// The containers of the server.
    fn containers(&self) -> Vec<String> {
        let kept = self.root.join("srv/workspace/conversations/.sandbox-owner");
        let owner = std::fs::read_to_string(kept).unwrap_or_default();
        if owner.is_empty() {
            return Vec::new();
        }
        with_label(&format!("dev.openhands.owner={owner}"))
    }

    /// A conversation works in the directory of the host, in the one container that there is; and that goes with its server.
    async fn check(&self) {
        let id = self.converse().await;
        let said = self.bash(&id, "pwd; hostname; echo made > made.txt").await;
        assert!(said.starts_with("/data/project\n"), "{said}");
        assert_eq!(
            std::fs::read_to_string(self.root.join("project/made.txt")).unwrap(),
            "made\n"
        );
        let containers = self.containers();
        assert_eq!(containers.len(), 1, "{}", self.log());
        assert!(said.contains(&containers[0][..12]), "{said}");
    }

    fn stop(&self) {
        docker(&["stop", "-t", "20", &self.name]);
        assert!(self.containers().is_empty());
    }
}

impl Drop for Outer {
    fn drop(&mut self) {
        for container in self.containers() {
            succeeds(&["rm", "-f", &container]);
        }
        succeeds(&["rm", "-f", &self.name]);
        if let Some(network) = &self.network {
            succeeds(&["network", "rm", network]);
        }
    }
}

/// The address of the host in the engine's own network. Asked of the machine: an engine that has made its bridge in this life does not
/// tell it.
fn gateway() -> String {
    let format = r#"{{index .Options "com.docker.network.bridge.name"}}"#;
    let bridge = docker(&["network", "inspect", "-f", format, "bridge"]);
    let shown = std::process::Command::new("ip")
        .args(["-4", "-oneline", "address", "show", "dev", &bridge])
        .output()
        .unwrap();
    let shown = String::from_utf8_lossy(&shown.stdout).into_owned();
    let mut words = shown.split([' ', '/']).skip_while(|word| *word != "inet");
    let address = words.find(|word| word.contains('.'));
    address
        .unwrap_or_else(|| panic!("{bridge}: {shown}"))
        .to_owned()
}

fn network(name: &str) -> String {
    format!("openhands-test-{name}-{}", std::process::id())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_in_a_container_maps_its_paths_to_those_of_the_host() {
    let Some(outer) = Outer::start(Some(&network("shared")), &[]).await else {
        return;
    };
    outer.check().await;
    outer.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_shared_network_containers_are_reached_by_an_address_of_the_host() {
    if image().is_none() {
        return;
    }
    let gateway = gateway();
    let variables = [("DOCKER_HOST_ADDR", gateway.as_str())];
    let Some(outer) = Outer::start(None, &variables).await else {
        return;
    };
    outer.check().await;
    // On that address alone: whoever else reaches the machine does not reach them.
    let ports = docker(&["port", &outer.containers()[0]]);
    assert_eq!(ports.lines().count(), 4, "{ports}");
    let is_there = |line: &str| line.contains(&format!("-> {gateway}:"));
    assert!(ports.lines().all(is_there), "{ports}");
    outer.stop();
}

/// Where the processes of containers are not seen no container can wait; the log says so, and everything else works.
async fn check_that_none_waits(outer: &Outer) {
    outer
        .until("the log says why", async || {
            outer.log().contains("no containers wait for conversations")
        })
        .await;
    outer
        .until("what had been made to wait is gone", async || {
            outer.containers().is_empty()
        })
        .await;
    outer.check().await;
    outer.stop();
    let log = outer.log();
    assert_eq!(log.matches("no containers wait").count(), 1, "{log}");
}

#[tokio::test(flavor = "multi_thread")]
async fn no_container_waits_for_a_server_in_a_container() {
    if image().is_none() {
        return;
    }
    let gateway = gateway();
    let variables = [
        ("DOCKER_HOST_ADDR", gateway.as_str()),
        ("OH_CONVERSATION_WARM_CONTAINERS", "2"),
    ];
    if let Some(outer) = Outer::start(None, &variables).await {
        check_that_none_waits(&outer).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn no_container_waits_in_a_shared_network_either() {
    let variables = [("OH_CONVERSATION_WARM_CONTAINERS", "2")];
    if let Some(outer) = Outer::start(Some(&network("warm")), &variables).await {
        check_that_none_waits(&outer).await;
    }
}
