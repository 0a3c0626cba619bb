//! A conversation finds its own container again, and only its own.

use serde_json::json;
use tokio::net::TcpListener;
use tokio_util::task::AbortOnDropHandle;

use crate::docker::{docker, succeeds};
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

/// How often a test begins anew whose container the engine took away.
const TRIES: usize = 5;

#[tokio::test(flavor = "multi_thread")]
async fn a_container_that_was_started_again_is_found_at_its_new_port() {
    for _ in 0..TRIES {
        let Some(world) = World::start().await else {
            return;
        };
        if is_found_when_started_again(&world).await {
            return;
        }
    }
    panic!("the engine took away each container that it had started again");
}

/// False if it cannot be said: the engine took the container away. It was told to do so when the container ends, and Docker may do it also when it
/// is about to start it again, or has done so.
async fn is_found_when_started_again(world: &World) -> bool {
    let id = world.converse().await;
    world
        .act(&id, [runs("echo first"), Answer::Says("Done.")])
        .await;
    let container = world.container();
    let before = docker(&["port", &container, "8000/tcp"]);
    if !succeeds(&["restart", "-t", "5", &container]) {
        return false;
    }
    assert_ne!(docker(&["port", &container, "8000/tcp"]), before);
    // By the tools.
    let second = [runs("echo second"), Answer::Says("Done.")];
    let (events, is_there) =
        tokio::join!(world.act(&id, second), is_there_again(world, &container));
    if !is_there {
        return false;
    }
    assert!(
        observed(&events).join("\n").contains("second"),
        "{events:#?}\n{}",
        world.log()
    );
    // And by the routes.
    assert_eq!(world.bash(&id, "echo third").await, "third\n");
    if !succeeds(&["restart", "-t", "5", &container]) {
        return false;
    }
    let path = format!("/api/conversations/{id}/bash/execute_bash_command");
    let fourth = json!({"command": "echo fourth"});
    let ((status, said), is_there) = tokio::join!(
        world.post(&path, &fourth),
        is_there_again(world, &container)
    );
    if !is_there {
        return false;
    }
    assert_eq!(status, 200, "{said}\n{}", world.log());
    assert_eq!(said["stdout"], "fourth\n");
    assert_eq!(world.container(), container);
    true
}

/// Waits for the server of a container that was started again. False if the engine takes the container away.
async fn is_there_again(world: &World, container: &str) -> bool {
    let mut is_there = false;
    world
        .until("the container is there again, or taken away", async || {
            // It shows nothing of a container that it is about to remove.
            if !succeeds(&["logs", "--tail", "0", container]) {
                return true;
            }
            let address = docker(&["port", container, "8000/tcp"]);
            let address = address.lines().next().unwrap_or_default();
            let asked = world.client.get(format!("http://{address}/health"));
            is_there = asked
                .send()
                .await
                .is_ok_and(|answer| answer.status() == 200);
            is_there
        })
        .await;
    is_there
}
