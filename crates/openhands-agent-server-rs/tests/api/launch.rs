//! Conversations that are started with settings or with a saved agent.

use std::time::Duration;

use pretty_assertions::assert_eq;
use reqwest::StatusCode;
use serde_json::{Value, json};

use crate::harness::World;
use crate::scripted_llm::ScriptedLlm;

const ENV_KEY: &str = "sk-of-the-environment";

async fn start(world: &World, mut request: Value) -> (StatusCode, Value) {
    request["workspace"] = json!({"working_dir": world.path().join("project")});
    world.post("/api/conversations", &request).await
}

/// Waits until the conversation has ended its run, and gives what it said last.
async fn finished(world: &World, conversation: &Value) -> String {
    let id = conversation["id"].as_str().unwrap();
    let path = format!("/api/conversations/{id}");
    let ended = async {
        loop {
            let (_, info) = world.get(&path).await;
            match info["execution_status"].as_str().unwrap() {
                "finished" => return,
                "error" | "stuck" => {
                    panic!("{}", world.get(&format!("{path}/events/search")).await.1)
                }
                _ => tokio::time::sleep(Duration::from_millis(20)).await,
            }
        }
    };
    tokio::time::timeout(Duration::from_mins(1), ended)
        .await
        .unwrap();
    let (_, last) = world.get(&format!("{path}/agent_final_response")).await;
    last["response"].as_str().unwrap().to_owned()
}

fn message(text: &str) -> Value {
    json!({"role": "user", "content": [{"type": "text", "text": text}]})
}

#[tokio::test]
async fn settings_become_the_agent_of_the_reference() {
    let world = World::new().await;
    let llm =
        json!({"model": "openai/gpt-4o", "api_key": "k", "base_url": "http://127.0.0.1:9/v1"});
    let (status, started) = start(&world, json!({"agent_settings": {"llm": llm}})).await;
    assert_eq!(status, StatusCode::CREATED, "{started}");
    let agent = &started["agent"];
    let names: Vec<_> = agent["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| &tool["name"])
        .collect();
    assert_eq!(names, ["terminal", "file_editor", "task_tracker"]);
    assert_eq!(
        agent["include_default_tools"],
        json!(["FinishTool", "ThinkTool", "SwitchLLMTool"])
    );
    assert_eq!(
        agent["system_prompt_kwargs"],
        json!({"llm_security_analyzer": true})
    );
    assert_eq!(agent["condenser"]["max_tokens"], 128_000);
    assert_eq!(agent["condenser"]["llm"]["usage_id"], "condenser");
    assert_eq!(agent["condenser"]["kind"], "LLMSummarizingCondenser");
    assert_eq!(agent["critic"], Value::Null);
    assert!(
        agent["agent_context"]["current_datetime"]
            .as_str()
            .unwrap()
            .ends_with('Z')
    );
    assert_eq!(started["launched_agent_profile"], Value::Null);

    let settings = json!({"llm": llm, "tools": [{"name": "terminal"}, {"name": "think"}], "persona": "me",
        "condenser": {"max_tokens": null}, "enable_classify_and_switch_llm_tool": true,
        "verification": {"critic_enabled": true, "enable_iterative_refinement": true},
        "agent_context": {"system_message_suffix": "S", "current_datetime": "2020-01-01T00:00:00+02:00",
            "secrets": {"A": "of the context", "B": "of the context"}}});
    let additions = json!({"system_message_suffix_append": " more ", "skills": [{"name": "sk", "content": "c"}]});
    let secret = json!({"kind": "StaticSecret", "value": "v", "description": "of the request"});
    let request = json!({"agent_settings": settings, "agent_launch_additions": additions, "secrets": {"B": secret}});
    let (status, started) = start(&world, request).await;
    assert_eq!(status, StatusCode::CREATED, "{started}");
    let agent = &started["agent"];
    assert_eq!(
        agent["tools"],
        json!([{"name": "terminal", "params": {}}, {"name": "ClassifyAndSwitchLLMTool", "params": {}}])
    );
    assert_eq!(agent["condenser"]["max_tokens"], Value::Null);
    assert_eq!(agent["persona"], "me");
    assert_eq!(agent["critic"]["kind"], "APIBasedCritic");
    assert_eq!(
        agent["critic"]["iterative_refinement"],
        json!({"success_threshold": 0.6, "max_iterations": 3})
    );
    assert_eq!(agent["agent_context"]["system_message_suffix"], "S\n\nmore");
    let sources = &started["secret_registry"]["secret_sources"];
    let names: Vec<_> = sources.as_object().unwrap().keys().collect();
    assert_eq!(names, ["A", "B"]);
    assert_eq!(sources["B"]["description"], "of the request");
    assert!(
        agent["agent_context"]["current_datetime"]
            .as_str()
            .unwrap()
            .ends_with("+02:00")
    );
}

/// The texts are the reference's.
#[tokio::test]
async fn a_request_without_a_clear_agent_is_refused() {
    let world = World::new().await;
    let id = "11111111-1111-4111-8111-111111111111";
    for (request, message) in [
        (
            json!({}),
            "One of `agent`, `agent_settings`, or `agent_profile_id` must be provided",
        ),
        (
            json!({"agent_profile_id": id, "agent_settings": {}}),
            "`agent_profile_id` is mutually exclusive with `agent_settings`",
        ),
        (
            json!({"agent_settings": {}, "agent_launch_additions": {"llm_profile_ref": "x"}}),
            "`agent_launch_additions.llm_profile_ref` requires `agent_profile_id`",
        ),
        (
            json!({"agent_settings": {"schema_version": 99}}),
            "AgentSettings schema_version 99 is newer than supported version 9.",
        ),
        (
            json!({"agent_settings": {"enable_sub_agents": true}}),
            "Removed agent settings: enable_sub_agents",
        ),
    ] {
        let (status, said) = start(&world, request).await;
        assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY, "{said}");
        assert_eq!(said["detail"][0]["type"], "value_error");
        assert_eq!(said["detail"][0]["msg"], format!("Value error, {message}"));
    }
    let (status, said) = start(&world, json!({"agent_profile_id": id})).await;
    assert_eq!(status, StatusCode::NOT_FOUND);
    assert_eq!(
        said["detail"],
        format!("Agent profile with id '{id}' not found")
    );
    let (status, said) = start(&world, json!({"agent_settings": {"agent_kind": "acp"}})).await;
    assert_eq!(status, StatusCode::NOT_IMPLEMENTED);
    assert_eq!(
        said["exception"],
        "501: Agents of kind 'acp' cannot be started by this server yet"
    );
    let sealed = json!({"agent_settings": {}, "secrets_encrypted": true});
    assert_eq!(
        start(&world, sealed).await.0,
        StatusCode::SERVICE_UNAVAILABLE
    );
}

