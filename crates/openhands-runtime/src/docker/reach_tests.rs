//! The way to a container.

use bollard::Docker as Engine;
use pretty_assertions::assert_eq;

use super::{Connection, DockerSettings, Reach};

fn connection(remote: Option<&str>) -> Connection {
    Connection {
        engine: Engine::connect_with_http("tcp://127.0.0.1:1", 1, bollard::API_DEFAULT_VERSION)
            .expect("a client"),
        remote: remote.map(str::to_owned),
        rootless: false,
        podman: false,
        selinux: false,
    }
}

fn published(bind: &str, host: &str) -> Reach {
    Reach::Published {
        bind: bind.to_owned(),
        host: host.to_owned(),
    }
}

#[tokio::test]
async fn ports_are_opened_no_further_than_needed() {
    let choose = |host_addr: Option<&str>, remote: Option<&str>| {
        let mut settings = DockerSettings::new("test");
        settings.host_addr = host_addr.map(str::to_owned);
        Reach::choose(&settings, &connection(remote)).expect("a way")
    };
    assert_eq!(choose(None, None), published("127.0.0.1", "127.0.0.1"));
    assert_eq!(
        choose(Some("172.17.0.1"), None),
        published("172.17.0.1", "172.17.0.1")
    );
    assert_eq!(
        choose(Some("host.docker.internal"), None),
        published("0.0.0.0", "host.docker.internal")
    );
    assert_eq!(choose(None, Some("box")), published("0.0.0.0", "box"));
}

#[tokio::test]
async fn without_a_network_there_is_no_way() {
    let mut settings = DockerSettings::new("test");
    settings.network = Some("none".to_owned());
    let error = Reach::choose(&settings, &connection(None)).expect_err("no way");
    assert!(error.to_string().contains("none"), "{error}");
}
