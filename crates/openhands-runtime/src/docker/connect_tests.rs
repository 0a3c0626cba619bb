//! Where engines are looked for.

use std::path::PathBuf;

use pretty_assertions::assert_eq;

use super::{connect, remote_host, usual_sockets};

#[test]
fn rootless_and_podman_sockets_are_tried_too() {
    assert_eq!(
        usual_sockets(Some(PathBuf::from("/run/user/7")), 7),
        [
            "/var/run/docker.sock",
            "/run/user/7/docker.sock",
            "/run/user/7/podman/podman.sock",
            "/run/podman/podman.sock",
        ]
    );
    assert_eq!(
        usual_sockets(None, 9).get(1).map(String::as_str),
        Some("/run/user/9/docker.sock")
    );
}

#[test]
fn only_an_engine_on_another_machine_is_remote() {
    assert_eq!(remote_host("tcp://box:2375").as_deref(), Some("box"));
    assert_eq!(
        remote_host("http://10.0.0.7:2375/").as_deref(),
        Some("10.0.0.7")
    );
    assert_eq!(remote_host("tcp://127.0.0.1:2375"), None);
    assert_eq!(remote_host("unix:///var/run/docker.sock"), None);
    assert_eq!(remote_host("/var/run/docker.sock"), None);
}

#[tokio::test]
async fn an_engine_that_is_not_there_is_named() {
    let error = connect(Some("unix:///nowhere/docker.sock")).await;
    let text = error.map(|_| ()).unwrap_err().to_string();
    assert!(
        text.contains("/nowhere/docker.sock does not exist"),
        "{text}"
    );
    assert!(text.contains("DOCKER_HOST"), "{text}");
}
