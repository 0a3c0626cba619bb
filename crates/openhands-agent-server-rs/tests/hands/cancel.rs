//! Calls that are told to end.

use openhands_sdk_rs::runtime::{Exec, Runtime as _};
use tokio_util::sync::CancellationToken;

use crate::world::{World, context, long_time, observe, processes_with, run, until};

#[tokio::test(flavor = "multi_thread")]
async fn a_cancelled_call_is_answered_when_its_tree_is_dead_and_the_shell_stays() {
    let world = World::new().await;
    let runtime = world.runtime();
    run(&runtime, "X=5").await;
    let seconds = long_time();
    let marker = format!("sleep\0{seconds}");
    let cx = context();
    let cancel = cx.cancel.clone();
    let command = format!("bash -c 'sleep {seconds} & sleep {seconds}'");
    let calling = observe(&runtime, &command, cx);
    let cancelling = async {
        until("both children run", || processes_with(&marker).len() == 2).await;
        cancel.cancel();
    };
    let (_, ()) = tokio::join!(calling, cancelling);
    assert_eq!(processes_with(&marker), Vec::<u32>::new());
    assert_eq!(run(&runtime, "echo \"X is $X\"").await, "X is 5");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_that_was_cancelled_before_it_began_does_not_run() {
    let world = World::new().await;
    let runtime = world.runtime();
    let cx = context();
    cx.cancel.cancel();
    let file = world.work().join("touched");
    let answer = observe(&runtime, &format!("touch {}", file.display()), cx).await;
    assert!(answer.is_err());
    assert!(!file.exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_whose_caller_went_away_ends() {
    let world = World::new().await;
    let runtime = std::sync::Arc::new(world.runtime());
    let seconds = long_time();
    let marker = format!("sleep\0{seconds}");
    let calling = tokio::spawn({
        let runtime = std::sync::Arc::clone(&runtime);
        let command = format!("sleep {seconds}");
        async move { observe(&runtime, &command, context()).await }
    });
    until("it runs", || !processes_with(&marker).is_empty()).await;
    calling.abort();
    until("it has ended", || processes_with(&marker).is_empty()).await;
    assert_eq!(run(&runtime, "echo fine").await, "fine");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_program_of_the_workspace_is_cancelled_too() {
    let world = World::new().await;
    let runtime = world.runtime();
    let seconds = long_time();
    let marker = format!("sleep\0{seconds}");
    let cancel = CancellationToken::new();
    let running = runtime
        .workspace()
        .exec(Exec::new(["sleep", &seconds]), cancel.clone());
    let cancelling = async {
        until("it runs", || !processes_with(&marker).is_empty()).await;
        cancel.cancel();
    };
    let (output, ()) = tokio::join!(running, cancelling);
    let output = output.unwrap();
    assert_eq!((output.exit, output.timed_out), (None, false));
    assert_eq!(processes_with(&marker), Vec::<u32>::new());
}
