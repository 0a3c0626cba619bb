//! A server written with the Python library of the protocol.
//!
//! Needs a Python with that library: named by `OPENHANDS_REFERENCE_PYTHON`, or in the cache of the conformance runs.

use std::path::PathBuf;
use std::process::Command;

use openhands_sdk_rs::tools::ToolDefinition as _;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::support::{call, healthy, names, started, texts, tool};

const SERVER: &str = r#"
from mcp.server.fastmcp import FastMCP
server = FastMCP("adder")

@server.tool()
def add(a: int, b: float = 1.0, tags: list[str] | None = None) -> float:
    """Adds two numbers."""
    return a + b

@server.tool()
def fail() -> str:
    raise ValueError("nope")

server.run()
"#;

fn python() -> Option<PathBuf> {
    let named = std::env::var_os("OPENHANDS_REFERENCE_PYTHON").map(PathBuf::from);
    let cached = std::env::home_dir()
        .map(|home| home.join(".cache/openhands-conformance-1.58.0/bin/python"));
    named.or(cached).filter(|python| {
        Command::new(python)
            .args(["-c", "import mcp"])
            .status()
            .is_ok_and(|status| status.success())
    })
}

#[tokio::test]
async fn a_python_server_is_listed_and_called() {
    let Some(python) = python() else {
        eprintln!("skipped: no Python with the library of the protocol");
        return;
    };
    let servers = started(json!({"adder": {"command": python, "args": ["-c", SERVER]}})).await;
    healthy(&servers);
    assert_eq!(names(&servers), ["add", "fail"]);
    let add = call(&servers, "add", json!({"a": "3", "b": 2, "tags": null})).await;
    assert_eq!((texts(&add), add.is_error), (vec!["5.0".to_owned()], false));
    let fail = call(&servers, "fail", json!({})).await;
    assert_eq!(
        (texts(&fail), fail.is_error),
        (vec!["Error executing tool fail: nope".to_owned()], true)
    );
    // A server without a description gives an empty one, which the model is not shown.
    let listing = serde_json::to_value(tool(&servers, "fail").listing()).unwrap();
    assert_eq!(listing["description"], json!("No description provided"));
    assert_eq!(
        listing["mcp_tool"]["outputSchema"]["required"],
        json!(["result"])
    );
    assert_eq!(listing["mcp_tool"]["title"], Value::Null);
    servers.close().await;
}
