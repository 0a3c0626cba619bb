//! What goes wrong ends in a clear error or in recovery; nothing hangs, nothing is left behind, no event is lost.

use std::io::Write as _;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::docker::{self, docker};
use crate::model::{Answer, runs};
use crate::world::{World, observed, read};

/// Every call has one result, whatever happened.
pub(crate) fn check_complete(events: &[Value]) {
    for event in events.iter().filter(|event| event["kind"] == "ActionEvent") {
        let id = &event["tool_call_id"];
        let results = events
            .iter()
            .filter(|other| other["kind"] != "ActionEvent" && other["tool_call_id"] == *id);
        assert_eq!(results.count(), 1, "one result of {id}: {events:#?}");
    }
}

/// What the results of calls say, errors too.
pub(crate) fn results(events: &[Value]) -> String {
    events
        .iter()
        .filter(|event| event["kind"] != "ActionEvent" && event.get("tool_call_id").is_some())
        .map(ToString::to_string)
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_container_that_is_killed_during_a_command_is_replaced_at_the_next_one() {
    let Some(world) = World::start().await else {
        return;
    };
    let id = world.converse().await;
    world
        .say(
            &id,
            [
                runs("echo begun > begun.txt; sleep 1000"),
                runs("echo again > again.txt"),
                Answer::Says("Done."),
            ],
        )
        .await;
    world
        .until("the command runs", async || {
            world.project().join("begun.txt").exists()
        })
        .await;
    let first = world.container();
    docker(&["kill", &first]);
    let status = world.rest(&id).await;
    let events = world.events(&id).await;
    assert_eq!(status, "finished", "{events:#?}\n{}", world.log());
    check_complete(&events);
    let said = results(&events);
    assert!(
        said.contains("sandbox"),
        "the error says what happened: {said}"
    );
    assert_eq!(read(&world.project().join("again.txt")), "again\n");
    assert_ne!(world.container(), first);
    // Nothing ran twice.
    assert_eq!(read(&world.project().join("begun.txt")), "begun\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_is_killed_goes_on_with_the_same_container_and_shell() {
    let Some(mut world) = World::start().await else {
        return;
    };
    let id = world.converse().await;
    world
        .act(
            &id,
            [runs("export KEPT=here; cd /tmp"), Answer::Says("Done.")],
        )
        .await;
    let container = world.container();
    // Killed while a command runs: its result is not known, and is said to be so.
    world
        .say(
            &id,
            [runs(
                "echo run >> run.txt; cd - >/dev/null; echo run >> run.txt; sleep 3; true",
            )],
        )
        .await;
    world
        .until("the command runs", async || {
            world.project().join("run.txt").exists()
        })
        .await;
    let before = world.events(&id).await.len();
    world.kill();
    world.launch().await;
    let events = world.events(&id).await;
    assert!(events.len() >= before, "no event is lost");
    check_complete(&events);
    let events = world
        .act(&id, [runs("echo still $KEPT"), Answer::Says("Done.")])
        .await;
    let said = observed(&events).join("\n");
    if !said.contains("still here") {
        // The earlier command may still be under way: then the shell says so, and is the same all the same.
        let events = world
            .act(&id, [runs("echo still $KEPT"), Answer::Says("Done.")])
            .await;
        assert!(
            observed(&events).join("\n").contains("still here"),
            "{said}\n{events:#?}"
        );
    }
    assert_eq!(world.container(), container);
    check_complete(&world.events(&id).await);
    assert_eq!(
        read(&world.project().join("run.txt")),
        "run\n",
        "nothing ran twice"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_is_gone_leaves_no_container_after_a_minute() {
    let Some(mut world) = World::start().await else {
        return;
    };
    let id = world.converse().await;
    // Something inside that asks its server again and again is no sign of the one that is gone.
    world
        .bash(
            &id,
            "nohup sh -c 'while :; do curl -s localhost:8000/alive; sleep 0.5; done' >/dev/null 2>&1 &",
        )
        .await;
    let container = world.container();
    world.kill();
    let began = Instant::now();
    world
        .until("the container ends", async || {
            !docker::succeeds(&["inspect", &container])
        })
        .await;
    assert!(
        began.elapsed() < Duration::from_mins(1),
        "{:?}",
        began.elapsed()
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_container_that_somebody_froze_goes_on_when_a_route_needs_it() {
    let Some(world) = World::start().await else {
        return;
    };
    let id = world.converse().await;
    world.bash(&id, "true").await;
    let container = world.container();
    docker(&["pause", &container]);
    assert_eq!(world.bash(&id, "echo awake").await, "awake\n");
    assert_eq!(world.container(), container);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_full_disk_is_an_error_of_the_command_and_no_more() {
    let Some(world) = World::start().await else {
        return;
    };
    let id = world.converse().await;
    world.bash(&id, "true").await;
    // A disk of its own, small, as a workspace.
    let small = world.directory.path().join("small");
    std::fs::create_dir(&small).unwrap();
    let mounted = std::process::Command::new("mount")
        .args(["-t", "tmpfs", "-o", "size=64k", "tmpfs"])
        .arg(&small)
        .status()
        .unwrap();
    assert!(mounted.success());
    let mut request = world.start_request();
    request["workspace"]["working_dir"] = json!(small);
    let full = world.converse_as(&request).await;
    let path = small.join("b.txt");
    let events = world
        .act(
            &full,
            [
                runs("head -c 1000000 /dev/zero > a.bin; echo code $?"),
                Answer::Calls("file_editor", json!({"command": "create", "path": path, "file_text": "x".repeat(100_000), "security_risk": "LOW", "summary": "write"})),
                runs("rm a.bin; echo fits > c.txt && cat c.txt"),
                Answer::Says("Done."),
            ],
        )
        .await;
    check_complete(&events);
    let said = results(&events);
    assert!(
        said.matches("No space left on device").count() >= 2,
        "{said}"
    );
    assert!(said.contains("fits"), "{said}");
    let (status, _) = world
        .send(world.request(
            reqwest::Method::DELETE,
            &format!("/api/conversations/{full}"),
        ))
        .await;
    assert_eq!(status, 200);
    let unmounted = std::process::Command::new("umount")
        .arg(&small)
        .status()
        .unwrap();
    assert!(unmounted.success());
}

/// A server whose containers cannot start says why, in the answer, in the conversation and in its runtime.
async fn check_no_start(world: &World, words: &[&str]) {
    let id = world.converse().await;
    let began = Instant::now();
    let message =
        json!({"role": "user", "content": [{"type": "text", "text": "Go."}], "run": true});
    let (status, said) = world
        .post(&format!("/api/conversations/{id}/events"), &message)
        .await;
    assert_eq!(status, 502, "{said}");
    let (status, routed) = world
        .post(
            &format!("/api/conversations/{id}/bash/execute_bash_command"),
            &json!({"command": "true"}),
        )
        .await;
    assert_eq!(status, 502, "{routed}");
    let (_, info) = world.get(&format!("/api/conversations/{id}/runtime")).await;
    assert_eq!(info["runtime_status"], "error", "{info}");
    assert_eq!(info["can_resume"], true);
    for word in words {
        assert!(said.to_string().contains(word), "{said}");
        assert!(routed.to_string().contains(word), "{routed}");
        assert!(info.to_string().contains(word), "{info}");
    }
    assert!(began.elapsed() < Duration::from_secs(100));
    world
        .until("nothing is left", async || world.containers().is_empty())
        .await;
    let (status, _) = world
        .send(world.request(reqwest::Method::DELETE, &format!("/api/conversations/{id}")))
        .await;
    assert_eq!(status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_image_that_is_missing_is_named() {
    let image = "localhost:9/no-such-image:latest";
    let Some(world) =
        World::with(&[("RUNTIME_ENV", "docker"), ("OH_CONVERSATION_IMAGE", image)]).await
    else {
        return;
    };
    check_no_start(&world, &[image, "docker build"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_container_that_never_gets_healthy_is_given_up() {
    let Some(image) = docker::image() else { return };
    // The server inside is another program, which never listens.
    let mut build = std::process::Command::new("docker")
        .args(["build", "-q", "-t", "openhands-test-silent:latest", "-"])
        .env("DOCKER_BUILDKIT", "0")
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let text = format!(
        "FROM {image}\nENTRYPOINT [\"/bin/sh\", \"-c\", \"echo I shall never listen; exec sleep 1000\"]\n"
    );
    build
        .stdin
        .take()
        .unwrap()
        .write_all(text.as_bytes())
        .unwrap();
    assert!(build.wait().unwrap().success());
    let env = [
        ("RUNTIME_ENV", "docker"),
        ("OH_CONVERSATION_IMAGE", "openhands-test-silent:latest"),
        ("OH_CONVERSATION_CONTAINER_STARTUP_TIMEOUT", "3"),
    ];
    let Some(world) = World::with(&env).await else {
        return;
    };
    check_no_start(&world, &["did not answer", "I shall never listen"]).await;
    drop(world);
    docker(&["rmi", "-f", "openhands-test-silent:latest"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_engine_that_is_not_there_is_an_error_of_what_needs_it() {
    let env = [
        ("OH_CONVERSATION_RUNTIME_SELECTABLE", "true"),
        ("DOCKER_HOST", "unix:///nowhere/docker.sock"),
    ];
    let Some(world) = World::with(&env).await else {
        return;
    };
    // Conversations on this machine are not affected.
    let local = world.converse().await;
    let events = world
        .act(&local, [runs("echo fine"), Answer::Says("Done.")])
        .await;
    assert!(observed(&events)[0].contains("fine"));
    let mut request = world.start_request();
    request["conversation_runtime"] = "docker".into();
    let id = world.converse_as(&request).await;
    let began = Instant::now();
    let (status, said) = world
        .post(
            &format!("/api/conversations/{id}/bash/execute_bash_command"),
            &json!({"command": "true"}),
        )
        .await;
    assert_eq!(status, 502, "{said}");
    assert!(
        said.to_string().contains("no container engine answers"),
        "{said}"
    );
    assert!(
        began.elapsed() < Duration::from_mins(1),
        "{:?}",
        began.elapsed()
    );
}

/// A way to the engine that can be closed. It stands for an engine that is started again: the daemon itself is everybody's
/// and goes on, and a second one would take the network of the first away.
struct Way {
    socket: std::path::PathBuf,
    open: Option<tokio_util::task::AbortOnDropHandle<()>>,
}

impl Way {
    fn open(&mut self) {
        let engine = std::env::var("DOCKER_HOST").unwrap_or_default();
        let engine = engine
            .strip_prefix("unix://")
            .unwrap_or("/var/run/docker.sock")
            .to_owned();
        let listener = tokio::net::UnixListener::bind(&self.socket).unwrap();
        self.open = Some(tokio_util::task::AbortOnDropHandle::new(tokio::spawn(
            async move {
                // They end with the listener.
                let mut connections = tokio::task::JoinSet::new();
                loop {
                    let (mut here, _) = listener.accept().await.unwrap();
                    let mut there = tokio::net::UnixStream::connect(&engine).await.unwrap();
                    connections.spawn(async move {
                        let _ = tokio::io::copy_bidirectional(&mut here, &mut there).await;
                    });
                }
            },
        )));
    }

    fn close(&mut self) {
        self.open = None;
        std::fs::remove_file(&self.socket).unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_engine_that_does_not_answer_for_a_while_is_waited_for() {
    let sockets = tempfile::tempdir().unwrap();
    let mut way = Way {
        socket: sockets.path().join("docker.sock"),
        open: None,
    };
    way.open();
    let host = format!("unix://{}", way.socket.display());
    let Some(world) = World::with(&[("RUNTIME_ENV", "docker"), ("DOCKER_HOST", &host)]).await
    else {
        return;
    };
    let id = world.converse().await;
    world
        .say(
            &id,
            [
                runs("echo begun > begun.txt; sleep 1000"),
                runs("echo again > again.txt"),
                Answer::Says("Done."),
            ],
        )
        .await;
    world
        .until("the command runs", async || {
            world.project().join("begun.txt").exists()
        })
        .await;
    let first = world.container();
    // Nobody answers, and the container is gone.
    way.close();
    docker(&["kill", &first]);
    let closed = Instant::now();
    world
        .until("some seconds pass", async || {
            closed.elapsed() > Duration::from_secs(5)
        })
        .await;
    way.open();
    let status = world.rest(&id).await;
    let events = world.events(&id).await;
    assert_eq!(status, "finished", "{events:#?}\n{}", world.log());
    check_complete(&events);
    assert!(results(&events).contains("sandbox"), "{}", results(&events));
    assert_eq!(read(&world.project().join("again.txt")), "again\n");
    assert_ne!(world.container(), first);
    // While nobody answers, containers that run are used as before.
    let before = world.container();
    way.close();
    let events = world
        .act(
            &id,
            [runs("echo without the engine"), Answer::Says("Done.")],
        )
        .await;
    assert!(observed(&events)[0].contains("without the engine"));
    assert_eq!(world.bash(&id, "echo by the route").await, "by the route\n");
    way.open();
    assert_eq!(world.container(), before);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_engine_that_stays_away_is_waited_for_once() {
    let sockets = tempfile::tempdir().unwrap();
    let mut way = Way {
        socket: sockets.path().join("docker.sock"),
        open: None,
    };
    way.open();
    let host = format!("unix://{}", way.socket.display());
    let Some(world) = World::with(&[("RUNTIME_ENV", "docker"), ("DOCKER_HOST", &host)]).await
    else {
        return;
    };
    let id = world.converse().await;
    // The tools are there before the engine goes.
    world
        .act(
            &id,
            [
                runs("git init -q; git -c user.name=t -c user.email=t@example.org commit -q --allow-empty -m first"),
                Answer::Says("Done."),
            ],
        )
        .await;
    // Another one, whose end needs its container: git removes the worktree.
    let mut request = world.start_request();
    request["worktree"] = json!(true);
    let other = world.converse_as(&request).await;
    let containers = world.containers();
    assert_eq!(containers.len(), 2, "{}", world.log());
    way.close();
    for container in &containers {
        docker(&["kill", container]);
    }
    let began = Instant::now();
    let path = format!("/api/conversations/{other}");
    let calling = world.act(&id, [runs("echo there"), Answer::Says("Done.")]);
    let deleting = world.send(world.request(reqwest::Method::DELETE, &path));
    let (events, (status, said)) = tokio::join!(calling, deleting);
    let took = began.elapsed();
    assert_eq!(status, 200, "{said}");
    check_complete(&events);
    let said = results(&events);
    assert!(said.contains("the engine does not say why"), "{said}");
    // Forty seconds, and what it takes to see that the container is silent.
    assert!(took < Duration::from_mins(1), "{took:?}");
    // It is back, and so is the conversation.
    way.open();
    let events = world
        .act(&id, [runs("echo back again"), Answer::Says("Done.")])
        .await;
    assert!(observed(&events)[0].contains("back again"), "{events:#?}");
}
