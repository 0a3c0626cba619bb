//! What a call prints while it runs.

use openhands_protocol::Secret;
use openhands_sdk_rs::tools::OutputSink;

use crate::world::{PATIENCE, World, context, observe, until};

#[tokio::test(flavor = "multi_thread")]
async fn output_arrives_while_the_command_runs() {
    let world = World::new().await;
    let runtime = world.runtime();
    let go = world.work().join("go");
    let (output, mut chunks) = OutputSink::channel(64);
    let cx = openhands_sdk_rs::tools::CallContext {
        output,
        ..context()
    };
    let command = format!(
        "echo early; until [ -e {} ]; do sleep 0.01; done; echo late",
        go.display()
    );
    let calling = observe(&runtime, &command, cx);
    let watching = async {
        let mut seen = String::new();
        while !seen.contains("early") {
            let chunk = tokio::time::timeout(PATIENCE, chunks.recv()).await.unwrap();
            seen.push_str(&String::from_utf8_lossy(&chunk.unwrap()));
        }
        // The command cannot have ended: it waits for this.
        std::fs::write(&go, "").unwrap();
    };
    let (answer, ()) = tokio::join!(calling, watching);
    assert_eq!(answer.unwrap().text(), "early\nlate");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_flood_of_output_is_a_bounded_preview_and_a_whole_observation() {
    let world = World::new().await;
    let runtime = world.runtime();
    let (output, mut chunks) = OutputSink::channel(1024);
    let cx = openhands_sdk_rs::tools::CallContext {
        output,
        ..context()
    };
    let printed = 100 << 20;
    let command =
        format!("head -c {printed} /dev/zero | tr '\\0' 'x' | fold -w 100; echo; echo end");
    let calling = observe(&runtime, &command, cx);
    let counting = async {
        let mut seen = 0;
        while let Some(chunk) = chunks.recv().await {
            seen += chunk.len();
        }
        seen
    };
    let (answer, seen) = tokio::join!(calling, counting);
    assert!(answer.unwrap().text().ends_with("end"));
    assert!(seen > 0 && seen < printed / 2, "{seen}");
}

#[tokio::test(flavor = "multi_thread")]
async fn secrets_are_hidden_in_the_preview_and_in_the_observation() {
    let world = World::new().await;
    let runtime = world.runtime();
    let (output, mut chunks) = OutputSink::channel(64);
    let cx = openhands_sdk_rs::tools::CallContext {
        output,
        env: vec![("TOKEN".to_owned(), Secret::new("s3cr3t-value"))],
        ..context()
    };
    // In pieces, too.
    let command = "echo \"it is $TOKEN\"; printf 's3cr'; sleep 0.2; printf '3t-value\\n'";
    let observation = observe(&runtime, command, cx).await.unwrap();
    let mut seen = String::new();
    until("the preview has ended", || {
        while let Ok(chunk) = chunks.try_recv() {
            seen.push_str(&String::from_utf8_lossy(&chunk));
        }
        chunks.is_closed()
    })
    .await;
    assert!(seen.contains("it is <secret-hidden>"), "{seen}");
    assert!(!seen.contains("s3cr3t-value"), "{seen}");
    let text = observation.text();
    assert_eq!(text, "it is <secret-hidden>\n<secret-hidden>");
    // What a later call prints is hidden as well.
    let later = observe(&runtime, "echo s3cr3t-value", context()).await;
    assert!(!format!("{:?}", later.unwrap()).contains("s3cr3t-value"));
}
