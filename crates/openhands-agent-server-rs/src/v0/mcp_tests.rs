//! The router with real servers behind it and real clients before it.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use indexmap::IndexMap;
use openhands_sdk_rs::mcp::{McpOptions, McpRelay, McpServers, RelayError, Restarts, read_servers};
use pretty_assertions::assert_eq;
use rmcp::model::ClientRequest;
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;

use super::*;

/// For what must come on a machine that is busy with other things.
const DEADLINE: Duration = Duration::from_mins(1);

/// A router that listens.
struct World {
    router: Arc<Router>,
    base: String,
    _server: AbortOnDropHandle<()>,
}

impl World {
    async fn new() -> Self {
        Self::with_key(None).await
    }

    async fn with_key(key: Option<&str>) -> Self {
        Self::with(key, DEADLINE).await
    }

    async fn with(key: Option<&str>, start_limit: Duration) -> Self {
        let options = McpOptions {
            env: vec![("PATH".into(), std::env::var_os("PATH").unwrap())],
            restarts: Restarts {
                first_delay: Duration::from_millis(10),
                ..Restarts::default()
            },
            start_limit,
            ..McpOptions::default()
        };
        let router = Router::new(key.map(str::to_owned), options);
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        let routes = routes(Arc::clone(&router));
        let server = tokio::spawn(async move { axum::serve(listener, routes).await.unwrap() });
        Self {
            router,
            base,
            _server: AbortOnDropHandle::new(server),
        }
    }

    async fn post(&self, path: &str, body: &str) -> (u16, String) {
        let client = reqwest::Client::new();
        let request = client.post(format!("{}{path}", self.base));
        let response = request.body(body.to_owned()).send().await.unwrap();
        (response.status().as_u16(), response.text().await.unwrap())
    }

    async fn update(&self, set: Value) -> (u16, Value) {
        let (status, body) = self.post("/update_mcp_server", &set.to_string()).await;
        (status, serde_json::from_str(&body).unwrap())
    }

    /// Posts a set of servers that must all work.
    async fn serve(&self, set: Value) {
        assert_eq!(
            self.update(set).await,
            (
                200,
                json!({"detail": "MCP server updated successfully", "router_error_log": ""})
            )
        );
    }

    async fn status(&self, path: &str) -> u16 {
        let response = reqwest::get(format!("{}{path}", self.base)).await.unwrap();
        response.status().as_u16()
    }

    /// A client of the path: our own, which speaks both transports.
    async fn client(&self, path: &str) -> Client {
        Client::connect(json!({"url": format!("{}{path}", self.base)})).await
    }
}

/// A connected client.
struct Client {
    servers: McpServers,
    relay: McpRelay,
}

impl Client {
    async fn connect(settings: Value) -> Self {
        let servers = read_servers(&json!({"router": settings})).unwrap();
        let servers = McpServers::start(&servers, &McpOptions::default()).unwrap();
        servers.ready(DEADLINE).await;
        let errors: IndexMap<String, String> = servers
            .errors()
            .into_iter()
            .map(|(name, error)| (name, error.message))
            .collect();
        assert!(errors.is_empty(), "{errors:?}");
        let relay = servers.relay("router").unwrap();
        Self { servers, relay }
    }

    fn tools(&self) -> Vec<String> {
        let tools = self.relay.tools();
        tools.iter().map(|tool| tool.name.to_string()).collect()
    }

    /// Asks with a request as it stands on the wire.
    async fn ask(&self, method: &str, params: Value) -> Result<Value, RelayError> {
        let request = request(method, &params);
        let stop = CancellationToken::new();
        let answer = self.relay.request(request, None, &stop).await?;
        Ok(serde_json::to_value(answer).unwrap())
    }

    async fn call(&self, tool: &str, arguments: Value) -> Result<String, RelayError> {
        let params = json!({"name": tool, "arguments": arguments});
        let answer = self.ask("tools/call", params).await?;
        Ok(answer["content"][0]["text"].as_str().unwrap().to_owned())
    }
}

fn request(method: &str, params: &Value) -> ClientRequest {
    serde_json::from_value(json!({"method": method, "params": params})).unwrap()
}

fn server(name: &str) -> Value {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/mcp/server.py");
    json!({"name": name, "command": "python3", "args": [path, name], "env": {}})
}

fn in_profile(name: &str, profile: Value) -> Value {
    let mut server = server(name);
    server["profile"] = profile;
    server
}

