//! Agents that the user saved by name.

use pretty_assertions::assert_eq;
use reqwest::StatusCode;
use serde_json::{Value, json};

use crate::harness::World;

const PROFILES: &str = "/api/agent-profiles";

async fn with_model() -> World {
    let world = World::with(|config| config.secret_key = Some("k".to_owned())).await;
    let llm = json!({"llm": {"model": "openai/gpt-4o-mini", "api_key": "sk-1", "base_url": "http://127.0.0.1:9/v1"}});
    world.post("/api/profiles/quick", &llm).await;
    world
}

async fn id_of(world: &World, name: &str) -> String {
    let (_, list) = world.get(PROFILES).await;
    let profiles = list["profiles"].as_array().unwrap();
    let profile = profiles
        .iter()
        .find(|profile| profile["name"] == name)
        .unwrap();
    profile["id"].as_str().unwrap().to_owned()
}

fn said(status: StatusCode, detail: &str) -> (StatusCode, Value) {
    (status, json!({"detail": detail}))
}

#[tokio::test]
async fn the_first_list_makes_a_profile_of_the_settings_and_activates_it() {
    let world = with_model().await;
    world
        .post("/api/profiles/quick/activate", &Value::Null)
        .await;
    let (_, list) = world.get(PROFILES).await;
    let id = list["active_agent_profile_id"].clone();
    assert_eq!(
        list["profiles"],
        json!([{"id": id, "name": "default", "agent_kind": "openhands", "revision": 0, "llm_profile_ref": "quick",
                "mcp_server_refs": null}])
    );
    assert_eq!(world.get(PROFILES).await.1, list);
    assert_eq!(
        world.get("/api/settings").await.1["active_agent_profile_id"],
        id
    );
    assert_eq!(
        world.get("/api/agent-profiles/default").await.1["profile"],
        json!({
            "schema_version": 4, "agent_kind": "openhands", "id": id, "name": "default", "revision": 0,
            "mcp_server_refs": null, "secret_refs": null, "llm_profile_ref": "quick", "agent": "CodeActAgent",
            "tools": null, "persona": null, "system_message_suffix": null, "disabled_skills": [],
            "public_skills": null,
            "condenser": {"condenser_kind": "llm_summarizing", "enabled": true, "max_size": 240, "max_tokens": null,
                "keep_first": 2, "minimum_progress": 0.1, "hard_context_reset_max_retries": 5,
                "hard_context_reset_context_scaling": 0.8},
            "verification": {"critic_enabled": false, "critic_mode": "finish_and_message",
                "enable_iterative_refinement": false, "critic_threshold": 0.6, "max_refinement_iterations": 3,
                "critic_server_url": null, "critic_model_name": null},
            "enable_classify_and_switch_llm_tool": false, "meta_profile_ref": null, "tool_concurrency_limit": 1
        })
    );
}

#[tokio::test]
async fn a_model_that_was_set_up_is_saved_with_the_first_profile() {
    let world = World::new().await;
    world.get(PROFILES).await;
    assert_eq!(
        world.get("/api/profiles").await.1["profiles"],
        json!([]),
        "nobody chose a model"
    );

    let world = World::new().await;
    let change =
        json!({"agent_settings_diff": {"llm": {"model": "openai/gpt-4o", "api_key": "sk-1"}}});
    world.patch("/api/settings", &change).await;
    let (_, list) = world.get(PROFILES).await;
    assert_eq!(list["profiles"][0]["llm_profile_ref"], "default");
    let (_, models) = world.get("/api/profiles").await;
    assert_eq!(models["profiles"][0]["name"], "default");
    assert_eq!(models["profiles"][0]["api_key_set"], true);
}

