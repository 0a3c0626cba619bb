//! Where conversations work: as the server is set up, or as a request says where it may.

use serde_json::json;

use crate::docker::{self, docker};
use crate::model::{Answer, runs};
use crate::world::{World, observed};

#[tokio::test(flavor = "multi_thread")]
async fn a_request_may_choose_where_that_is_allowed() {
    let Some(mut world) = World::with(&[("OH_CONVERSATION_RUNTIME_SELECTABLE", "true")]).await
    else {
        return;
    };
    let (_, info) = world.get("/server_info").await;
    assert_eq!(info["conversation_runtime"], "local");
    assert_eq!(
        info["available_conversation_runtimes"],
        json!(["local", "docker"])
    );
    let local = world.converse().await;
    let events = world
        .act(&local, [runs("hostname"), Answer::Says("Done.")])
        .await;
    let here = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap();
    assert!(observed(&events)[0].contains(here.trim()));
    assert!(world.containers().is_empty());
    let mut request = world.start_request();
    request["conversation_runtime"] = "docker".into();
    request["container"] = json!({"memory": "256m", "cpus": 0.5});
    let boxed = world.converse_as(&request).await;
    world
        .act(&boxed, [runs("hostname"), Answer::Says("Done.")])
        .await;
    let limits = docker(&[
        "inspect",
        "-f",
        "{{.HostConfig.Memory}} {{.HostConfig.NanoCpus}}",
        &world.container(),
    ]);
    assert_eq!(limits, format!("{} 500000000", 256 << 20));
    // The choice outlives the server.
    world.kill();
    world.launch().await;
    for (id, is_boxed) in [(local, false), (boxed, true)] {
        let events = world
            .act(&id, [runs("hostname"), Answer::Says("Done.")])
            .await;
        let seen = observed(&events);
        assert_eq!(!seen[0].contains(here.trim()), is_boxed, "{seen:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_may_not_choose_elsewhere() {
    let Some(world) = World::start().await else {
        return;
    };
    let mut request = world.start_request();
    request["conversation_runtime"] = "local".into();
    let (status, said) = world.post("/api/conversations", &request).await;
    assert_eq!(status, 422, "{said}");
    assert_eq!(said["detail"], "This server only runs docker conversations");
    request["conversation_runtime"] = "docker".into();
    world.converse_as(&request).await;
    let (_, info) = world.get("/server_info").await;
    assert_eq!(info["conversation_runtime"], "docker");
    assert_eq!(info["available_conversation_runtimes"], json!([]));
}

#[tokio::test(flavor = "multi_thread")]
async fn containers_go_with_their_conversations_and_their_server() {
    let Some(mut world) = World::start().await else {
        return;
    };
    let (first, second) = (world.converse().await, world.converse().await);
    for id in [&first, &second] {
        assert_eq!(world.bash(id, "echo there").await, "there\n");
    }
    assert_eq!(world.containers().len(), 2);
    let path = format!("/api/conversations/{first}");
    let (status, _) = world
        .send(world.request(reqwest::Method::DELETE, &path))
        .await;
    assert_eq!(status, 200);
    assert_eq!(world.containers().len(), 1);
    // A container of a conversation that is gone, as a server leaves it that is killed in between.
    let owner = world.owner();
    let image = docker::image().unwrap();
    let orphan = docker(&[
        "run",
        "-d",
        "--label",
        &format!("dev.openhands.owner={owner}"),
        "--label",
        "dev.openhands.conversation=0123456789abcdef0123456789abcdef",
        &image,
    ]);
    // And one of another server.
    let other = docker(&[
        "run",
        "-d",
        "--label",
        "dev.openhands.owner=somebodyelse",
        &image,
    ]);
    world.kill();
    world.launch().await;
    world
        .until("the orphan is removed", async || {
            !world.containers().contains(&orphan)
        })
        .await;
    world.stop();
    assert!(world.containers().is_empty(), "{}", world.log());
    assert!(
        docker::succeeds(&["inspect", &other]),
        "another server's container is left alone"
    );
    docker(&["rm", "-f", &other]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_waiting_container_is_taken() {
    let Some(world) = World::with(&[
        ("RUNTIME_ENV", "docker"),
        ("OH_CONVERSATION_WARM_CONTAINERS", "1"),
        ("LOG_LEVEL", "DEBUG"),
    ])
    .await
    else {
        return;
    };
    world
        .until("a container waits", async || {
            world.log().contains("a container waits")
        })
        .await;
    let waiting = world.container();
    let id = world.converse().await;
    let events = world
        .act(
            &id,
            [
                runs("hostname && echo made > made.txt"),
                Answer::Says("Done."),
            ],
        )
        .await;
    let seen = observed(&events);
    // Only root can show a directory to a container that runs; for others none would have waited.
    assert!(
        seen[0].contains(&waiting[..12]),
        "{seen:?}\n{}",
        world.log()
    );
    assert_eq!(
        crate::world::read(&world.project().join("made.txt")),
        "made\n"
    );
}
