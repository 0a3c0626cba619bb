//! A conversation finds its own container again, and only its own.

use serde_json::json;
use tokio::net::TcpListener;
use tokio_util::task::AbortOnDropHandle;

use crate::docker::docker;
use crate::gate::{Does, Gate};
use crate::model::{Answer, runs};
use crate::world::{World, observed};

#[tokio::test(flavor = "multi_thread")]
async fn an_engine_that_fails_for_a_moment_costs_no_container() {
    let gate = Gate::open("/containers/json");
    let address = gate.address();
    let env = [("RUNTIME_ENV", "docker"), ("DOCKER_HOST", &address)];
    let Some(mut world) = World::with(&env).await else {
        return;
    };
    let id = world.converse().await;
    world
        .act(&id, [runs("export KEPT=here"), Answer::Says("Done.")])
        .await;
    let container = world.container();
    world.kill();
    gate.set(Does::Refuse);
    world.launch().await;
    let passing = async {
        // The server that starts, and the first who needs the container.
        gate.met(3).await;
        gate.set(Does::Pass);
    };
    let (said, ()) = tokio::join!(world.bash(&id, "hostname"), passing);
    assert!(container.starts_with(said.trim()), "{said} {container}");
    assert_eq!(world.container(), container);
    let events = world
        .act(&id, [runs("echo still $KEPT"), Answer::Says("Done.")])
        .await;
    assert!(
        observed(&events).join("\n").contains("still here"),
        "{events:#?}"
    );
}

/// Somebody who lives, but does not know the key: another conversation's server, for instance.
async fn stranger(listener: TcpListener) {
    let alive = axum::routing::get(async || "{\"status\":\"ok\"}");
    let router = axum::Router::new()
        .route("/alive", alive.clone())
        .route("/health", alive)
        .fallback(async || {
            (
                axum::http::StatusCode::UNAUTHORIZED,
                "{\"detail\":\"Unauthorized\"}",
            )
        });
    axum::serve(listener, router).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn somebody_else_at_the_address_of_a_container_is_not_taken_for_it() {
    let Some(world) = World::start().await else {
        return;
    };
    let id = world.converse().await;
    world
        .act(&id, [runs("echo first"), Answer::Says("Done.")])
        .await;
    let first = world.container();
    let address = docker(&["port", &first, "8000/tcp"]);
    let address = address.lines().next().unwrap().to_owned();
    docker(&["kill", &first]);
    // Ports are handed out again.
    let mut listener = None;
    world
        .until("the port is free", async || {
            listener = TcpListener::bind(&address).await.ok();
            listener.is_some()
        })
        .await;
    let _stranger = AbortOnDropHandle::new(tokio::spawn(stranger(listener.unwrap())));
    // By the tools.
    let events = world
        .act(&id, [runs("echo second"), Answer::Says("Done.")])
        .await;
    assert!(
        observed(&events).join("\n").contains("second"),
        "{events:#?}\n{}",
        world.log()
    );
    let second = world.container();
    assert_ne!(second, first);
    // And by the routes.
    assert_eq!(world.bash(&id, "echo third").await, "third\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_route_that_reaches_somebody_else_says_so_and_finds_the_container_afterwards() {
    let Some(world) = World::start().await else {
        return;
    };
    let id = world.converse().await;
    world.bash(&id, "true").await;
    let first = world.container();
    let address = docker(&["port", &first, "8000/tcp"]);
    let address = address.lines().next().unwrap().to_owned();
    docker(&["kill", &first]);
    let mut listener = None;
    world
        .until("the port is free", async || {
            listener = TcpListener::bind(&address).await.ok();
            listener.is_some()
        })
        .await;
    let _stranger = AbortOnDropHandle::new(tokio::spawn(stranger(listener.unwrap())));
    let path = format!("/api/conversations/{id}/bash/execute_bash_command");
    let (status, said) = world.post(&path, &json!({"command": "true"})).await;
    // Either it was noticed before, or it is told now; never is the stranger's answer passed on.
    assert!(status == 200 || status == 502, "{status} {said}");
    assert_eq!(world.bash(&id, "echo found").await, "found\n");
    assert_ne!(world.container(), first);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_container_that_was_started_again_is_found_at_its_new_port() {
    let Some(world) = World::start().await else {
        return;
    };
    let id = world.converse().await;
    world
        .act(&id, [runs("echo first"), Answer::Says("Done.")])
        .await;
    let container = world.container();
    let before = docker(&["port", &container, "8000/tcp"]);
    docker(&["restart", "-t", "5", &container]);
    assert_ne!(docker(&["port", &container, "8000/tcp"]), before);
    // By the tools.
    let events = world
        .act(&id, [runs("echo second"), Answer::Says("Done.")])
        .await;
    assert!(
        observed(&events).join("\n").contains("second"),
        "{events:#?}\n{}",
        world.log()
    );
    // And by the routes.
    assert_eq!(world.bash(&id, "echo third").await, "third\n");
    docker(&["restart", "-t", "5", &container]);
    assert_eq!(world.bash(&id, "echo fourth").await, "fourth\n");
    assert_eq!(world.container(), container);
}