#[tokio::test]
async fn an_agent_keeps_its_id_through_changes_and_names() {
    let world = with_model().await;
    let path = "/api/agent-profiles/mine";
    let body = json!({"agent_kind": "openhands", "llm_profile_ref": "quick", "name": "ignored",
        "id": "11111111-1111-4111-8111-111111111111"});
    assert_eq!(
        world.post(path, &body).await,
        (
            StatusCode::CREATED,
            json!({"name": "mine", "message": "Agent profile 'mine' saved"})
        )
    );
    let id = id_of(&world, "mine").await;
    assert_ne!(id, "11111111-1111-4111-8111-111111111111");
    world
        .post(
            path,
            &json!({"llm_profile_ref": "quick", "secret_refs": ["A"]}),
        )
        .await;
    let (_, shown) = world.get(path).await;
    assert_eq!(shown["profile"]["id"], id);
    assert_eq!(shown["profile"]["revision"], 1);
    assert_eq!(shown["profile"]["name"], "mine");

    assert_eq!(
        world
            .post(&format!("{PROFILES}/{id}/activate"), &Value::Null)
            .await,
        (
            StatusCode::OK,
            json!({"id": id, "message": format!("Agent profile '{id}' activated"), "agent_settings_applied": false})
        )
    );
    assert_eq!(
        world.post(&format!("{path}/activate"), &Value::Null).await,
        said(
            StatusCode::NOT_FOUND,
            "Agent profile with id 'mine' not found"
        )
    );
    let rename = |to: &str| json!({"new_name": to});
    assert_eq!(
        world
            .post(&format!("{path}/rename"), &rename("default"))
            .await,
        said(
            StatusCode::CONFLICT,
            "Agent profile 'default' already exists"
        )
    );
    assert_eq!(
        world
            .post(&format!("{path}/rename"), &rename("mine2"))
            .await
            .1,
        json!({"name": "mine2", "message": "Agent profile 'mine' renamed to 'mine2'"})
    );
    assert_eq!(
        world.post(&format!("{path}/rename"), &rename("x")).await,
        said(StatusCode::NOT_FOUND, "Agent profile 'mine' not found")
    );
    assert_eq!(id_of(&world, "mine2").await, id);
    assert_eq!(world.get(PROFILES).await.1["active_agent_profile_id"], id);

    // The model cannot go, but its name can change.
    assert_eq!(
        world.delete("/api/profiles/quick").await,
        said(
            StatusCode::CONFLICT,
            "LLM profile is referenced by 1 agent profile(s): mine2"
        )
    );
    world
        .post("/api/profiles/quick/rename", &rename("slow"))
        .await;
    assert_eq!(
        world.get("/api/agent-profiles/mine2").await.1["profile"]["llm_profile_ref"],
        "slow"
    );

    assert_eq!(
        world.delete("/api/agent-profiles/mine2").await.1,
        json!({"name": "mine2", "message": "Agent profile 'mine2' deleted"})
    );
    let (_, list) = world.get(PROFILES).await;
    assert_eq!(list["active_agent_profile_id"], list["profiles"][0]["id"]);
    assert_eq!(list["profiles"][0]["name"], "default");
    assert_eq!(
        world.delete("/api/agent-profiles/none").await.0,
        StatusCode::OK
    );
}

#[tokio::test]
async fn external_settings_do_not_outlive_their_profile() {
    let world = World::new().await;
    let change = json!({"agent_settings_diff": {"agent_kind": "acp", "acp_command": ["my agent", "-x"],
        "acp_server": "custom", "mcp_config": {"fs": {"command": "x"}}}});
    world.patch("/api/settings", &change).await;
    let (_, list) = world.get(PROFILES).await;
    assert_eq!(list["profiles"][0]["agent_kind"], "acp");
    let (_, shown) = world.get("/api/agent-profiles/default").await;
    assert_eq!(shown["profile"]["acp_command"], "'my agent' -x");
    world.delete("/api/agent-profiles/default").await;
    let (_, settings) = world.get("/api/settings").await;
    assert_eq!(settings["agent_settings"]["agent_kind"], "openhands");
    assert_eq!(
        settings["agent_settings"]["mcp_config"],
        json!({"fs": {"command": "x", "enabled": true}})
    );
    let (_, list) = world.get(PROFILES).await;
    assert_eq!(list["profiles"][0]["agent_kind"], "openhands");
}

