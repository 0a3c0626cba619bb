//! What one server keeps, the other reads and changes: the files are those of the Python reference.

use std::process::Stdio;

use pretty_assertions::assert_eq;
use reqwest::Method;
use serde_json::{Value, json};
use tokio::process::Command;

use crate::harness::{World, answer};

const KEY: &str = "a key for both";

/// The interpreter that has the reference: `tests/reference/install` prints its path. Without it there is nothing to
/// compare with; continuous integration skips nothing.
fn python() -> Option<std::ffi::OsString> {
    let python = std::env::var_os("OPENHANDS_REFERENCE_PYTHON");
    if python.is_none() {
        assert!(
            std::env::var_os("CI").is_none_or(|ci| ci != "true"),
            "the reference is not installed"
        );
    }
    python
}

async fn plain(world: &World, path: &str) -> Value {
    let request = world.request(Method::GET, path);
    answer(request.header("X-Expose-Secrets", "plaintext"))
        .await
        .1
}

#[tokio::test]
async fn both_servers_work_on_the_same_files() {
    let Some(python) = python() else { return };
    let world = World::with(|config| config.secret_key = Some(KEY.to_owned())).await;
    let connection =
        json!({"display_name": "shared", "api_key": "sk-shared", "base_url": "http://shared/v1"});
    let (_, connection) = world
        .post("/api/llm/provider-connections", &connection)
        .await;
    let llm = json!({"model": "openai/gpt-4o", "api_key": "sk-own", "temperature": 0.25});
    world.post("/api/profiles/own", &json!({"llm": llm})).await;
    let linked =
        json!({"llm": {"model": "openai/gpt-4o", "provider_connection_id": connection["id"]}});
    world.post("/api/profiles/linked", &linked).await;
    world.post("/api/profiles/own/activate", &Value::Null).await;
    let server = json!({"command": "npx", "env": {"TOKEN": "t"}});
    world.post("/api/settings/mcp/fs", &server).await;
    world
        .patch(
            "/api/settings",
            &json!({"misc_settings_diff": {"name": "zażółć 🔑"}}),
        )
        .await;
    world
        .put(
            "/api/settings/secrets",
            &json!({"name": "OURS", "value": "gęślą"}),
        )
        .await;
    world.get("/api/agent-profiles").await;
    let ours = plain(&world, "/api/settings").await;

    let run = Command::new(python)
        .arg(concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/tests/api/stores_handover.py"
        ))
        .arg(world.path().join("home/.openhands"))
        .arg(KEY)
        .env_clear()
        .env("HOME", world.path().join("home"))
        .env("PATH", std::env::var_os("PATH").unwrap())
        .env("OPENHANDS_SUPPRESS_BANNER", "1")
        .env("LITELLM_LOCAL_MODEL_COST_MAP", "True")
        .stdin(Stdio::null())
        .kill_on_drop(true)
        .output();
    let run = run.await.unwrap();
    let said = String::from_utf8_lossy(&run.stderr);
    assert!(run.status.success(), "{said}");
    let seen = String::from_utf8(run.stdout).unwrap();
    let seen: Value = serde_json::from_str(seen.lines().last().unwrap()).unwrap();

    for part in [
        "agent_settings",
        "conversation_settings",
        "misc_settings",
        "active_profile",
        "active_agent_profile_id",
    ] {
        assert_eq!(seen["settings"][part], ours[part], "{part}");
    }
    assert_eq!(seen["secrets"], json!({"OURS": "gęślą"}));
    assert_eq!(seen["llms"]["own"]["api_key"], "sk-own");
    assert_eq!(seen["llms"]["own"]["temperature"], 0.25);
    assert_eq!(seen["llms"]["linked"]["api_key"], "sk-shared");
    assert_eq!(
        seen["agents"]["default"],
        world.get("/api/agent-profiles/default").await.1["profile"]
    );
    assert_eq!(seen["connections"], json!(["sk-shared"]));

    // What the reference has changed.
    let theirs = plain(&world, "/api/settings").await;
    assert_eq!(theirs["agent_settings"]["llm"]["api_key"], "sk-python");
    assert_eq!(theirs["agent_settings"]["llm"]["temperature"], 0.25);
    assert_eq!(
        theirs["agent_settings"]["mcp_config"]["fs"]["env"],
        json!({"TOKEN": "t", "MORE": "more"})
    );
    assert_eq!(
        theirs["misc_settings"],
        json!({"name": "zażółć 🔑", "who": "pytón"})
    );
    let value = world
        .request(Method::GET, "/api/settings/secrets/FROM_PYTHON")
        .send()
        .await
        .unwrap();
    assert_eq!(value.text().await.unwrap(), "snake");
    let python = plain(&world, "/api/profiles/python").await;
    assert_eq!(python["config"]["api_key"], "sk-p");
    assert_eq!(python["config"]["usage_id"], "u");
    let linked = plain(&world, "/api/profiles/linked").await;
    assert_eq!(linked["config"]["api_key"], "sk-rotated");
    let (_, agent) = world.get("/api/agent-profiles/python").await;
    assert_eq!(agent["profile"]["disabled_skills"], json!(["x"]));

    // A file that both have written is the same file, whoever writes it.
    let file = world.path().join("home/.openhands/settings.json");
    let of_python: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    world
        .patch(
            "/api/settings",
            &json!({"misc_settings_diff": {"who": "pytón"}}),
        )
        .await;
    let of_ours: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    let sealed = |file: &Value, place: &str| {
        file.pointer(place)
            .unwrap()
            .as_str()
            .unwrap()
            .starts_with("gAAAAA")
    };
    for place in [
        "/agent_settings/llm/api_key",
        "/agent_settings/mcp_config/fs/env/TOKEN",
    ] {
        assert!(
            sealed(&of_python, place) && sealed(&of_ours, place),
            "{place}"
        );
    }
    let without_tokens = |mut file: Value| {
        file["agent_settings"]["llm"]["api_key"].take();
        file["agent_settings"]["mcp_config"].take();
        file
    };
    assert_eq!(without_tokens(of_ours), without_tokens(of_python));
}
