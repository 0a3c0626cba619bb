use bollard::API_DEFAULT_VERSION;
use openhands_protocol::{ConversationId, Secret};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use super::{Plan, Purpose};
use crate::docker::connect::Connection;
use crate::docker::reach::Reach;
use crate::docker::settings::{DockerSettings, Mount, SandboxSpec};

fn engine() -> Connection {
    // Nobody is asked.
    let engine = bollard::Docker::connect_with_http("127.0.0.1:1", 1, API_DEFAULT_VERSION);
    Connection {
        engine: engine.unwrap(),
        remote: None,
        socket: None,
        rootless: false,
        podman: false,
        selinux: false,
    }
}

/// The request as it is sent.
fn request(settings: &DockerSettings, connection: &Connection, purpose: &Purpose) -> Value {
    let reach = Reach::Published {
        bind: "127.0.0.1".to_owned(),
        host: "127.0.0.1".to_owned(),
    };
    let plan = Plan {
        settings,
        connection,
        reach: &reach,
        purpose,
        key: &Secret::new("the-key"),
    };
    serde_json::to_value(plan.body().unwrap()).unwrap()
}

fn conversation() -> SandboxSpec {
    SandboxSpec::new(ConversationId::random())
}

#[tokio::test]
async fn all_gpus_are_asked_for_if_they_are_wanted() {
    let mut settings = DockerSettings::new("me");
    let purpose = Purpose::Conversation(conversation());
    let without = request(&settings, &engine(), &purpose);
    assert_eq!(without["HostConfig"].get("DeviceRequests"), None);
    settings.gpus = true;
    for purpose in [purpose, Purpose::Warm(None)] {
        let with = request(&settings, &engine(), &purpose);
        // As `docker run --gpus all` asks.
        assert_eq!(
            with["HostConfig"]["DeviceRequests"],
            json!([{"Count": -1, "Capabilities": [["gpu"]]}])
        );
    }
}

#[tokio::test]
async fn limits_are_those_of_the_conversation_else_of_the_settings() {
    let mut settings = DockerSettings::new("me");
    settings.memory = Some(512 << 20);
    settings.cpus = Some(1.5);
    settings.pids = Some(100);
    let limits = |spec: SandboxSpec| {
        let body = request(&settings, &engine(), &Purpose::Conversation(spec));
        let host = &body["HostConfig"];
        ["Memory", "MemorySwap", "NanoCpus", "PidsLimit"].map(|name| host[name].clone())
    };
    let usual = 512 << 20;
    assert_eq!(
        limits(conversation()),
        [json!(usual), json!(usual), json!(1_500_000_000), json!(100)]
    );
    let own = 1_i64 << 30;
    let spec = SandboxSpec {
        memory: Some(1 << 30),
        cpus: Some(0.25),
        ..conversation()
    };
    assert_eq!(
        limits(spec),
        [json!(own), json!(own), json!(250_000_000), json!(100)]
    );
}

#[tokio::test]
async fn a_root_that_is_read_only_has_places_to_write() {
    let mut settings = DockerSettings::new("me");
    let purpose = Purpose::Conversation(conversation());
    let body = request(&settings, &engine(), &purpose);
    assert_eq!(body["HostConfig"]["ReadonlyRootfs"], false);
    assert_eq!(body["HostConfig"].get("Tmpfs"), None);
    settings.read_only = true;
    let body = request(&settings, &engine(), &purpose);
    assert_eq!(body["HostConfig"]["ReadonlyRootfs"], true);
    let options = "rw,exec,nosuid,nodev,mode=1777";
    assert_eq!(
        body["HostConfig"]["Tmpfs"],
        json!({"/tmp": options, "/var/tmp": options, "/run": options})
    );
    let env = body["Env"].as_array().unwrap();
    assert!(env.contains(&json!("HOME=/tmp")), "{env:?}");
}

#[tokio::test]
async fn every_container_is_shut_in() {
    let mut settings = DockerSettings::new("me");
    settings.user = Some("1000:1000".to_owned());
    let mut spec = conversation();
    spec.mounts.push(Mount {
        read_only: true,
        ..Mount::same("/srv/shown")
    });
    let id = spec.conversation.hex();
    let body = request(&settings, &engine(), &Purpose::Conversation(spec));
    assert_eq!(body["User"], "1000:1000");
    assert_eq!(
        body["Labels"],
        json!({"dev.openhands.owner": "me", "dev.openhands.conversation": id})
    );
    let host = &body["HostConfig"];
    assert_eq!(host["CapDrop"], json!(["ALL"]));
    assert_eq!(host["SecurityOpt"], json!(["no-new-privileges"]));
    assert_eq!(host["AutoRemove"], true);
    assert_eq!(
        host["Ulimits"],
        json!([{"Name": "core", "Soft": 0, "Hard": 0}])
    );
    let port = json!([{"HostIp": "127.0.0.1", "HostPort": ""}]);
    assert_eq!(
        host["PortBindings"],
        json!({"8000/tcp": port, "8001/tcp": port, "8011/tcp": port, "8012/tcp": port})
    );
    assert_eq!(
        host["Mounts"],
        json!([{"Type": "bind", "Source": "/srv/shown", "Target": "/srv/shown", "ReadOnly": true}])
    );
}

#[tokio::test]
async fn podman_is_told_limits_that_it_may_set() {
    let settings = DockerSettings::new("me");
    let podman = Connection {
        podman: true,
        rootless: true,
        ..engine()
    };
    let body = request(&settings, &podman, &Purpose::Conversation(conversation()));
    let limits = body["HostConfig"]["Ulimits"].as_array().unwrap();
    let names: Vec<_> = limits.iter().map(|limit| &limit["Name"]).collect();
    assert_eq!(names, ["core", "nofile", "nproc"]);
    let files = rustix::process::getrlimit(rustix::process::Resource::Nofile).maximum;
    let files = files.unwrap_or(u64::MAX).min(65_536);
    assert_eq!(limits[1]["Hard"], files);
    assert_eq!(limits[1]["Soft"], files);
    assert_eq!(body["HostConfig"]["UsernsMode"], "keep-id");
}
