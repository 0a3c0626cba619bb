//! Whatever becomes of a server: a minute later no container is left that nobody needs.

use std::time::{Duration, Instant};

use serde_json::json;

use crate::docker::{docker, succeeds};
use crate::gate::{Does, Gate};
use crate::world::World;

const LIMIT: Duration = Duration::from_mins(1);

/// A server whose container is made and not started yet; it hangs at the gate.
async fn world_before_a_start(gate: &Gate) -> Option<(World, String)> {
    let address = gate.address();
    let env = [("RUNTIME_ENV", "docker"), ("DOCKER_HOST", &address)];
    let world = World::with(&env).await?;
    let id = world.converse().await;
    gate.set(Does::Hold);
    let path = format!("/api/conversations/{id}/bash/execute_bash_command");
    let command = json!({"command": "true"});
    tokio::select! {
        answer = world.post(&path, &command) => panic!("too early: {answer:?}"),
        () = gate.met(1) => {}
    }
    Some((world, id))
}

fn state(container: &str) -> String {
    docker(&["inspect", "-f", "{{.State.Status}}", container])
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_is_killed_before_a_start_and_started_again_removes_what_it_made() {
    let gate = Gate::open("/start ");
    let Some((mut world, id)) = world_before_a_start(&gate).await else {
        return;
    };
    let first = world.container();
    assert_eq!(state(&first), "created");
    world.kill();
    gate.cut();
    gate.set(Does::Pass);
    assert_eq!(state(&first), "created");
    let began = Instant::now();
    world.launch().await;
    world
        .until("it is removed", async || !succeeds(&["inspect", &first]))
        .await;
    assert!(began.elapsed() < LIMIT, "{:?}", began.elapsed());
    assert_eq!(world.bash(&id, "echo works").await, "works\n");
    assert_ne!(world.container(), first);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_ends_before_a_start_leaves_nothing() {
    let gate = Gate::open("/start ");
    let Some((mut world, _)) = world_before_a_start(&gate).await else {
        return;
    };
    assert_eq!(state(&world.container()), "created");
    let began = Instant::now();
    world.stop();
    assert!(began.elapsed() < Duration::from_secs(10));
    let left = world.containers();
    assert!(left.is_empty(), "{left:?}\n{}", world.log());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_lives_removes_what_was_never_started() {
    let Some(world) = World::start().await else {
        return;
    };
    let id = world.converse().await;
    world.bash(&id, "true").await;
    let used = world.container();
    let label = format!("dev.openhands.owner={}", world.owner());
    let image = crate::docker::image().unwrap();
    let began = Instant::now();
    let never_started = docker(&["create", "--label", &label, &image]);
    world
        .until("it is removed", async || {
            !succeeds(&["inspect", &never_started])
        })
        .await;
    assert!(began.elapsed() < LIMIT, "{:?}", began.elapsed());
    assert_eq!(world.container(), used);
    assert_eq!(world.bash(&id, "echo works").await, "works\n");
}
