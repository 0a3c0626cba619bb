//! What happens to a container that nobody wants any more before it is there.

use std::io::Write as _;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use reqwest::Method;
use serde_json::{Value, json};

use crate::docker::image;
use crate::world::World;

/// How long the containers of the slow image take to answer.
const SLOW_SECONDS: u64 = 6;

/// An image whose server takes its time. It goes with the test.
struct SlowImage(String);

impl SlowImage {
    fn build(name: &str) -> Option<Self> {
        let image = image()?;
        let tag = format!("openhands-test-{name}:latest");
        let mut build = Command::new("docker")
            .args(["build", "-q", "-t", &tag, "-"])
            .env("DOCKER_BUILDKIT", "0")
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let entry = json!([
            "/bin/sh",
            "-c",
            format!("sleep {SLOW_SECONDS}; exec /usr/local/bin/openhands-agent-server \"$@\""),
            "sh"
        ]);
        let text = format!("FROM {image}\nENTRYPOINT {entry}\n");
        let mut stdin = build.stdin.take().unwrap();
        stdin.write_all(text.as_bytes()).unwrap();
        drop(stdin);
        assert!(build.wait().unwrap().success());
        Some(Self(tag))
    }
}

impl Drop for SlowImage {
    fn drop(&mut self) {
        crate::docker::succeeds(&["rmi", "-f", &self.0]);
    }
}

/// Whether the engine has started a container; its server may not answer yet.
fn is_running(container: &str) -> bool {
    let state = ["inspect", "-f", "{{.State.Running}}", container];
    let said = Command::new("docker").args(state).output().unwrap();
    said.stdout.starts_with(b"true")
}

/// A server whose containers take long to answer. The image is there as long as it is held.
async fn slow_start(name: &str) -> Option<(SlowImage, World)> {
    let slow = SlowImage::build(name)?;
    let env = [
        ("RUNTIME_ENV", "docker"),
        ("OH_CONVERSATION_IMAGE", slow.0.as_str()),
    ];
    let world = World::with(&env).await?;
    Some((slow, world))
}

async fn until_one_runs(world: &World) {
    world
        .until("the container starts", async || {
            let running = world.containers().into_iter().filter(|one| is_running(one));
            running.count() == 1
        })
        .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_waits_for_a_container_is_told_that_its_conversation_was_deleted() {
    let Some((_slow, world)) = slow_start("slow-deleted").await else {
        return;
    };
    let id = world.converse().await;
    let path = format!("/api/conversations/{id}/bash/execute_bash_command");
    let command = json!({"command": "true"});
    let waiting = world.post(&path, &command);
    let deleting = async {
        until_one_runs(&world).await;
        let path = format!("/api/conversations/{id}");
        let (status, said) = world.send(world.request(Method::DELETE, &path)).await;
        assert_eq!(status, 200, "{said}");
    };
    let began = Instant::now();
    let ((status, said), ()) = tokio::join!(waiting, deleting);
    assert_eq!(status, 502, "{said}\n{}", world.log());
    assert!(said.to_string().contains("was removed"), "{said}");
    assert!(began.elapsed() < Duration::from_mins(1));
    world
        .until("nothing is left", async || world.containers().is_empty())
        .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_container_that_is_removed_while_it_starts_does_not_come_up() {
    let Some((_slow, world)) = slow_start("slow-removed").await else {
        return;
    };
    let id = world.converse().await;
    let path = format!("/api/conversations/{id}/bash/execute_bash_command");
    let command = json!({"command": "true"});
    let waiting = world.post(&path, &command);
    let removing = async {
        until_one_runs(&world).await;
        let first = world.container();
        let path = format!("/api/conversations/{id}/runtime");
        let (status, said) = world.send(world.request(Method::DELETE, &path)).await;
        assert_eq!(status, 204, "{said}");
        // It is gone when the answer comes, not some time later.
        assert_eq!(world.containers(), [""; 0], "{}", world.log());
        let (_, info) = world.get(&path).await;
        assert_eq!(info["runtime_status"], "missing", "{info}");
        first
    };
    let ((status, said), first) = tokio::join!(waiting, removing);
    assert_eq!(status, 502, "{said}\n{}", world.log());
    assert!(said.to_string().contains("was removed"), "{said}");
    // The next use makes another one, and nothing of the first disturbs it.
    assert_eq!(world.bash(&id, "echo works").await, "works\n");
    assert_ne!(world.container(), first);
}

/// A server whose containers take their time, with a repository as its project.
async fn slow_world(slow: &SlowImage) -> Option<World> {
    let env = [
        ("RUNTIME_ENV", "docker"),
        ("OH_CONVERSATION_IMAGE", slow.0.as_str()),
    ];
    let world = World::with(&env).await?;
    let made = Command::new("sh")
        .args(["-c", "git init -q && git -c user.name=t -c user.email=t@example.org commit -q --allow-empty -m first"])
        .current_dir(world.project())
        .status()
        .unwrap();
    assert!(made.success());
    Some(world)
}

/// Whoever asks for a conversation goes away while its container starts: the container is removed.
async fn check_abandoned(world: &World, path: &str, request: &Value) {
    let container = {
        let making = world.post(path, request);
        // Asked for its name while the request is there: it may be gone a moment later.
        let starts = async {
            let is_there = async || world.containers().len() == 1;
            world.until("the container starts", is_there).await;
            world.container()
        };
        tokio::select! {
            made = making => panic!("too early: {made:?}"),
            container = starts => container,
        }
        // The connection is closed with the request.
    };
    world
        .until("the container is removed", async || {
            !crate::docker::succeeds(&["inspect", &container])
        })
        .await;
    assert!(world.containers().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_conversation_whose_maker_went_away_leaves_no_container() {
    let Some(slow) = SlowImage::build("slow-abandoned") else {
        return;
    };
    let Some(world) = slow_world(&slow).await else {
        return;
    };
    let mut request = world.start_request();
    // A worktree is made inside, so the answer waits for the container.
    request["worktree"] = json!(true);
    check_abandoned(&world, "/api/conversations", &request).await;
    let (_, found) = world.get("/api/conversations/count").await;
    assert_eq!(found, json!(0));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_child_whose_maker_went_away_leaves_no_container() {
    let Some(slow) = SlowImage::build("slow-child") else {
        return;
    };
    let Some(world) = slow_world(&slow).await else {
        return;
    };
    let parent = world.converse().await;
    // The parent's own is there and gone: the next container is the child's.
    world.bash(&parent, "true").await;
    let path = format!("/api/conversations/{parent}/runtime");
    let (status, _) = world.send(world.request(Method::DELETE, &path)).await;
    assert_eq!(status, 204);
    assert!(world.containers().is_empty());
    let path = format!("/api/conversations/{parent}/children");
    check_abandoned(&world, &path, &json!({"task": "Do a part of it."})).await;
    let (_, found) = world.get("/api/conversations/count").await;
    assert_eq!(found, json!(1), "the parent alone");
}
