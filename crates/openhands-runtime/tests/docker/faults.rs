//! What goes wrong ends with a word about it, and leaves nothing behind.

use std::net::TcpListener;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use openhands_runtime::docker::{DockerError, Progress, SandboxState};
use pretty_assertions::assert_eq;

use crate::world::{World, ask, ask_url, containers_of, docker, eventually, is_gone, is_podman};

#[tokio::test]
async fn a_missing_image_is_named_with_what_to_do() {
    let Some(world) = World::with(|settings| {
        "127.0.0.1:1/no-such-image:7".clone_into(&mut settings.image);
    })
    .await
    else {
        return;
    };
    let error = world
        .docker
        .provision(world.spec(), Progress::none())
        .await
        .unwrap_err();
    assert!(
        matches!(error, DockerError::ImageMissing { .. }),
        "{error:?}"
    );
    let text = error.to_string();
    assert!(
        text.contains("docker build -t 127.0.0.1:1/no-such-image:7 ."),
        "{text}"
    );
}

/// As many ports in a row as a container needs, all of them in use.
fn four_taken() -> [TcpListener; 4] {
    for _ in 0..100 {
        let first = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = first.local_addr().unwrap().port();
        let next = |by: u16| TcpListener::bind(("127.0.0.1", port.checked_add(by)?)).ok();
        if let (Some(second), Some(third), Some(fourth)) = (next(1), next(2), next(3)) {
            return [first, second, third, fourth];
        }
    }
    panic!("no four ports in a row are free");
}

#[tokio::test]
async fn ports_that_are_taken_are_told() {
    // A range that has room for one container, if nobody else were there.
    let taken = four_taken();
    let port = taken[0].local_addr().unwrap().port();
    let Some(world) = World::with(|settings| settings.port_range = Some((port, port + 3))).await
    else {
        return;
    };
    let provision = || world.docker.provision(world.spec(), Progress::none());
    let error = provision().await.unwrap_err();
    assert!(matches!(error, DockerError::PortTaken(_)), "{error:?}");
    let text = error.to_string();
    assert!(
        (port..port + 4).any(|port| text.contains(&port.to_string())),
        "{text}"
    );
    eventually("nothing is left", async || world.containers().is_empty()).await;
    drop(taken);
    let sandbox = provision().await.unwrap();
    assert_eq!(ask(&sandbox, "/health", None).await, 200);
}

/// An image like ours with another program at its entry; removed at the end.
struct Image(String);

impl Image {
    fn entering(world: &World, name: &str, command: &str) -> Self {
        let tag = format!("openhands-test-{name}:{}", std::process::id());
        let text = format!(
            "FROM {}\nENTRYPOINT [\"bash\", \"-c\", \"{command}\"]\n",
            world.settings.image
        );
        let mut child = Command::new("docker")
            .args(["build", "-q", "-t", &tag, "-"])
            .env("DOCKER_BUILDKIT", "0")
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        std::io::Write::write_all(&mut child.stdin.take().unwrap(), text.as_bytes()).unwrap();
        assert!(child.wait().unwrap().success());
        Self(tag)
    }
}

impl Drop for Image {
    fn drop(&mut self) {
        docker(&["rmi", "-f", &self.0]);
    }
}

#[tokio::test]
async fn one_that_never_answers_is_given_up_with_its_last_words() {
    let Some(world) = World::with(|settings| settings.start_timeout = Duration::from_secs(3)).await
    else {
        return;
    };
    let image = Image::entering(&world, "silent", "echo I will not answer; sleep 600");
    let mut spec = world.spec();
    spec.image = Some(image.0.clone());
    let error = world
        .docker
        .provision(spec, Progress::none())
        .await
        .unwrap_err();
    assert!(matches!(error, DockerError::Unhealthy { .. }), "{error:?}");
    assert!(error.to_string().contains("I will not answer"), "{error}");
    eventually("nothing is left", async || world.containers().is_empty()).await;
}

#[tokio::test]
async fn one_that_ends_at_once_is_told_with_its_last_words() {
    let Some(world) = World::new().await else {
        return;
    };
    let image = Image::entering(&world, "broken", "echo it is broken >&2; exit 7");
    let mut spec = world.spec();
    spec.image = Some(image.0.clone());
    let error = world
        .docker
        .provision(spec, Progress::none())
        .await
        .unwrap_err();
    let DockerError::Ended { logs, .. } = &error else {
        panic!("{error:?}");
    };
    assert_eq!(logs, &["it is broken"], "{error}");
    eventually("nothing is left", async || world.containers().is_empty()).await;
}

/// As it may happen in the network of the machine, between the choice of ports and the start.
#[tokio::test]
async fn one_whose_port_was_taken_meanwhile_gets_another() {
    let Some(world) = World::new().await else {
        return;
    };
    let tried = world.path().join("tried");
    let command = format!(
        "echo $@ >>{0}; test $(grep -c . {0}) = 2 || {{ echo Address already in use >&2; exit 1; }}; exec openhands-agent-server $0 $@",
        tried.display()
    );
    let image = Image::entering(&world, "taken", &command);
    let mut spec = world.spec();
    spec.image = Some(image.0.clone());
    let sandbox = world.provision(spec.clone()).await;
    assert_eq!(ask(&sandbox, "/health", None).await, 200);
    let starts = || std::fs::read_to_string(&tried).unwrap().lines().count();
    assert_eq!(starts(), 2);
    sandbox.remove().await.unwrap();
    // Not for ever.
    let error = world.docker.provision(spec, Progress::none()).await;
    let error = error.unwrap_err().to_string();
    assert!(error.contains("Address already in use"), "{error}");
    assert_eq!(starts(), 2 + 3);
    eventually("nothing is left", async || world.containers().is_empty()).await;
}

