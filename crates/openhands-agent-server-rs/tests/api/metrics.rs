//! Metrics and statistics.

use pretty_assertions::assert_eq;
use serde_json::json;

use crate::harness::World;

async fn metrics(world: &World) -> String {
    let response = world
        .client
        .get(world.url("/metrics"))
        .send()
        .await
        .unwrap();
    assert_eq!(response.status(), 200);
    let kind = response.headers()["content-type"].to_str().unwrap();
    assert!(kind.starts_with("application/openmetrics-text"), "{kind}");
    response.text().await.unwrap()
}

fn value(text: &str, name: &str) -> f64 {
    let line = text.lines().find_map(|line| line.strip_prefix(name));
    line.unwrap_or_else(|| panic!("{name} in {text}"))
        .trim()
        .parse()
        .unwrap()
}

#[tokio::test]
async fn requests_are_counted_by_route() {
    let world = World::new().await;
    for _ in 0..3 {
        world.get("/health").await;
    }
    world.get("/nothing/1").await;
    world.get("/nothing/2").await;
    world.post("/health", &json!({})).await;
    let text = metrics(&world).await;
    let requests =
        |labels: &str| value(&text, &format!("openhands_http_requests_total{{{labels}}}"));
    assert_eq!(
        requests(r#"method="GET",route="/health",status="200""#),
        3.0
    );
    assert_eq!(requests(r#"method="GET",route="other",status="404""#), 2.0);
    assert_eq!(requests(r#"method="POST",route="other",status="405""#), 1.0);
    assert!(value(&text, "openhands_process_resident_memory_bytes") > 1e6);
    assert!(value(&text, "openhands_process_open_files") > 3.0);
    assert_eq!(value(&text, "openhands_webhook_reports_waiting"), 0.0);
    // What clients make up does not become a label.
    assert!(!text.contains("nothing"));
}

#[tokio::test]
async fn metrics_can_be_turned_off() {
    let world = World::with(|config| config.metrics = false).await;
    let (status, body) = world.get("/metrics").await;
    assert_eq!(
        (status.as_u16(), body),
        (404, json!({"detail": "Not Found"}))
    );
}

#[tokio::test]
async fn the_machine_is_described() {
    let world = World::new().await;
    let (status, body) = world.get("/api/system").await;
    assert_eq!(status, 200);
    assert!(
        body["memory"]["total_bytes"].as_u64().unwrap()
            > body["memory"]["available_bytes"].as_u64().unwrap()
    );
    assert!(body["cpu"]["count"].as_u64().unwrap() >= 1);
    let used = body["cpu"]["used_percent"].as_f64().unwrap();
    assert!((0.0..=100.0).contains(&used), "{used}");
    assert_eq!(body["cpu"]["load_average"].as_array().unwrap().len(), 3);
    assert!(body["disk"]["total_bytes"].as_u64().unwrap() > 0);
    let disk = std::path::Path::new(body["disk"]["path"].as_str().unwrap());
    assert!(disk.starts_with(world.path()) || world.path().starts_with(disk));
    assert!(body["processes"]["count"].as_u64().unwrap() >= 1);
    assert!(body["processes"]["server_resident_bytes"].as_u64().unwrap() > 1_000_000);
    assert!(
        body["memory"]
            .as_object()
            .unwrap()
            .contains_key("limit_bytes")
    );
}

#[tokio::test]
async fn a_request_has_an_id() {
    let world = World::new().await;
    let ask = async |id: Option<&str>| {
        let mut request = world.client.get(world.url("/health"));
        if let Some(id) = id {
            request = request.header("X-Request-ID", id);
        }
        let response = request.send().await.unwrap();
        response.headers()["x-request-id"]
            .to_str()
            .unwrap()
            .to_owned()
    };
    assert_eq!(ask(Some("abc-1.2_3")).await, "abc-1.2_3");
    assert_eq!(ask(None).await.len(), 32);
    let long = "a".repeat(65);
    for bad in ["a b", "a\"b", long.as_str(), ""] {
        assert_ne!(ask(Some(bad)).await, bad);
    }
}

#[tokio::test]
async fn the_path_of_the_public_address_is_taken_off() {
    let world =
        World::with(|config| config.web_url = Some("https://h.example/run/7/".to_owned())).await;
    for path in ["/run/7/health", "/health"] {
        assert_eq!(world.get(path).await.0, 200, "{path}");
    }
    assert_eq!(world.get("/run/8/health").await.0, 404);
    assert_eq!(
        world.get("/run/7").await.1["title"],
        "OpenHands Agent Server"
    );
}
