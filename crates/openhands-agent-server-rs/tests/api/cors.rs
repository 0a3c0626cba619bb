//! Which pages may call the server, as recorded from the reference.

use pretty_assertions::assert_eq;
use reqwest::{Method, Response};

use crate::harness::World;

const VARY: &str = "Origin, Access-Control-Request-Method, Access-Control-Request-Headers, Access-Control-Request-Private-Network";
const METHODS: &str = "DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT, QUERY";

async fn preflight(world: &World, path: &str, origin: &str) -> Response {
    let request = world.client.request(Method::OPTIONS, world.url(path));
    request
        .header("Origin", origin)
        .header("Access-Control-Request-Method", "POST")
        .header(
            "Access-Control-Request-Headers",
            "x-session-api-key,content-type",
        )
        .send()
        .await
        .unwrap()
}

fn header<'a>(response: &'a Response, name: &str) -> Option<&'a str> {
    response
        .headers()
        .get(name)
        .map(|value| value.to_str().unwrap())
}

#[tokio::test]
async fn a_page_on_this_machine_may_call() {
    let world = World::with(|config| {
        config.session_api_keys = vec!["k".to_owned()];
        config.allow_cors_origins = vec!["https://app.example".to_owned()];
    })
    .await;
    for origin in [
        "http://localhost:3000",
        "http://127.0.0.1:99",
        "https://app.example",
    ] {
        let response = preflight(&world, "/api/system", origin).await;
        assert_eq!(response.status(), 200);
        assert_eq!(
            header(&response, "access-control-allow-origin"),
            Some(origin)
        );
        assert_eq!(
            header(&response, "access-control-allow-methods"),
            Some(METHODS)
        );
        assert_eq!(header(&response, "access-control-max-age"), Some("600"));
        assert_eq!(
            header(&response, "access-control-allow-credentials"),
            Some("true")
        );
        assert_eq!(header(&response, "vary"), Some(VARY));
        assert_eq!(
            header(&response, "access-control-allow-headers"),
            Some("x-session-api-key,content-type")
        );
        assert_eq!(
            header(&response, "content-type"),
            Some("text/plain; charset=utf-8")
        );
        assert_eq!(response.text().await.unwrap(), "OK");
        // A refusal is readable too: the page must see why.
        let request = world
            .client
            .get(world.url("/api/system"))
            .header("Origin", origin);
        let response = request.send().await.unwrap();
        assert_eq!(response.status(), 401);
        assert_eq!(
            header(&response, "access-control-allow-origin"),
            Some(origin)
        );
        assert_eq!(header(&response, "vary"), Some("Origin"));
    }
}

#[tokio::test]
async fn a_page_from_elsewhere_may_not_read() {
    let world = World::new().await;
    let response = preflight(&world, "/health", "http://evil.example").await;
    assert_eq!(response.status(), 400);
    assert_eq!(header(&response, "access-control-allow-origin"), None);
    assert_eq!(
        header(&response, "access-control-allow-methods"),
        Some(METHODS)
    );
    assert_eq!(response.text().await.unwrap(), "Disallowed CORS origin");
    let request = world.client.get(world.url("/health"));
    let response = request
        .header("Origin", "http://evil.example")
        .send()
        .await
        .unwrap();
    assert_eq!(response.status(), 200);
    assert_eq!(header(&response, "access-control-allow-origin"), None);
    assert_eq!(
        header(&response, "access-control-allow-credentials"),
        Some("true")
    );
    let response = world.client.get(world.url("/health")).send().await.unwrap();
    assert_eq!(header(&response, "vary"), Some("Origin"));
    assert_eq!(header(&response, "access-control-allow-credentials"), None);
}

#[tokio::test]
async fn pages_of_any_site_may_embed_workspace_files() {
    let world = World::new().await;
    for path in [
        "/api/auth/workspace-session",
        "/api/conversations/0b2cef6d-a6ce-4651-8470-86f387981402/workspace/index.html",
    ] {
        let response = preflight(&world, path, "https://any.example").await;
        assert_eq!(response.status(), 200, "{path}");
        assert_eq!(
            header(&response, "access-control-allow-origin"),
            Some("https://any.example")
        );
        assert_eq!(preflight(&world, path, "null").await.status(), 400);
    }
}