#[tokio::test]
async fn a_saved_agent_runs_a_conversation() {
    let world = World::with(|config| config.secret_key = Some("k".to_owned())).await;
    let provider = ScriptedLlm::start().await;
    let llm = json!({"llm": {"model": "openai/mock", "api_key": "sk-profile", "base_url": provider.url()}});
    world.post("/api/profiles/p1", &llm).await;
    world
        .post(
            "/api/settings/mcp/off",
            &json!({"command": "no-such-program", "enabled": false}),
        )
        .await;
    let profile = json!({"llm_profile_ref": "p1", "secret_refs": ["B"], "system_message_suffix": "SFX",
        "persona": "P", "disabled_skills": ["zz"]});
    world.post("/api/agent-profiles/a1", &profile).await;
    let (_, list) = world.get("/api/agent-profiles").await;
    let id = list["profiles"][0]["id"].clone();
    let secret = |value: &str| json!({"kind": "StaticSecret", "value": value});
    let request = json!({"agent_profile_id": id, "secrets": {"A": secret("1"), "B": secret("2")},
        "initial_message": message("go"), "autotitle": false});
    let (status, started) = start(&world, request).await;
    assert_eq!(status, StatusCode::CREATED, "{started}");
    assert_eq!(
        started["launched_agent_profile"],
        json!({"agent_profile_id": id, "revision": 0, "secret_refs": ["B"], "llm_profile_ref": null})
    );
    let agent = &started["agent"];
    assert_eq!(agent["llm"]["stream"], true);
    assert_eq!(agent["condenser"]["llm"]["stream"], false);
    assert_eq!(agent["condenser"]["max_tokens"], Value::Null);
    assert_eq!(agent["agent_context"]["system_message_suffix"], "SFX");
    assert_eq!(agent["agent_context"]["load_project_skills"], true);
    assert_eq!(agent["agent_context"]["disabled_skills"], json!(["zz"]));
    assert!(agent["mcp_config"].get("off").is_some());
    let names: Vec<_> = started["secret_registry"]["secret_sources"]
        .as_object()
        .unwrap()
        .keys()
        .collect();
    assert_eq!(names, ["B"]);
    assert_eq!(finished(&world, &started).await, "All done.");
    assert_eq!(
        provider.requests()[0].authorization.as_deref(),
        Some("Bearer sk-profile")
    );

    // Another model for this conversation; and one that is not there.
    let other =
        json!({"llm": {"model": "openai/other", "api_key": "k2", "base_url": provider.url()}});
    world.post("/api/profiles/p2", &other).await;
    let with = |name: &str| json!({"agent_profile_id": id, "agent_launch_additions": {"llm_profile_ref": name}});
    let (_, started) = start(&world, with("p2")).await;
    assert_eq!(started["agent"]["llm"]["model"], "openai/other");
    assert_eq!(started["launched_agent_profile"]["llm_profile_ref"], "p2");
    let (status, said) = start(&world, with("none")).await;
    assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY);
    assert_eq!(
        said["detail"],
        json!({"code": "unresolved_profile_references", "message": "LLM profile 'none' not found",
               "dangling_llm_profile_ref": "none", "dangling_mcp_server_refs": [],
               "dangling_meta_profile_ref": null, "dangling_meta_profile_llm_refs": []})
    );
}

