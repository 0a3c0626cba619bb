//! Tool calls in a container.

use std::path::Path;

use openhands_protocol::tool::{Action, Tool};
use openhands_protocol::{ConversationId, ToolCallId};
use openhands_runtime::docker::{DockerRuntime, DockerRuntimes, Progress};
use openhands_runtime::{RemoteRequest, Runtime as _};
use openhands_tools::{CallContext, Place, Registry};
use pretty_assertions::assert_eq;
use serde_json::json;

use crate::world::{World, docker, eventually, is_gone};

fn place(work: &Path) -> Place {
    Place {
        working_dir: work.to_owned(),
        persistence_dir: None,
    }
}

pub(crate) fn request(
    work: &Path,
    conversation: ConversationId,
    root: ConversationId,
) -> RemoteRequest {
    RemoteRequest {
        conversation,
        root,
        tools: vec![Tool::new("terminal")],
        place: place(work),
        env: Vec::new(),
    }
}

fn command(work: &Path, command: &str) -> Action {
    let definitions = Registry::standard()
        .definitions(&[Tool::new("terminal")], &place(work))
        .unwrap();
    let arguments = json!({"command": command});
    definitions
        .get("terminal")
        .unwrap()
        .decode(arguments.as_object().unwrap())
        .unwrap()
}

pub(crate) async fn run(world: &World, runtime: &DockerRuntime, call: &str, text: &str) -> String {
    let cx = CallContext::detached(ToolCallId::new(call), ConversationId::random());
    let observation = runtime.execute("terminal", command(world.path(), text), cx);
    observation.await.unwrap().text()
}

#[tokio::test]
async fn a_shell_lives_in_the_container_and_one_that_dies_is_replaced() {
    let Some(world) = World::new().await else {
        return;
    };
    let mut spec = world.spec();
    spec.env.push(("GREETING".to_owned(), "hello".to_owned()));
    let request = request(world.path(), spec.conversation, spec.conversation);
    let runtime = DockerRuntime::new(&world.docker, spec, request, Progress::none());
    let said = run(
        &world,
        &runtime,
        "1",
        "pwd; cd /; X=5; test -e /.dockerenv -o -e /run/.containerenv && echo in $GREETING",
    )
    .await;
    assert!(said.contains(&world.path().display().to_string()), "{said}");
    assert!(said.contains("in hello"), "{said}");
    let said = run(&world, &runtime, "2", "echo $PWD $X").await;
    assert!(said.contains("/ 5"), "{said}");
    let sandbox = runtime.sandbox().await.unwrap();
    let config = crate::world::inspect(&sandbox, "{{.Config.Env}}");
    assert!(!config.contains("GREETING"), "{config}");

    docker(&["kill", sandbox.id()]);
    eventually("it is gone", async || is_gone(&sandbox).await).await;
    // The call that finds the container dead may fail; the one after it has a new one.
    let cx = CallContext::detached(ToolCallId::new("3"), ConversationId::random());
    let _ = runtime
        .execute("terminal", command(world.path(), "true"), cx)
        .await;
    let said = run(&world, &runtime, "4", "touch made; echo alive").await;
    assert!(said.contains("alive"), "{said}");
    assert!(world.path().join("made").exists());
    runtime.close().await;
    assert_eq!(world.containers(), Vec::<String>::new());
}

#[tokio::test]
async fn sub_agents_work_in_the_container_of_their_root() {
    let Some(world) = World::new().await else {
        return;
    };
    let runtimes = DockerRuntimes::new(&world.docker, Progress::none());
    let (root, child) = (ConversationId::random(), ConversationId::random());
    let of_root = runtimes.runtime(request(world.path(), root, root)).unwrap();
    let of_child = runtimes
        .runtime(request(world.path(), child, root))
        .unwrap();
    run(&world, &of_root, "1", "touch /tmp/mark; X=1").await;
    let said = run(&world, &of_child, "1", "ls /tmp/mark; echo x=$X.").await;
    assert!(said.contains("/tmp/mark") && said.contains("x=."), "{said}");
    assert_eq!(world.containers().len(), 1);
    of_child.close().await;
    assert_eq!(world.containers().len(), 1);
    of_root.close().await;
    assert_eq!(world.containers(), Vec::<String>::new());
}
