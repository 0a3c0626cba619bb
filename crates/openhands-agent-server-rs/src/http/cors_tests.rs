use super::*;

fn cors() -> Cors {
    let mut config = Config {
        allow_cors_origins: vec!["https://app.example".to_owned()],
        allow_cors_origin_regex: Some(r"https://.*\.trusted\.example|https://x".to_owned()),
        ..Config::default()
    };
    config.surroundings.docker_host = Some("host.docker".to_owned());
    Cors::new(&config)
}

fn allows(path: &str, origin: &str) -> bool {
    cors().allows(path, &HeaderValue::from_str(origin).unwrap())
}

#[test]
fn origins_are_told_apart() {
    for origin in [
        "http://localhost",
        "https://localhost:3000",
        "http://LOCALHOST:1",
        "http://127.0.0.1:99",
        "http://host.docker:8",
        "https://app.example",
        "https://a.trusted.example",
        "https://x",
    ] {
        assert!(allows("/api/settings", origin), "{origin}");
    }
    for origin in [
        "null",
        "",
        "localhost:3000",
        "http://localhost.evil.example",
        "http://evil.example/localhost",
        "http://localhost@evil.example",
        "http://127.0.0.1.evil.example",
        "http://127.0.0.10",
        "https://app.example.evil",
        "https://app.example:8443",
        "https://a.trusted.example.evil",
        "evil https://x",
        "http://[::1]",
    ] {
        assert!(!allows("/api/settings", origin), "{origin}");
    }
}

#[test]
fn any_site_may_embed_workspace_files() {
    let workspace = "/api/conversations/5/workspace";
    for path in [
        workspace,
        "/api/conversations/5/workspace/a/b.html",
        "/api/auth/workspace-session",
    ] {
        assert!(allows(path, "https://any.example"), "{path}");
        assert!(!allows(path, "null"), "{path}");
        assert!(!allows(path, "https://"), "{path}");
        assert!(!allows(path, "file://x"), "{path}");
    }
    for path in [
        "/api/conversations/5/workspaces",
        "/api/conversations//workspace",
        "/api/conversations/5/events/workspace",
        "/api/auth/workspace-session/",
        "/x/api/conversations/5/workspace",
    ] {
        assert!(!allows(path, "https://any.example"), "{path}");
    }
}

#[test]
fn an_answer_keeps_what_it_varies_by() {
    let mut headers = HeaderMap::new();
    headers.insert(header::VARY, HeaderValue::from_static("Accept-Encoding"));
    cors().mark("/x", None, &mut headers);
    assert_eq!(headers[header::VARY], "Accept-Encoding, Origin");
    assert!(!headers.contains_key(header::ACCESS_CONTROL_ALLOW_CREDENTIALS));
}

#[test]
fn what_a_preflight_lacks_is_said() {
    let ask = |method: &str, headers: &[(&str, &str)]| {
        let mut request = Request::builder().method(method).uri("/api/x");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        cors().preflight(&request.body(()).unwrap())
    };
    let origin = ("origin", "http://localhost");
    let wanted = ("access-control-request-method", "POST");
    assert!(ask("OPTIONS", &[origin]).is_none());
    assert!(ask("OPTIONS", &[wanted]).is_none());
    assert!(ask("GET", &[origin, wanted]).is_none());
    let answer = ask("OPTIONS", &[origin, wanted]).unwrap();
    assert_eq!(answer.status(), 200);
    let wrong = ("access-control-request-method", "BREW");
    let network = ("access-control-request-private-network", "true");
    let answer = ask("OPTIONS", &[("origin", "http://evil"), wrong, network]).unwrap();
    assert_eq!(answer.status(), 400);
    assert!(
        !answer
            .headers()
            .contains_key(header::ACCESS_CONTROL_ALLOW_ORIGIN)
    );
}
