//! Nothing stays that was made and will never be started.

use std::time::Duration;

use openhands_protocol::ConversationId;
use openhands_runtime::docker::{Leftovers, Progress, Step, WarmPool};
use pretty_assertions::assert_eq;

use crate::gate::{Does, Gate};
use crate::world::{World, containers_of, docker, eventually, has_control_groups};

/// What a server leaves that dies between making and starting a container.
fn made_only(world: &World, owner: &str) -> String {
    let label = format!("dev.openhands.owner={owner}");
    let (ok, id) = docker(&["create", "--label", &label, &world.settings.image]);
    assert!(ok, "{id}");
    id
}

#[tokio::test]
async fn one_that_was_never_started_goes_at_the_second_sight() {
    let Some(world) = World::new().await else {
        return;
    };
    let running = world.provision(world.spec()).await;
    let paused = world.provision(world.spec()).await;
    if has_control_groups() {
        paused.pause().await.unwrap();
    }
    let never_started = made_only(&world, &world.settings.owner);
    // Of others, who may be about to start it.
    let other = format!("test-{}", ConversationId::random().hex());
    let of_another = made_only(&world, &other);
    let mut leftovers = Leftovers::default();
    let none = Vec::<String>::new();
    assert_eq!(leftovers.remove(&world.docker).await.unwrap(), none);
    let removed = leftovers.remove(&world.docker).await.unwrap();
    assert_eq!(removed, [never_started]);
    assert_eq!(leftovers.remove(&world.docker).await.unwrap(), none);
    let mut left = world.containers();
    left.sort();
    let mut wanted = [running.id().to_owned(), paused.id().to_owned()];
    wanted.sort();
    assert_eq!(left, wanted);
    assert_eq!(containers_of(&other), [of_another.as_str()]);
    docker(&["rm", &of_another]);
}

#[tokio::test]
async fn one_whose_start_is_under_way_is_not_left_over() {
    let gate = Gate::open("/start ");
    let Some(world) = World::with(|settings| settings.host = Some(gate.address())).await else {
        return;
    };
    gate.set(Does::Hold);
    let looking = async {
        gate.met(1).await;
        let made = world.containers();
        assert_eq!(made.len(), 1);
        let mut leftovers = Leftovers::default();
        for _ in 0..3 {
            assert_eq!(leftovers.remove(&world.docker).await.unwrap(), [""; 0]);
        }
        assert_eq!(world.docker.sweep(|_| false).await.unwrap(), [""; 0]);
        gate.set(Does::Pass);
        made
    };
    let (sandbox, made) = tokio::join!(world.provision(world.spec()), looking);
    assert_eq!(made, [sandbox.id()]);
}

#[tokio::test]
async fn one_that_is_made_after_its_caller_gave_up_is_removed() {
    let gate = Gate::open("/containers/create");
    let Some(world) = World::with(|settings| settings.host = Some(gate.address())).await else {
        return;
    };
    gate.set(Does::Hold);
    tokio::select! {
        made = world.docker.provision(world.spec(), Progress::none()) => panic!("too early: {made:?}"),
        () = gate.met(1) => {}
    }
    check_made_and_removed(&world, &gate).await;
}

#[tokio::test]
async fn a_pool_that_is_closed_while_it_fills_leaves_nothing() {
    let gate = Gate::open("/containers/create");
    let Some(world) = World::with(|settings| {
        settings.host = Some(gate.address());
        settings.warm = 1;
    })
    .await
    else {
        return;
    };
    if !rustix::process::geteuid().is_root() {
        return;
    }
    gate.set(Does::Hold);
    let pool = WarmPool::start(&world.docker);
    gate.met(1).await;
    // It is waited for: a program that ends now would leave it.
    let mut closing = Box::pin(pool.close());
    let early = tokio::time::timeout(Duration::from_millis(200), &mut closing).await;
    assert!(early.is_err(), "the container is not there yet");
    gate.set(Does::Pass);
    closing.await;
    assert_eq!(world.containers(), [""; 0]);
    eventually("one was made", async || made_of(&world) == 1).await;
}

#[tokio::test]
async fn what_is_given_up_is_gone_when_all_is_settled() {
    let Some(world) = World::new().await else {
        return;
    };
    let (progress, mut steps) = Progress::channel();
    tokio::select! {
        made = world.docker.provision(world.spec(), progress) => panic!("too early: {made:?}"),
        () = async { while steps.recv().await != Some(Step::Starting) {} } => {}
    }
    world.docker.settled().await;
    assert_eq!(world.containers(), [""; 0]);
}

/// How many containers of the world the engine has made by now.
fn made_of(world: &World) -> usize {
    let label = format!("label=dev.openhands.owner={}", world.settings.owner);
    let (ok, events) = docker(&[
        "events",
        "--since",
        "120s",
        "--until",
        "0s",
        "--filter",
        "event=create",
        "--filter",
        &label,
    ]);
    assert!(ok);
    events.lines().count()
}

async fn check_made_and_removed(world: &World, gate: &Gate) {
    assert_eq!(made_of(world), 0);
    gate.set(Does::Pass);
    eventually("it was made", async || made_of(world) == 1).await;
    eventually("and removed", async || world.containers().is_empty()).await;
}
