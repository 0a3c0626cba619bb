//! A conversation finds its own container again, and only its own.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, UnixListener, UnixStream};
use tokio_util::task::AbortOnDropHandle;

use crate::docker::docker;
use crate::model::{Answer, runs};
use crate::world::{World, observed};

/// A way to the engine on which lists of containers can be refused.
struct Gate {
    directory: tempfile::TempDir,
    refuses: Arc<AtomicBool>,
    refused: Arc<AtomicUsize>,
    _task: AbortOnDropHandle<()>,
}

impl Gate {
    fn open() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let listener = UnixListener::bind(directory.path().join("docker.sock")).unwrap();
        let refuses = Arc::new(AtomicBool::new(false));
        let refused = Arc::new(AtomicUsize::new(0));
        let (asked, counted) = (Arc::clone(&refuses), Arc::clone(&refused));
        let task = tokio::spawn(async move {
            let mut connections = tokio::task::JoinSet::new();
            loop {
                let (here, _) = listener.accept().await.unwrap();
                let (asked, counted) = (Arc::clone(&asked), Arc::clone(&counted));
                connections.spawn(async move {
                    let _ = pass(here, &asked, &counted).await;
                });
            }
        });
        Self {
            directory,
            refuses,
            refused,
            _task: AbortOnDropHandle::new(task),
        }
    }

    fn address(&self) -> String {
        let socket: PathBuf = self.directory.path().join("docker.sock");
        format!("unix://{}", socket.display())
    }
}

async fn pass(
    here: UnixStream,
    refuses: &AtomicBool,
    refused: &AtomicUsize,
) -> std::io::Result<()> {
    let engine = std::env::var("DOCKER_HOST").unwrap_or_default();
    let engine = engine
        .strip_prefix("unix://")
        .unwrap_or("/var/run/docker.sock");
    let (mut from_engine, mut to_engine) = UnixStream::connect(engine).await?.into_split();
    let (mut from_here, mut to_here) = here.into_split();
    let inward = async {
        let mut piece = vec![0; 64 << 10];
        loop {
            let count = from_here.read(&mut piece).await?;
            if count == 0 {
                return to_engine.shutdown().await.map(|()| false);
            }
            let is_list = String::from_utf8_lossy(&piece[..count]).contains("/containers/json");
            if is_list && refuses.load(Ordering::SeqCst) {
                refused.fetch_add(1, Ordering::SeqCst);
                return Ok::<bool, std::io::Error>(true);
            }
            to_engine.write_all(&piece[..count]).await?;
        }
    };
    let is_refused = {
        let outward = tokio::io::copy(&mut from_engine, &mut to_here);
        tokio::pin!(inward, outward);
        tokio::select! {
            // The other direction may still have something to say.
            ended = &mut inward => {
                let is_refused = ended?;
                if !is_refused {
                    outward.await?;
                }
                is_refused
            }
            ended = &mut outward => {
                ended?;
                false
            }
        }
    };
    if is_refused {
        let answer = "HTTP/1.1 500 Internal Server Error\r\ncontent-type: application/json\r\ncontent-length: 23\r\nconnection: close\r\n\r\n{\"message\":\"not today\"}";
        to_here.write_all(answer.as_bytes()).await?;
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn an_engine_that_fails_for_a_moment_costs_no_container() {
    let gate = Gate::open();
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
    gate.refuses.store(true, Ordering::SeqCst);
    world.launch().await;
    let passing = async {
        // The server that starts, and the first who needs the container.
        world
            .until("lists are refused", async || {
                gate.refused.load(Ordering::SeqCst) >= 3
            })
            .await;
        gate.refuses.store(false, Ordering::SeqCst);
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