#[tokio::test]
async fn what_does_not_fit_is_refused_with_places_and_without_values() {
    let world = World::new().await;
    let post = async |body: Value| world.post("/api/agent-profiles/bad", &body).await;
    let problem = |place: Value, kind: &str, message: &str| json!({"loc": place, "type": kind, "msg": message});
    for (body, problems) in [
        (
            json!({"agent_kind": "zzz"}),
            json!([problem(
                json!([]),
                "union_tag_invalid",
                "Input tag 'zzz' found using \
                _agent_profile_discriminator() does not match any of the expected tags: 'openhands', 'acp'"
            )]),
        ),
        (
            json!({}),
            json!([problem(
                json!(["openhands", "llm_profile_ref"]),
                "missing",
                "Field required"
            )]),
        ),
        (
            json!({"agent_kind": "openhands", "nope": 1}),
            json!([
                problem(
                    json!(["openhands", "llm_profile_ref"]),
                    "missing",
                    "Field required"
                ),
                problem(
                    json!(["openhands", "nope"]),
                    "extra_forbidden",
                    "Extra inputs are not permitted"
                )
            ]),
        ),
        (
            json!({"llm_profile_ref": "p", "enable_sub_agents": true}),
            json!([problem(
                json!(["openhands"]),
                "value_error",
                "Value error, Retired tool switches were removed; select tools instead."
            )]),
        ),
        (
            json!({"llm_profile_ref": "p", "tools": [{"name": "finish", "params": {"a": 1}}]}),
            json!([problem(
                json!(["openhands", "tools"]),
                "value_error",
                "Value error, Tool 'finish' does not accept parameters"
            )]),
        ),
        (
            json!({"agent_kind": "acp", "llm_profile_ref": "p"}),
            json!([problem(
                json!(["acp", "llm_profile_ref"]),
                "extra_forbidden",
                "Extra inputs are not permitted"
            )]),
        ),
    ] {
        assert_eq!(
            post(body.clone()).await,
            (
                StatusCode::UNPROCESSABLE_ENTITY,
                json!({"detail": problems})
            ),
            "{body}"
        );
    }
    assert_eq!(
        post(json!({"llm_profile_ref": "p", "schema_version": 77})).await,
        said(StatusCode::UNPROCESSABLE_ENTITY, "Invalid agent profile")
    );
    assert_eq!(
        world.get("/api/agent-profiles/bad").await,
        said(StatusCode::NOT_FOUND, "Agent profile 'bad' not found")
    );
}

