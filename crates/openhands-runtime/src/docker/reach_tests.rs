//! The way to a container.

use std::net::{IpAddr, Ipv4Addr, TcpListener};

use bollard::Docker as Engine;
use pretty_assertions::assert_eq;

use super::{Connection, DockerSettings, Reach, ports_in};

fn connection(remote: Option<&str>) -> Connection {
    Connection {
        engine: Engine::connect_with_http("tcp://127.0.0.1:1", 1, bollard::API_DEFAULT_VERSION)
            .expect("a client"),
        remote: remote.map(str::to_owned),
        socket: None,
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
    let choose = async |host_addr: Option<&str>, remote: Option<&str>, bind: Option<&str>| {
        let mut settings = DockerSettings::new("test");
        settings.host_addr = host_addr.map(str::to_owned);
        settings.bind = bind.map(|bind| bind.parse().expect("an address"));
        Reach::choose(&settings, &connection(remote)).await
    };
    let cases = [
        ((None, None, None), published("127.0.0.1", "127.0.0.1")),
        (
            (Some("172.17.0.1"), None, None),
            published("172.17.0.1", "172.17.0.1"),
        ),
        // A name is what it stands for, not everything.
        (
            (Some("localhost"), None, None),
            published("127.0.0.1", "localhost"),
        ),
        (
            (None, Some("localhost"), None),
            published("127.0.0.1", "localhost"),
        ),
        (
            (Some("10.1.2.3"), Some("localhost"), None),
            published("10.1.2.3", "10.1.2.3"),
        ),
        // Wide open only for those who say so.
        (
            (None, None, Some("0.0.0.0")),
            published("0.0.0.0", "127.0.0.1"),
        ),
        (
            (Some("no-such-name.invalid"), None, Some("0.0.0.0")),
            published("0.0.0.0", "no-such-name.invalid"),
        ),
    ];
    for ((host_addr, remote, bind), wanted) in cases {
        let chosen = choose(host_addr, remote, bind).await.expect("a way");
        assert_eq!(chosen, wanted);
    }
    let error = choose(Some("no-such-name.invalid"), None, None).await;
    let said = error.expect_err("no way").to_string();
    assert!(said.contains("OH_CONVERSATION_CONTAINER_BIND"), "{said}");
}

#[tokio::test]
async fn without_a_network_there_is_no_way() {
    let mut settings = DockerSettings::new("test");
    settings.network = Some("none".to_owned());
    let chosen = Reach::choose(&settings, &connection(None)).await;
    let error = chosen.expect_err("no way");
    assert!(error.to_string().contains("none"), "{error}");
}

#[test]
fn ports_of_a_range_are_those_that_nobody_has() {
    let address = IpAddr::from(Ipv4Addr::LOCALHOST);
    let taken = TcpListener::bind((address, 0)).unwrap();
    let port = taken.local_addr().unwrap().port();
    let range = (port.saturating_sub(4), port.saturating_add(4));
    for _ in 0..20 {
        let mut ports = ports_in(range, address, true).unwrap();
        assert!(!ports.contains(&port), "{ports:?}");
        ports.sort_unstable();
        assert!(ports.is_sorted_by(|one, next| one < next), "{ports:?}");
        let [first, .., last] = ports;
        assert!(range.0 <= first && last <= range.1, "{ports:?}");
    }
    // Of another machine it is not known.
    let mut ports = ports_in((port, port + 3), address, false).unwrap();
    ports.sort_unstable();
    assert_eq!(ports, [port, port + 1, port + 2, port + 3]);
    let error = ports_in((port, port + 3), address, true).unwrap_err();
    assert!(error.to_string().contains(&port.to_string()), "{error}");
}
