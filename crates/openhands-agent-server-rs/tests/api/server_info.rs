//! What the server says about itself.

use serde_json::json;

use crate::harness::World;

#[tokio::test]
async fn says_that_it_is_well() {
    let world = World::new().await;
    for path in ["/alive", "/health"] {
        assert_eq!(
            world.get(path).await,
            (200.try_into().unwrap(), json!({"status": "ok"}))
        );
    }
    let (_, ready) = world.get("/ready").await;
    assert_eq!(ready, json!({"status": "ready"}));
}

#[tokio::test]
async fn an_unknown_path_is_not_found_and_a_wrong_method_is_not_allowed() {
    let world = World::new().await;
    let (status, body) = world.get("/api/nothing").await;
    assert_eq!(
        (status.as_u16(), body),
        (404, json!({"detail": "Not Found"}))
    );
    let (status, body) = world.post("/health", &json!({})).await;
    assert_eq!(
        (status.as_u16(), body),
        (405, json!({"detail": "Method Not Allowed"}))
    );
}
