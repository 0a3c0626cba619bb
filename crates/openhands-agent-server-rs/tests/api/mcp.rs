//! Trying out MCP servers: real ones, as programs and over HTTP.

use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::harness::World;
use crate::recording::recorded;

/// A server of two tools, without any library: messages are lines of JSON.
const SERVER: &str = r#"
import json, os, sys
TOOLS = [
    {"name": "add", "description": "Adds", "inputSchema": {"type": "object", "properties": {"a": {"type": "number"}, "b": {"type": "number"}}}},
    {"name": "fail", "inputSchema": {"type": "object"}},
    {"name": "secret", "inputSchema": {"type": "object"}},
]
def result(request):
    method, params = request["method"], request.get("params", {})
    if method == "initialize":
        return {"protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": {"name": "t", "version": "1"}}
    if method == "tools/list":
        return {"tools": TOOLS if os.environ.get("ALL") else TOOLS[:2]}
    if method == "tools/call":
        name, arguments = params["name"], params.get("arguments", {})
        if name == "add":
            return {"content": [{"type": "text", "text": str(arguments["a"] + arguments["b"])}]}
        if name == "secret":
            return {"content": [{"type": "text", "text": os.environ.get("SECRET", "")}]}
        return {"content": [{"type": "text", "text": "Error calling tool 'fail': nope"}], "isError": True}
    return {}
def answer(line):
    request = json.loads(line)
    if "id" in request:
        return json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result(request)})
"#;

const STDIO: &str = r"
for line in sys.stdin:
    reply = answer(line)
    if reply:
        print(reply, flush=True)
";

const HTTP: &str = r#"
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.headers.get("X-Key") != "open sesame":
            self.send_response(403); self.send_header("Content-Length", "0"); self.end_headers(); return
        reply = answer(body)
        self.send_response(200 if reply else 202)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(reply or "")))
        self.end_headers()
        self.wfile.write((reply or "").encode())
    def do_GET(self):
        self.send_response(405); self.send_header("Content-Length", "0"); self.end_headers()
    do_DELETE = do_GET
    def log_message(self, *args): pass
server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_port, flush=True)
server.serve_forever()
"#;

fn script(world: &World, name: &str, body: &str) -> String {
    let path = world.path().join(name);
    std::fs::write(&path, format!("{SERVER}{body}")).unwrap();
    path.to_str().unwrap().to_owned()
}

async fn test(world: &World, body: Value) -> Value {
    let (status, body) = world.post("/api/mcp/test", &body).await;
    assert_eq!(status.as_u16(), 200, "{body}");
    body
}

#[tokio::test]
async fn programs_are_tried_out_as_recorded() {
    let world = World::new().await;
    let server = script(&world, "stdio.py", STDIO);
    let texts = [("/scratch/mcpsrv.py", server.as_str())];
    let exchanges = recorded("mcp-test");
    for exchange in &exchanges[..4] {
        exchange.check(&world, &texts).await;
    }
    // The words of what a machine says about a program or an address are its own.
    for exchange in &exchanges[4..7] {
        let (status, body) = exchange.repeat(&world, &texts).await;
        let error = body["error"].as_str().unwrap();
        assert!(error.starts_with("Client failed to connect: "), "{error}");
        assert_eq!(
            (status, &body["ok"], &body["error_kind"]),
            (200, &json!(false), &json!("connection"))
        );
    }
    let (_, body) = exchanges[7].repeat(&world, &texts).await;
    assert_eq!(
        (&body["ok"], &body["error_kind"]),
        (&json!(false), &json!("timeout"))
    );
    let error = body["error"].as_str().unwrap();
    assert!(
        error.starts_with("MCP tool listing timed out after 1.0 seconds.\n"),
        "{error}"
    );
    for exchange in &exchanges[8..10] {
        exchange.check(&world, &texts).await;
    }
}

#[tokio::test]
async fn a_sealed_variable_is_opened_for_the_program() {
    let world = World::with(|config| config.secret_key = Some("the key".to_owned())).await;
    let server = script(&world, "stdio.py", STDIO);
    let sealed = world.app().config().cipher().unwrap().seal("hidden value");
    let body = json!({
        "server": {"command": "python3", "args": [server], "env": {"ALL": "1", "SECRET": sealed}},
        "tool_call": {"name": "secret"},
    });
    let body = test(&world, body).await;
    assert_eq!(
        body["tool_result"],
        json!({"is_error": false, "text": "hidden value"})
    );
}

#[tokio::test]
async fn a_server_of_the_web_gets_its_headers() {
    let world = World::with(|config| config.secret_key = Some("the key".to_owned())).await;
    let script = script(&world, "web.py", HTTP);
    let mut server = tokio::process::Command::new("python3")
        .arg(script)
        .stdout(std::process::Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let mut lines =
        tokio::io::AsyncBufReadExt::lines(tokio::io::BufReader::new(server.stdout.take().unwrap()));
    let port = lines.next_line().await.unwrap().unwrap();
    let url = format!("http://127.0.0.1:{port}/mcp");
    let sealed = world.app().config().cipher().unwrap().seal("open sesame");
    let body = json!({
        "server": {"url": url, "headers": {"X-Key": sealed}},
        "tool_call": {"name": "add", "arguments": {"a": 20, "b": 22}},
    });
    assert_eq!(
        test(&world, body).await,
        json!({"ok": true, "tools": ["add", "fail"], "tool_result": {"is_error": false, "text": "42"}})
    );
    let body = json!({"server": {"type": "shttp", "url": url, "headers": {"X-Key": "wrong"}}});
    let body = test(&world, body).await;
    assert_eq!(
        (&body["ok"], &body["error_kind"]),
        (&json!(false), &json!("connection"))
    );
    server.kill().await.unwrap();
}