#[tokio::test]
async fn sealed_settings_are_opened_and_run() {
    let world = World::with(|config| config.secret_key = Some("k".to_owned())).await;
    let provider = ScriptedLlm::start().await;
    let change = json!({"agent_settings_diff": {"llm": {"model": "openai/mock", "api_key": "sk-sealed",
        "base_url": provider.url()}}});
    world.patch("/api/settings", &change).await;
    let sealed = world
        .request(reqwest::Method::GET, "/api/settings")
        .header("X-Expose-Secrets", "encrypted");
    let (_, sealed) = crate::harness::answer(sealed).await;
    let request = json!({"agent_settings": sealed["agent_settings"], "secrets_encrypted": true,
        "initial_message": message("go"), "autotitle": false});
    let (status, started) = start(&world, request).await;
    assert_eq!(status, StatusCode::CREATED, "{started}");
    assert_eq!(finished(&world, &started).await, "All done.");
    assert_eq!(
        provider.requests()[0].authorization.as_deref(),
        Some("Bearer sk-sealed")
    );
}

#[tokio::test]
async fn a_key_of_the_environment_is_used_and_never_shown_or_kept() {
    let mut world = World::with(|config| {
        config
            .env
            .push(("OPENAI_API_KEY".to_owned(), ENV_KEY.to_owned()));
    })
    .await;
    let provider = ScriptedLlm::start().await;
    let llm = json!({"model": "openai/mock", "base_url": provider.url()});
    let change = json!({"agent_settings_diff": {"llm": llm}});
    let (_, settings) = world.patch("/api/settings", &change).await;
    assert_eq!(settings["llm_api_key_is_set"], false);
    world.post("/api/profiles/p", &json!({"llm": llm})).await;
    let (_, checked) = world
        .post("/api/profiles/p/validate", &json!({"llm": llm}))
        .await;
    assert_eq!(checked["valid"], true);
    let request = json!({"agent_settings": {"llm": llm}, "initial_message": message("go")});
    let (_, started) = start(&world, request).await;
    assert_eq!(finished(&world, &started).await, "All done.");
    for asked in provider.requests() {
        assert_eq!(asked.authorization, Some(format!("Bearer {ENV_KEY}")));
    }
    let id = started["id"].as_str().unwrap();
    for path in [
        "/api/settings".to_owned(),
        "/api/profiles".to_owned(),
        "/api/profiles/p".to_owned(),
        format!("/api/conversations/{id}"),
        format!("/api/conversations/{id}/events/search"),
    ] {
        let answer = world
            .request(reqwest::Method::GET, &path)
            .header("X-Expose-Secrets", "plaintext")
            .send()
            .await
            .unwrap();
        let text = answer.text().await.unwrap();
        assert!(!text.contains(ENV_KEY), "{path}");
    }
    let (_, list) = world.get("/api/profiles").await;
    assert_eq!(list["profiles"][0]["api_key_set"], false);
    world.restart().await;
    let mut directories = vec![world.path().to_owned()];
    let mut files = 0;
    while let Some(directory) = directories.pop() {
        for entry in std::fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                directories.push(path);
            } else if let Ok(text) = std::fs::read(&path) {
                files += 1;
                let text = String::from_utf8_lossy(&text);
                assert!(!text.contains(ENV_KEY), "{}", path.display());
            }
        }
    }
    assert!(files > 5, "there is something to look at: {files}");
}

#[tokio::test]
async fn an_agent_has_a_browser_where_there_is_one() {
    let directory = tempfile::tempdir().unwrap();
    let program = directory.path().join("chromium");
    std::fs::write(&program, "").unwrap();
    let world = World::with(|config| {
        let program = program.to_string_lossy().into_owned();
        config
            .env
            .retain(|(name, _)| name != "OH_BROWSER_EXECUTABLE");
        config
            .env
            .push(("OH_BROWSER_EXECUTABLE".to_owned(), program));
    })
    .await;
    let llm =
        json!({"model": "openai/gpt-4o", "api_key": "k", "base_url": "http://127.0.0.1:9/v1"});
    let (status, started) = start(&world, json!({"agent_settings": {"llm": llm}})).await;
    assert_eq!(status, StatusCode::CREATED, "{started}");
    let tools = started["agent"]["tools"].as_array().unwrap();
    assert_eq!(tools.last().unwrap()["name"], "browser_tool_set");
    let (_, info) = world.get("/server_info").await;
    let usable = info["usable_tools"].as_array().unwrap();
    assert!(usable.contains(&json!("browser_tool_set")), "{usable:?}");

    // Without one it works with the rest, and is told so.
    let bare = World::new().await;
    let (_, info) = bare.get("/server_info").await;
    let usable = info["usable_tools"].as_array().unwrap();
    assert!(!usable.contains(&json!("browser_tool_set")), "{usable:?}");
}