#[tokio::test]
async fn a_preview_tells_what_would_come_of_an_agent() {
    let world = with_model().await;
    let server = json!({"command": "npx", "args": ["x"], "env": {"T": "v"}});
    world.post("/api/settings/mcp/fs", &server).await;
    let profile = json!({"llm_profile_ref": "quick", "secret_refs": ["A"], "tools": [
        {"name": "terminal"}, {"name": "task_tool_set"}, {"name": "FinishTool"}]});
    world.post("/api/agent-profiles/mine", &profile).await;
    let (status, report) = world
        .post("/api/agent-profiles/mine/materialize", &Value::Null)
        .await;
    assert_eq!(status, StatusCode::OK);
    assert_eq!(report["valid"], true, "{report}");
    assert_eq!(report["errors"], json!([]));
    assert_eq!(report["llm_api_key_set"], true);
    assert_eq!(report["resolved_mcp_config_keys"], json!(["fs"]));
    let settings = &report["resolved_settings"];
    assert_eq!(settings["llm"]["api_key"], "**********");
    assert_eq!(settings["llm"]["stream"], true);
    assert_eq!(settings["mcp_config"]["fs"]["env"]["T"], "**********");
    assert_eq!(
        settings["tools"],
        json!([{"name": "terminal", "params": {}},
               {"name": "task_tool_set", "params": {"sub_agent_scope": {"tools": true}}},
               {"name": "finish", "params": {}}])
    );
    assert_eq!(settings["agent_context"]["load_project_skills"], true);

    let draft = json!({"profile": {"llm_profile_ref": "nope", "mcp_server_refs": ["fs", "gone"],
        "tools": [{"name": "terminal"}, {"name": "nosuch"}], "meta_profile_ref": "m",
        "enable_classify_and_switch_llm_tool": true}});
    let (_, report) = world
        .post("/api/agent-profiles/draft/materialize", &draft)
        .await;
    assert_eq!(report["valid"], false);
    assert_eq!(
        report["errors"],
        json!([
            "Tool(s) this server cannot run: nosuch",
            "LLM profile 'nope' not found",
            "MCP server(s) not configured: gone",
            "Meta-profile 'm' not found"
        ])
    );
    assert_eq!(report["unusable_tools"], json!(["nosuch"]));
    assert_eq!(report["dangling_mcp_server_refs"], json!(["gone"]));
    assert_eq!(report["dangling_meta_profile_ref"], "m");
    assert_eq!(report["llm_profile_resolved"], false);
    assert_eq!(report["resolved_settings"], Value::Null);

    let (_, report) = world
        .post(
            "/api/agent-profiles/x/materialize",
            &json!({"profile": {"agent_kind": "acp", "acp_server": "codex"}}),
        )
        .await;
    assert_eq!(report["valid"], true, "{report}");
    assert_eq!(report["acp_api_key_secret_name"], "OPENAI_API_KEY");
    assert_eq!(report["acp_file_secret_names"], json!(["CODEX_AUTH_JSON"]));
    assert_eq!(
        report["resolved_settings"]["agent_context"]["current_datetime"],
        Value::Null
    );
    let custom = json!({"profile": {"agent_kind": "acp", "acp_server": "custom"}});
    let (_, report) = world
        .post("/api/agent-profiles/x/materialize", &custom)
        .await;
    assert_eq!(report["valid"], false);
    assert_eq!(
        world
            .post("/api/agent-profiles/none/materialize", &Value::Null)
            .await,
        said(StatusCode::NOT_FOUND, "Agent profile 'none' not found")
    );
}

#[tokio::test]
async fn a_saved_agent_has_the_skills_of_the_user_that_it_wants() {
    let public = tempfile::tempdir().unwrap();
    for name in ["review", "deploy"] {
        let skill = public.path().join("skills").join(name);
        std::fs::create_dir_all(&skill).unwrap();
        let text = format!("---\nname: {name}\ndescription: public\n---\nDo it.\n");
        std::fs::write(skill.join("SKILL.md"), text).unwrap();
    }
    let world = World::with(|config| {
        config.surroundings.extensions_path = Some(public.path().to_owned());
        let skills = config.persistence_dir.join("skills");
        std::fs::create_dir_all(&skills).unwrap();
        std::fs::write(
            skills.join("greet.md"),
            "---\nname: greet\n---\nSay hello.\n",
        )
        .unwrap();
    })
    .await;
    let llm = json!({"llm": {"model": "openai/x", "api_key": "k"}});
    world.post("/api/profiles/p", &llm).await;
    for (choice, expected) in [
        (json!({}), vec!["deploy", "greet", "review"]),
        (
            json!({"public_skills": ["review"]}),
            vec!["greet", "review"],
        ),
        (json!({"public_skills": []}), vec!["greet"]),
        (
            json!({"disabled_skills": ["greet", "deploy"]}),
            vec!["review"],
        ),
    ] {
        let mut profile = choice.clone();
        profile["llm_profile_ref"] = json!("p");
        let draft = json!({"profile": profile});
        let (_, report) = world
            .post("/api/agent-profiles/x/materialize", &draft)
            .await;
        let skills = report["resolved_skills"].as_array().unwrap();
        let mut names: Vec<&str> = skills.iter().map(|name| name.as_str().unwrap()).collect();
        names.sort_unstable();
        assert_eq!(names, expected, "{choice}");
    }
}
