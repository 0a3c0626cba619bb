//! The runtime of an outer server.

use std::sync::Arc;

use openhands_protocol::{ConversationId, Secret};
use openhands_sdk_rs::runtime::{Endpoint, RemoteRuntime, Runtime as _};
use openhands_sdk_rs::tools::ToolError;
use serde_json::json;

use crate::world::{World, action, context, observe, request, run, runtime_at};

#[tokio::test(flavor = "multi_thread")]
async fn the_tools_of_the_inner_server_are_known() {
    let world = World::new().await;
    let tools = world.runtime().usable_tools().await.unwrap();
    assert!(tools.iter().any(|name| name == "terminal"), "{tools:?}");
    assert!(!tools.iter().any(|name| name == "browser_tool_set"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_runs_in_the_working_directory() {
    let world = World::new().await;
    let text = run(&world.runtime(), "pwd; echo $((6 * 7))").await;
    let work = world.work().canonicalize().unwrap();
    assert_eq!(text, format!("{}\n42", work.display()));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_shell_belongs_to_its_conversation_and_not_to_a_connection() {
    let world = World::new().await;
    let conversation = ConversationId::random();
    let one = world.runtime_of(conversation);
    run(&one, "X=5").await;
    // Another runtime of the same conversation: a new connection, the same shell.
    let again = world.runtime_of(conversation);
    assert_eq!(run(&again, "echo \"X is $X\"").await, "X is 5");
    let other = world.runtime();
    assert_eq!(run(&other, "echo \"X is $X\"").await, "X is");
    // What is closed is given up, and starts anew.
    one.close().await;
    assert_eq!(run(&again, "echo \"X is $X\"").await, "X is");
}

#[tokio::test(flavor = "multi_thread")]
async fn variables_of_the_request_are_there_for_everything() {
    let world = World::new().await;
    let mut request = request(ConversationId::random(), &world.work());
    request.env = vec![("GREETING".to_owned(), Secret::new("hello"))];
    let endpoint = Endpoint {
        url: world.url(),
        key: Secret::new(crate::world::KEY),
    };
    let runtime = RemoteRuntime::new(Arc::new(endpoint), request);
    assert_eq!(run(&runtime, "echo $GREETING").await, "hello");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tool_that_is_not_there_is_refused() {
    let world = World::new().await;
    let action = action("terminal", &world.work(), &json!({"command": "true"}));
    let refused = world
        .runtime()
        .execute("telepathy", action, context())
        .await;
    let Err(ToolError::Invalid(text)) = refused else {
        panic!("{refused:?}");
    };
    assert!(text.contains("telepathy"), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tool_that_cannot_be_made_says_why_and_keeps_the_others_usable() {
    let world = World::new().await;
    let mut request = request(ConversationId::random(), &world.work());
    request
        .tools
        .push(openhands_protocol::tool::Tool::new("telepathy"));
    let endpoint = Endpoint {
        url: world.url(),
        key: Secret::new(crate::world::KEY),
    };
    let runtime = RemoteRuntime::new(Arc::new(endpoint), request);
    assert_eq!(run(&runtime, "echo fine").await, "fine");
    let action = action("terminal", &world.work(), &json!({"command": "true"}));
    let refused = runtime.execute("telepathy", action, context()).await;
    let text = refused.unwrap_err().to_string();
    assert!(text.contains("'telepathy' is not registered"), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_key_is_a_clear_error() {
    let world = World::new().await;
    let endpoint = Endpoint {
        url: world.url(),
        key: Secret::new("wrong"),
    };
    let request = request(ConversationId::random(), &world.work());
    let runtime = RemoteRuntime::new(Arc::new(endpoint), request);
    let refused = observe(&runtime, "true", context()).await;
    let text = refused.unwrap_err().to_string();
    assert!(text.contains("does not accept the session key"), "{text}");
    assert!(runtime.usable_tools().await.is_err());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_large_call_goes_through_and_a_larger_one_is_refused_clearly() {
    let world = World::new().await;
    let runtime = runtime_at(&world.url(), ConversationId::random(), &world.work());
    let write = |megabytes: usize| {
        let arguments = json!({
            "command": "create",
            "path": world.work().join(format!("{megabytes}.txt")),
            "file_text": "x".repeat(megabytes << 20),
        });
        let action = action(
            "write_file",
            &world.work(),
            &json!({
                "file_path": world.work().join(format!("{megabytes}.txt")),
                "content": arguments["file_text"],
            }),
        );
        runtime.execute("write_file", action, context())
    };
    let written = write(60).await.unwrap();
    assert!(!written.is_error(), "{}", &written.text()[..200]);
    let size = std::fs::metadata(world.work().join("60.txt"))
        .unwrap()
        .len();
    assert_eq!(size, 60 << 20);
    let refused = write(65).await.unwrap_err().to_string();
    assert!(refused.contains("more than the 67108864"), "{refused}");
}
