//! An image that has to be pulled first, from a real registry: whoever waits for it sees how far it is.

use reqwest::Method;
use serde_json::Value;

use crate::docker::{image, succeeds};
use crate::registry::Registry;
use crate::world::World;

#[tokio::test(flavor = "multi_thread")]
async fn the_pull_of_an_image_is_shown_while_it_goes_on() {
    let Some(whole) = image() else { return };
    let Some(registry) = Registry::start().await else {
        return;
    };
    let pulled = registry.publish(&whole, "shown");
    let image = pulled.0.as_str();
    let env = [
        ("RUNTIME_ENV", "docker"),
        ("OH_CONVERSATION_IMAGE", image),
        // The image has no directory of its own for what the server writes.
        ("OH_CONVERSATION_CONTAINER_READ_ONLY", "true"),
    ];
    let Some(world) = World::with(&env).await else {
        return;
    };
    assert!(!succeeds(&["image", "inspect", image]));
    let id = world.converse().await;
    let path = format!("/api/conversations/{id}/runtime/progress");
    let answer = world.request(Method::GET, &path).send().await.unwrap();
    let told = answer.text().await.unwrap();
    let data = told.lines().filter_map(|line| line.strip_prefix("data: "));
    let steps: Vec<Value> = data
        .map(|data| serde_json::from_str(data).unwrap())
        .collect();
    let words = format!("pulling {image}: ");
    let is_pull = |step: &&Value| {
        step["message"]
            .as_str()
            .unwrap_or_default()
            .starts_with(&words)
    };
    let percents: Vec<u64> = steps
        .iter()
        .filter(is_pull)
        .filter_map(|step| step["percent"].as_u64())
        .collect();
    assert!(
        percents.iter().any(|percent| (1..100).contains(percent)),
        "{told}"
    );
    assert_eq!(percents.last(), Some(&100), "{told}");
    let last = steps.last().unwrap();
    assert_eq!(
        last["runtime_status"],
        "available",
        "{told}\n{}",
        world.log()
    );
    assert!(succeeds(&["image", "inspect", image]));
    drop(world);
}
