//! What it costs that the hands are elsewhere.

use std::time::{Duration, Instant};

use openhands_protocol::ConversationId;
use openhands_sdk_rs::runtime::{LocalRuntime, Runtime};
use openhands_sdk_rs::tools::{Machine, Place, Registry};
use serde_json::json;

use crate::world::{World, action, context, env, tools};

/// The fastest of many calls that do next to nothing.
async fn fastest(runtime: &dyn Runtime, work: &std::path::Path) -> Duration {
    let mut fastest = Duration::MAX;
    for _ in 0..300 {
        let action = action("task_tracker", work, &json!({"command": "view"}));
        let began = Instant::now();
        let observed = runtime.execute("task_tracker", action, context()).await;
        fastest = fastest.min(began.elapsed());
        assert!(!observed.unwrap().is_error());
    }
    fastest
}

#[tokio::test(flavor = "multi_thread")]
#[allow(clippy::print_stdout, reason = "a figure for people")]
async fn a_call_without_work_is_quick() {
    let world = World::new().await;
    let machine = Machine {
        place: Place {
            working_dir: world.work(),
            persistence_dir: None,
        },
        env: env(world.directory.path()),
        ..Machine::default()
    };
    let local = LocalRuntime::new(&Registry::standard(), &tools(), &machine).unwrap();
    let here = fastest(&local, &world.work()).await;
    let began = Instant::now();
    let remote = world.runtime_of(ConversationId::random());
    let made = began.elapsed();
    let there = fastest(&remote, &world.work()).await;
    println!("a call without work: {here:?} here, {there:?} there; a runtime is made in {made:?}");
}
