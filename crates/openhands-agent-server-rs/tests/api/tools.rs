//! Which tools there are.

use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::harness::World;
use crate::recording::recorded;

#[tokio::test]
async fn the_names_are_as_recorded() {
    let world = World::new().await;
    recorded("tools")[0].check(&world, &[]).await;
}

#[tokio::test]
async fn the_catalog_is_as_recorded_but_for_what_cannot_run_here() {
    let world = World::new().await;
    let exchange = &recorded("tools")[2];
    let (status, ours) = exchange.repeat(&world, &[]).await;
    let (_, theirs) = exchange.expected();
    assert_eq!(status, 200);
    let plain = |body: &Value| -> Vec<Value> {
        let tools = body["tools"].as_array().unwrap().iter().cloned();
        tools
            .map(|mut tool| {
                // The sentences are our own, but where one is, there is one.
                let has_description = tool["description"] != "";
                tool["description"] = has_description.into();
                // Scripts of workflows are Python, which is not here.
                if tool["name"].as_str().unwrap().starts_with("workflow") {
                    tool["usable"] = json!(false);
                }
                tool
            })
            .collect()
    };
    assert_eq!(plain(&ours), plain(&theirs));
}