#[tokio::test]
async fn a_start_that_is_cancelled_leaves_nothing() {
    let Some(world) = World::new().await else {
        return;
    };
    let (progress, mut steps) = Progress::channel();
    tokio::select! {
        _ = world.docker.provision(world.spec(), progress) => panic!("it is not awaited to its end"),
        () = async { while steps.recv().await != Some(openhands_runtime::docker::Step::Starting) {} } => {}
    }
    eventually("nothing is left", async || world.containers().is_empty()).await;
}

#[tokio::test]
async fn one_that_is_killed_is_gone_and_made_anew() {
    let Some(world) = World::new().await else {
        return;
    };
    let spec = world.spec();
    let sandbox = world.provision(spec.clone()).await;
    docker(&["kill", sandbox.id()]);
    eventually("it is gone", async || is_gone(&sandbox).await).await;
    assert!(matches!(sandbox.pause().await, Err(DockerError::Gone(_))));
    assert!(
        world
            .docker
            .find(spec.conversation)
            .await
            .unwrap()
            .is_none()
    );
    let second = world.provision(spec).await;
    assert_eq!(ask(&second, "/health", None).await, 200);
}

#[tokio::test]
async fn a_server_that_is_started_again_finds_its_containers_and_only_its_own() {
    let Some(world) = World::new().await else {
        return;
    };
    let spec = world.spec();
    let sandbox = world.provision(spec.clone()).await;
    let (id, key) = (sandbox.id().to_owned(), sandbox.endpoint().key);
    drop(sandbox);
    let found = world
        .again()
        .await
        .find(spec.conversation)
        .await
        .unwrap()
        .unwrap();
    assert_eq!(
        (found.id(), found.endpoint().key),
        (id.as_str(), key.clone())
    );
    assert_eq!(ask(&found, "/api/settings", key.expose()).await, 200);

    let Some(other) = World::new().await else {
        return;
    };
    assert!(
        other
            .docker
            .find(spec.conversation)
            .await
            .unwrap()
            .is_none()
    );
    assert_eq!(
        other.docker.sweep(|_| false).await.unwrap(),
        Vec::<String>::new()
    );
    assert_eq!(found.state().await.unwrap(), SandboxState::Running);
}

/// How often a test begins anew whose container the engine took away.
const TRIES: usize = 5;

#[tokio::test]
async fn one_that_was_started_again_is_found_at_its_new_port() {
    for _ in 0..TRIES {
        let Some(world) = World::new().await else {
            return;
        };
        if is_found_when_started_again(&world).await {
            return;
        }
    }
    panic!("the engine took away each container that it had started again");
}

/// False if it cannot be said: the engine took the container away. It was told to do so when the container ends, and Docker may do it also
/// when it is about to start it again, or has done so.
async fn is_found_when_started_again(world: &World) -> bool {
    let spec = world.spec();
    let sandbox = world.provision(spec.clone()).await;
    let before = sandbox.ports().server;
    if !docker(&["restart", "-t", "5", sandbox.id()]).0 {
        return false;
    }
    assert_eq!(sandbox.state().await.unwrap(), SandboxState::Restarted);
    let found = world.docker.find(spec.conversation).await.unwrap().unwrap();
    assert_eq!(found.id(), sandbox.id());
    // Docker gives out the next one, Podman the same.
    assert_eq!(found.ports().server == before, is_podman());
    let key = found.endpoint().key;
    let mut is_there = false;
    eventually("it answers, or is taken away", async || {
        let url = format!("{}/api/settings", found.endpoint().url);
        is_there = ask_url(&url, key.expose()).await == Some(200);
        // The engine shows nothing of a container that it is about to remove.
        is_there || !docker(&["logs", "--tail", "0", sandbox.id()]).0
    })
    .await;
    if !is_there {
        return false;
    }
    assert_eq!(found.state().await.unwrap(), SandboxState::Running);
    // It is still somebody's when the one who knew it before goes.
    drop(sandbox);
    assert_eq!(world.docker.sweep(|_| false).await.unwrap(), [""; 0]);
    true
}

#[tokio::test]
async fn orphans_are_swept_and_nothing_else() {
    let Some(world) = World::new().await else {
        return;
    };
    let known = world.provision(world.spec()).await;
    let orphan = world.provision(world.spec()).await;
    let held = world.provision(world.spec()).await;
    let conversation = known.conversation();
    let orphan_id = orphan.id().to_owned();
    let known_id = known.id().to_owned();
    drop((known, orphan));
    let removed = world
        .docker
        .sweep(|id| Some(id) == conversation)
        .await
        .unwrap();
    assert_eq!(removed, [orphan_id]);
    let mut left = containers_of(&world.settings.owner);
    left.sort();
    let mut wanted = [known_id, held.id().to_owned()];
    wanted.sort();
    assert_eq!(left, wanted);
}

#[tokio::test]
async fn one_that_nobody_watches_ends_by_itself() {
    let limit = Duration::from_secs(2);
    let Some(world) = World::with(|settings| settings.unwatched = limit).await else {
        return;
    };
    let sandbox = world.provision(world.spec()).await;
    let began = Instant::now();
    // Held, it lives on beyond the limit.
    while began.elapsed() < limit * 3 {
        assert_eq!(sandbox.state().await.unwrap(), SandboxState::Running);
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    drop(sandbox);
    eventually("it has ended", async || world.containers().is_empty()).await;
}