async fn until(what: &str, mut is_so: impl AsyncFnMut() -> bool) {
    let asked = async {
        while !is_so().await {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(DEADLINE, asked)
        .await
        .unwrap_or_else(|_| panic!("never: {what}"));
}

fn lives(pid: &str) -> bool {
    let stat = std::fs::read_to_string(Path::new("/proc").join(pid).join("stat"));
    stat.is_ok_and(|stat| {
        !stat
            .rsplit(')')
            .next()
            .unwrap()
            .trim_start()
            .starts_with('Z')
    })
}

const SSE: [&str; 2] = ["/mcp/sse", "/sse"];

#[tokio::test]
async fn a_set_that_is_none_is_refused_and_nothing_is_served() {
    let world = World::new().await;
    for path in SSE {
        assert_eq!(world.status(path).await, 404);
    }
    world.serve(json!([])).await;
    let (status, body) = world.update(json!({"a": 1})).await;
    assert_eq!(status, 400);
    assert_eq!(
        body,
        json!({"detail": "Request must be a list of MCP tools to sync"})
    );
    let generic = json!({"detail": "An unexpected error occurred. Please try again later."});
    for bad in [json!([{"name": "x"}]), json!(["x"])] {
        assert_eq!(world.update(bad).await, (500, generic.clone()));
    }
    assert_eq!(world.post("/update_mcp_server", "{").await.0, 500);
    assert_eq!(world.status("/mcp/sse").await, 404);
    assert_eq!(world.status("/mcp").await, 404);
}

#[tokio::test]
async fn one_server_keeps_its_names_over_every_transport() {
    let world = World::new().await;
    world.serve(json!([server("demo")])).await;
    for path in ["/mcp/sse", "/sse", "/mcp"] {
        let client = world.client(path).await;
        assert_eq!(client.tools().first().map(String::as_str), Some("add"));
        assert_eq!(
            client.call("add", json!({"a": 2, "b": 3})).await.unwrap(),
            "5"
        );
        let whoami = client.ask("tools/call", json!({"name": "whoami"})).await;
        assert_eq!(
            whoami.unwrap()["structuredContent"],
            json!({"name": "demo"})
        );
        client.servers.close().await;
    }
    world.router.stop().await;
}

#[tokio::test]
async fn several_servers_put_their_names_first_and_one_that_fails_costs_the_others_nothing() {
    let world = World::new().await;
    let broken = json!({"name": "broken", "command": "/nowhere/to/be/found"});
    let dies =
        json!({"name": "dies", "command": "sh", "args": ["-c", "echo out of order >&2; exit 3"]});
    let (status, body) = world
        .update(json!([server("one"), broken, dies, server("one_two")]))
        .await;
    assert_eq!(status, 200);
    let log = body["router_error_log"].as_str().unwrap();
    assert!(
        log.contains("broken: ") && log.contains("No such file"),
        "{log}"
    );
    assert!(
        log.contains("dies: ") && log.contains("out of order"),
        "{log}"
    );
    assert!(!log.contains("one"), "{log}");
    let client = world.client("/mcp/sse").await;
    let tools = client.tools();
    assert!(tools.contains(&"one_add".to_owned()), "{tools:?}");
    assert!(tools.contains(&"one_two_add".to_owned()), "{tools:?}");
    assert_eq!(client.call("one_whoami", json!({})).await.unwrap(), "one");
    assert_eq!(
        client.call("one_two_whoami", json!({})).await.unwrap(),
        "one_two"
    );
    let unknown = client.call("nobody_knows", json!({})).await.unwrap_err();
    assert_eq!(unknown.to_string(), "Unknown tool: nobody_knows");
    let down = client.call("dies_add", json!({})).await.unwrap_err();
    assert!(down.to_string().contains("out of order"), "{down}");
    world.router.stop().await;
}

#[tokio::test]
async fn prompts_resources_and_completions_are_passed_on() {
    let world = World::new().await;
    world.serve(json!([server("one"), server("two")])).await;
    let client = world.client("/mcp/sse").await;
    let prompts = client.ask("prompts/list", json!({})).await.unwrap();
    let names = [
        &prompts["prompts"][0]["name"],
        &prompts["prompts"][1]["name"],
    ];
    assert_eq!(names, ["one_explain", "two_explain"]);
    let wanted = json!({"name": "two_explain", "arguments": {"topic": "rust"}});
    let prompt = client.ask("prompts/get", wanted).await.unwrap();
    assert_eq!(prompt["messages"][0]["content"]["text"], "two: rust");
    let resources = client.ask("resources/list", json!({})).await.unwrap();
    assert_eq!(resources["resources"][1]["uri"], "demo://two");
    let templates = client
        .ask("resources/templates/list", json!({}))
        .await
        .unwrap();
    assert_eq!(templates["resourceTemplates"].as_array().unwrap().len(), 2);
    // The second is of a template, so that only asking tells whose it is.
    for uri in ["demo://two", "demo://two/templated"] {
        let read = client
            .ask("resources/read", json!({"uri": uri}))
            .await
            .unwrap();
        assert_eq!(read["contents"][0]["text"], "inside of two");
    }
    assert!(
        client
            .ask("resources/read", json!({"uri": "demo://three"}))
            .await
            .is_err()
    );
    let completion = json!({
        "ref": {"type": "ref/prompt", "name": "two_explain"},
        "argument": {"name": "topic", "value": "ru"},
    });
    let completed = client.ask("completion/complete", completion).await.unwrap();
    assert_eq!(completed["completion"]["values"], json!(["two-ru"]));
    world.router.stop().await;
}

#[tokio::test]
async fn progress_comes_under_the_clients_name_and_a_cancelled_call_is_cancelled_on_the_server() {
    let world = World::new().await;
    world.serve(json!([server("demo")])).await;
    let place = tempfile::tempdir().unwrap();
    for path in ["/mcp/sse", "/mcp"] {
        let client = world.client(path).await;
        let flag = place.path().join(path.replace('/', "_"));
        let arguments = json!({"steps": 1, "cancelled": flag});
        let asked = request(
            "tools/call",
            &json!({"name": "steps", "arguments": arguments}),
        );
        let (sender, mut steps) = mpsc::channel(8);
        let stop = CancellationToken::new();
        let answer = client.relay.request(asked, Some(sender), &stop);
        let cancel = async {
            let step = steps.recv().await.unwrap();
            assert_eq!((step.progress, step.total), (1.0, Some(1.0)));
            stop.cancel();
        };
        let (answer, ()) = tokio::join!(answer, cancel);
        assert!(matches!(answer, Err(RelayError::Cancelled)), "{answer:?}");
        until("the server is told of the cancellation", async || {
            flag.exists()
        })
        .await;
    }
    world.router.stop().await;
}

#[tokio::test]
async fn a_client_that_goes_away_cancels_its_calls() {
    let world = World::new().await;
    world.serve(json!([server("demo")])).await;
    let place = tempfile::tempdir().unwrap();
    let flag = place.path().join("cancelled");
    let client = world.client("/mcp/sse").await;
    let arguments = json!({"steps": 1, "cancelled": flag});
    let asked = request(
        "tools/call",
        &json!({"name": "steps", "arguments": arguments}),
    );
    let (sender, mut steps) = mpsc::channel(8);
    let stop = CancellationToken::new();
    tokio::select! {
        answer = client.relay.request(asked, Some(sender), &stop) => panic!("{answer:?}"),
        step = steps.recv() => assert!(step.is_some()),
    }
    drop(client);
    until("the server is told of the cancellation", async || {
        flag.exists()
    })
    .await;
    world.router.stop().await;
}

#[tokio::test]
async fn a_server_that_dies_is_started_again() {
    let world = World::new().await;
    world.serve(json!([server("demo"), server("other")])).await;
    let client = world.client("/mcp/sse").await;
    let other = client.call("other_pid", json!({})).await.unwrap();
    let before = client.call("demo_pid", json!({})).await.unwrap();
    let died = client.call("demo_crash", json!({})).await.unwrap_err();
    assert!(died.to_string().contains("'demo'"), "{died}");
    let after = client.call("demo_pid", json!({})).await.unwrap();
    assert_ne!(before, after);
    assert_eq!(client.call("other_pid", json!({})).await.unwrap(), other);
    world.router.stop().await;
}

#[tokio::test]
async fn an_update_keeps_what_is_the_same_and_ends_the_rest() {
    let world = World::new().await;
    world.serve(json!([server("keep"), server("drop")])).await;
    let client = world.client("/mcp/sse").await;
    let kept = client.call("keep_pid", json!({})).await.unwrap();
    let dropped = client.call("drop_pid", json!({})).await.unwrap();
    let mut seen = client.servers.changes();
    world
        .serve(json!([in_profile("keep", json!("work"))]))
        .await;
    assert!(!lives(&dropped));
    tokio::time::timeout(DEADLINE, seen.changed())
        .await
        .unwrap()
        .unwrap();
    // The only server has its names for itself again, and the open session knows it.
    until("the client has the new list", async || {
        client.tools().contains(&"pid".to_owned())
    })
    .await;
    assert_eq!(client.call("pid", json!({})).await.unwrap(), kept);
    let mut changed = server("keep");
    changed["env"] = json!({"A": "b"});
    world.serve(json!([changed])).await;
    assert!(!lives(&kept));
    assert_eq!(client.call("env", json!({"name": "A"})).await.unwrap(), "b");
    let last = client.call("pid", json!({})).await.unwrap();
    world.serve(json!([])).await;
    assert!(!lives(&last));
    assert_eq!(world.status("/mcp/sse").await, 404);
    until("the client has an empty list", async || {
        client.tools().is_empty()
    })
    .await;
    world.router.stop().await;
}

#[tokio::test]
async fn a_failed_server_is_tried_again_by_the_next_update() {
    let world = World::new().await;
    let place = tempfile::tempdir().unwrap();
    let program = place.path().join("late");
    let late = json!({"name": "late", "command": program, "args": []});
    let (_, body) = world.update(json!([late])).await;
    assert!(
        body["router_error_log"]
            .as_str()
            .unwrap()
            .contains("late: ")
    );
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/mcp/server.py");
    std::os::unix::fs::symlink("/bin/sh", place.path().join("sh")).unwrap();
    std::fs::write(&program, format!("#!/bin/sh\nexec python3 {path} late\n")).unwrap();
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(&program, mode).unwrap();
    world.serve(json!([late])).await;
    world.router.stop().await;
}

#[tokio::test]
async fn a_server_that_takes_long_is_told_of_and_comes_later_without_being_started_again() {
    let world = World::with(None, Duration::from_millis(200)).await;
    let place = tempfile::tempdir().unwrap();
    let (starts, flag) = (place.path().join("starts"), place.path().join("flag"));
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/mcp/server.py");
    let script = format!(
        "echo start >> {}; while [ ! -e {} ]; do sleep 0.05; done; exec python3 {path}",
        starts.display(),
        flag.display()
    );
    let slow = json!({"name": "slow", "command": "sh", "args": ["-c", script]});
    for _ in ["first", "again"] {
        let (_, body) = world.update(json!([slow])).await;
        let log = body["router_error_log"].as_str().unwrap();
        assert!(
            log.starts_with("slow: ") && log.contains("timed out"),
            "{log}"
        );
    }
    let client = world.client("/mcp/sse").await;
    assert!(client.tools().is_empty());
    std::fs::write(&flag, "").unwrap();
    until("the tools come", async || client.tools() == ["add"]).await;
    assert_eq!(std::fs::read_to_string(&starts).unwrap(), "start\n");
    world.router.stop().await;
}

#[tokio::test]
async fn lists_that_change_behind_the_router_change_before_it() {
    let world = World::new().await;
    world.serve(json!([server("demo")])).await;
    for path in ["/mcp/sse", "/mcp"] {
        let watching = world.client(path).await;
        let mut notices = watching.relay.notices();
        let acting = world.client(path).await;
        acting.call("grow", json!({})).await.unwrap();
        for _ in ["prompts", "resources"] {
            tokio::time::timeout(DEADLINE, notices.recv())
                .await
                .unwrap()
                .unwrap();
        }
        until("the client has the new tool", async || {
            watching.tools().contains(&"grown".to_owned())
        })
        .await;
    }
    world.router.stop().await;
}

#[tokio::test]
async fn a_profile_shows_its_servers_only() {
    let world = World::new().await;
    world
        .serve(json!([
            in_profile("one", json!(["a", "b"])),
            in_profile("two", json!("b")),
            server("three")
        ]))
        .await;
    let servers = async |query: &str| {
        let client = world.client(&format!("/mcp/sse{query}")).await;
        let tools = client.tools();
        let servers = ["one", "two", "three"].into_iter();
        let seen: Vec<_> = servers
            .filter(|server| tools.contains(&format!("{server}_add")))
            .collect();
        seen.join(" ")
    };
    assert_eq!(servers("").await, "one two three");
    assert_eq!(servers("?profile=a").await, "one");
    assert_eq!(servers("?profile=b").await, "one two");
    assert_eq!(world.status("/mcp/sse?profile=c").await, 404);
    let client = world.client("/mcp?profile=a").await;
    assert_eq!(client.call("one_whoami", json!({})).await.unwrap(), "one");
    let hidden = client.call("two_whoami", json!({})).await.unwrap_err();
    assert_eq!(hidden.to_string(), "Unknown tool: two_whoami");
    world.router.stop().await;
}

#[tokio::test]
async fn servers_of_the_web_are_routed_to_over_both_transports() {
    let behind = World::with_key(Some("the key")).await;
    behind.serve(json!([server("far")])).await;
    let at = |path: &str| format!("{}{path}", behind.base);
    let world = World::new().await;
    world
        .serve(json!([
            {"name": "sse", "url": at("/mcp/sse"), "transport": "sse", "api_key": "the key"},
            {"name": "http", "url": at("/mcp"), "transport": "streamable-http",
             "headers": {"authorization": "Bearer the key"}},
        ]))
        .await;
    let client = world.client("/mcp/sse").await;
    for tool in ["sse_whoami", "http_whoami"] {
        assert_eq!(client.call(tool, json!({})).await.unwrap(), "far");
    }
    let (_, body) = world
        .update(json!([{"name": "sse", "url": at("/mcp/sse"), "transport": "sse", "api_key": "another"}]))
        .await;
    let log = body["router_error_log"].as_str().unwrap();
    assert!(log.starts_with("sse: "), "{log}");
    world.router.stop().await;
    behind.router.stop().await;
}

#[tokio::test]
async fn with_a_key_clients_must_give_it_as_a_bearer_token() {
    let world = World::with_key(Some("the key")).await;
    world.serve(json!([server("demo")])).await;
    let client = reqwest::Client::new();
    for path in ["/mcp/sse", "/sse", "/mcp"] {
        let url = format!("{}{path}", world.base);
        for authorization in ["Bearer another", "the key", ""] {
            let request = client.get(&url).header("authorization", authorization);
            assert_eq!(
                request.send().await.unwrap().status(),
                401,
                "{path} {authorization}"
            );
        }
    }
    assert_eq!(world.post("/messages/?session_id=x", "{}").await.0, 401);
    let settings = json!({"url": format!("{}/sse", world.base), "headers": {"Authorization": "Bearer the key"}});
    let client = Client::connect(settings).await;
    assert_eq!(
        client.call("add", json!({"a": 1, "b": 1})).await.unwrap(),
        "2"
    );
    world.router.stop().await;
}

#[tokio::test]
async fn messages_that_are_none_or_of_nobody_are_refused() {
    let world = World::new().await;
    world.serve(json!([server("demo")])).await;
    let mut stream = reqwest::get(format!("{}/mcp/sse", world.base))
        .await
        .unwrap();
    assert_eq!(stream.headers()["content-type"], "text/event-stream");
    let first = stream.chunk().await.unwrap().unwrap();
    let first = String::from_utf8(first.to_vec()).unwrap();
    let address = first
        .strip_prefix("event: endpoint\ndata: ")
        .unwrap()
        .trim()
        .to_owned();
    assert!(
        address.starts_with("/mcp/messages/?session_id="),
        "{address}"
    );
    assert_eq!(world.post("/mcp/messages/", "{}").await.0, 400);
    assert_eq!(world.post("/mcp/messages/?session_id=5", "{}").await.0, 400);
    let nobody = format!("/mcp/messages/?session_id={}", Uuid::new_v4().simple());
    assert_eq!(world.post(&nobody, "{}").await.0, 404);
    for bad in ["", "{", "[]", "5", "{\"id\": 1}"] {
        assert_eq!(world.post(&address, bad).await.0, 400, "{bad}");
    }
    let ping = json!({"jsonrpc": "2.0", "id": 7, "method": "ping"}).to_string();
    assert_eq!(
        world.post(&address, &ping).await,
        (202, "Accepted".to_owned())
    );
    let answer = stream.chunk().await.unwrap().unwrap();
    assert_eq!(
        answer,
        "event: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{}}\n\n"
    );
    drop(stream);
    until("the session has ended with its stream", async || {
        world.post(&address, &ping).await.0 == 404
    })
    .await;
    world.router.stop().await;
}

#[tokio::test]
async fn nothing_is_left_after_the_end() {
    let world = World::new().await;
    world.serve(json!([server("demo")])).await;
    let client = world.client("/mcp/sse").await;
    let daemon = client.call("daemon", json!({})).await.unwrap();
    let pid = client.call("pid", json!({})).await.unwrap();
    let mut stream = reqwest::get(format!("{}/sse", world.base)).await.unwrap();
    assert!(lives(&daemon) && lives(&pid));
    world.router.stop().await;
    assert!(!lives(&daemon) && !lives(&pid));
    let ended = async { while stream.chunk().await.unwrap().is_some() {} };
    tokio::time::timeout(DEADLINE, ended).await.unwrap();
    let (_, body) = world.update(json!([server("demo")])).await;
    assert_eq!(body["router_error_log"], "the server is stopping");
}
