//! Connections and servers that go away in the middle of a call.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use futures_util::future::BoxFuture;
use openhands_protocol::ConversationId;
use openhands_sdk_rs::runtime::{Endpoint, Endpoints, RemoteRuntime, Runtime as _, RuntimeError};
use openhands_sdk_rs::tools::ToolError;

use crate::binary::Binary;
use crate::proxy::Proxy;
use crate::world::{
    PATIENCE, World, context, long_time, observe, processes_with, request, run, runtime_at, until,
};

/// A command that says when it began, and ends when it is told to.
fn gated(work: &Path) -> String {
    let work = work.display();
    format!("echo x >> {work}/count; until [ -e {work}/go ]; do sleep 0.01; done; echo done")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_connection_that_is_cut_in_the_middle_of_a_call_costs_nothing() {
    let world = World::new().await;
    let proxy = Proxy::to(world.server.address).await;
    let work = world.work();
    let runtime = runtime_at(&proxy.url, ConversationId::random(), &work);
    run(&runtime, "X=5").await;
    let command = gated(&work);
    let calling = observe(&runtime, &command, context());
    let cutting = async {
        for _ in 0..3 {
            until("the command runs", || work.join("count").exists()).await;
            let before = proxy.connections();
            proxy.cut();
            until("it is asked again", || proxy.connections() > before).await;
        }
        std::fs::write(work.join("go"), "").unwrap();
    };
    let (answer, ()) = tokio::join!(calling, cutting);
    assert_eq!(answer.unwrap().text(), "done");
    assert_eq!(std::fs::read_to_string(work.join("count")).unwrap(), "x\n");
    assert_eq!(run(&runtime, "echo $X").await, "5");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_was_lost_is_given_again() {
    let world = World::new().await;
    let proxy = Proxy::to(world.server.address).await;
    let work = world.work();
    let runtime = runtime_at(&proxy.url, ConversationId::random(), &work);
    // The connection is cut while the command ends: the answer may be on its way or not.
    for _ in 0..20 {
        let calling = observe(&runtime, "echo x >> count; echo done", context());
        let cutting = async {
            tokio::task::yield_now().await;
            proxy.cut();
        };
        let (answer, ()) = tokio::join!(calling, cutting);
        assert_eq!(answer.unwrap().text(), "done");
    }
    let count = std::fs::read_to_string(work.join("count")).unwrap();
    assert_eq!(count.lines().count(), 20);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_is_killed_in_the_middle_of_a_call_is_a_clear_error() {
    let mut inner = Binary::start().await;
    let work = inner.directory.path().join("work");
    let runtime = runtime_at(&inner.url(), ConversationId::random(), &work);
    let seconds = long_time();
    let marker = format!("sleep\0{seconds}");
    let command = format!("sleep {seconds}");
    let calling = observe(&runtime, &command, context());
    let killing = async {
        until("the command runs", || !processes_with(&marker).is_empty()).await;
        inner.kill();
    };
    let began = Instant::now();
    let (answer, ()) = tokio::join!(calling, killing);
    let Err(ToolError::Failed(text)) = answer else {
        panic!("{answer:?}");
    };
    assert!(text.starts_with("the sandbox gives no answer: "), "{text}");
    assert!(began.elapsed() < PATIENCE);
    until("nothing is left", || processes_with(&marker).is_empty()).await;
    // The next call says so, too; and one after the server is back works.
    assert!(observe(&runtime, "true", context()).await.is_err());
    assert!(runtime.workspace().read(Path::new("x")).await.is_err());
    inner.start_again().await;
    assert_eq!(run(&runtime, "echo back").await, "back");
    // One that is replaced between two calls is not even noticed.
    inner.kill();
    inner.start_again().await;
    assert_eq!(run(&runtime, "echo back").await, "back");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_does_not_run_again_in_a_server_that_took_the_place_of_another() {
    let mut inner = Binary::start().await;
    let work = inner.directory.path().join("work");
    let runtime = runtime_at(&inner.url(), ConversationId::random(), &work);
    let command = gated(&work);
    let calling = observe(&runtime, &command, context());
    let replacing = async {
        until("the command runs", || work.join("count").exists()).await;
        inner.kill();
        inner.start_again().await;
    };
    let (answer, ()) = tokio::join!(calling, replacing);
    // Either the new one answers that it does not know, or it came up too late to be asked.
    assert!(matches!(answer, Err(ToolError::Failed(_))), "{answer:?}");
    assert_eq!(std::fs::read_to_string(work.join("count")).unwrap(), "x\n");
    assert_eq!(run(&runtime, "echo back").await, "back");
}

/// A sandbox that cannot start, and how often it was asked for.
#[derive(Default)]
struct Nowhere(AtomicUsize);

impl Endpoints for Nowhere {
    fn endpoint(&self) -> BoxFuture<'_, Result<Endpoint, RuntimeError>> {
        self.0.fetch_add(1, Ordering::Relaxed);
        Box::pin(async { Err(RuntimeError::Unreachable("no engine answers".to_owned())) })
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sandbox_that_cannot_start_is_asked_for_once_by_each_call() {
    let directory = tempfile::tempdir().unwrap();
    let nowhere = Arc::new(Nowhere::default());
    let runtime = RemoteRuntime::new(
        Arc::<Nowhere>::clone(&nowhere),
        request(ConversationId::random(), directory.path()),
    );
    let asked = || nowhere.0.swap(0, Ordering::Relaxed);
    let Err(ToolError::Failed(text)) = observe(&runtime, "true", context()).await else {
        panic!("it has an answer");
    };
    assert!(text.contains("no engine answers"), "{text}");
    assert_eq!(asked(), 1);
    let error = runtime.usable_tools().await.unwrap_err();
    assert!(error.to_string().contains("no engine answers"), "{error}");
    assert_eq!(asked(), 1);
    assert!(runtime.workspace().read(Path::new("x")).await.is_err());
    assert_eq!(asked(), 1);
}
