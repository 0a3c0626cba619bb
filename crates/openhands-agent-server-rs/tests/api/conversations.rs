//! Conversations beyond the recordings: permits, rest, restarts, races, worktrees.

use std::process::Command;
use std::time::Duration;

use openhands_agent_server_rs::Server;
use pretty_assertions::assert_eq;
use reqwest::Method;
use serde_json::{Value, json};

use crate::harness::{World, answer};
use crate::model::Model;
use crate::scripted_llm::ScriptedLlm;
use crate::talk::script;

#[tokio::test(flavor = "multi_thread")]
async fn a_conversation_survives_a_restart_of_the_server() {
    let model = Model::start().await;
    let mut world = World::with(|config| config.secret_key = Some("restart-key".to_owned())).await;
    let id = world.start(&model, &["terminal"], json!({})).await;
    let path = format!("/api/conversations/{id}");
    let policy = json!({"policy": {"kind": "AlwaysConfirm"}});
    let (status, _) = world
        .post(&format!("{path}/confirmation_policy"), &policy)
        .await;
    assert_eq!(status, 200);
    let steps =
        json!([{"tools": [{"name": "terminal", "args": {"command": "echo kept"}}]}, "done"]);
    world
        .post(&format!("{path}/events"), &script(&steps, true))
        .await;
    let before = world.wait_for_status(&id, "waiting_for_confirmation").await;
    world.restart().await;

    let (_, after) = world.get(&path).await;
    assert_eq!(after["created_at"], before["created_at"]);
    assert_eq!(
        after["confirmation_policy"],
        json!({"kind": "AlwaysConfirm"})
    );
    assert_eq!(after["execution_status"], "waiting_for_confirmation");
    world
        .post(
            &format!("{path}/events/respond_to_confirmation"),
            &json!({"accept": true}),
        )
        .await;
    world.wait_for_status(&id, "finished").await;
    let (_, last) = world.get(&format!("{path}/agent_final_response")).await;
    assert_eq!(last, json!({"response": "done"}));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_conversation_that_nobody_uses_leaves_memory_and_comes_back() {
    let model = Model::start().await;
    let world = World::with(|config| config.secret_key = Some("k".to_owned())).await;
    let id = world.start(&model, &[], json!({})).await;
    let path = format!("/api/conversations/{id}");
    world
        .post(&format!("{path}/events"), &script(&json!(["one"]), true))
        .await;
    let before = world.wait_for_status(&id, "finished").await;
    let lease = world
        .path()
        .join("workspace/conversations")
        .join(id.replace('-', ""))
        .join("owner_lease.json");
    assert!(lease.exists());

    // What ran lets go of it right after its last event.
    let leaves = async {
        while lease.exists() {
            world.app().drop_idle(Duration::ZERO).await;
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(crate::talk::DEADLINE, leaves)
        .await
        .expect("what is not in memory is not owned");
    let (_, resting) = world.get(&path).await;
    assert_eq!(resting, before);
    world
        .post(&format!("{path}/events"), &script(&json!(["two"]), true))
        .await;
    world.wait_for_status(&id, "finished").await;
    let (_, last) = world.get(&format!("{path}/agent_final_response")).await;
    assert_eq!(last, json!({"response": "two"}));
}

#[tokio::test(flavor = "multi_thread")]
async fn one_that_is_watched_or_runs_stays_in_memory() {
    let model = Model::start().await;
    let world = World::new().await;
    let watched = world.start(&model, &[], json!({})).await;
    let mut socket = world.socket(&format!("/sockets/events/{watched}")).await;
    socket.next().await.unwrap();
    let running = world.start(&model, &[], json!({})).await;
    let steps = json!([{"text": "late", "held": true}]);
    world
        .post(
            &format!("/api/conversations/{running}/events"),
            &script(&steps, true),
        )
        .await;
    world.app().drop_idle(Duration::ZERO).await;
    model.go.notify_one();
    world.wait_for_status(&running, "finished").await;
    world
        .post(
            &format!("/api/conversations/{watched}/events"),
            &script(&json!(["seen"]), true),
        )
        .await;
    socket
        .until(|frame| frame["kind"] == "MessageEvent" && frame["source"] == "agent")
        .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn of_many_requests_with_one_id_one_starts_the_conversation() {
    let model = Model::start().await;
    let world = World::new().await;
    let request = json!({
        "agent": model.agent(&[]),
        "conversation_id": "0f0f0f0f-1111-4222-8333-444455556666",
        "workspace": {"working_dir": world.path().join("project")},
        "initial_message": {"role": "user", "content": [{"type": "text", "text": "go MOCK:[\"once\"]"}]},
        "autotitle": false,
    });
    let starts = (0..8).map(|_| world.post("/api/conversations", &request));
    let answers = futures_util::future::join_all(starts).await;
    let made = answers.iter().filter(|(status, _)| *status == 201).count();
    let found = answers.iter().filter(|(status, _)| *status == 200).count();
    assert_eq!((made, found), (1, 7));
    let id = request["conversation_id"].as_str().unwrap();
    world.wait_for_status(id, "finished").await;
    let (_, count) = world
        .get(&format!(
            "/api/conversations/{id}/events/count?kind=MessageEvent"
        ))
        .await;
    assert_eq!(count, 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_permit_is_given_back_when_a_run_ends() {
    let model = Model::start().await;
    let world = World::with(|config| config.max_concurrent_runs = 1).await;
    let first = world.start(&model, &[], json!({})).await;
    let second = world.start(&model, &[], json!({})).await;
    let held = script(&json!([{"text": "late", "held": true}]), true);
    world
        .post(&format!("/api/conversations/{first}/events"), &held)
        .await;
    let path = format!("/api/conversations/{second}/events");
    let (status, body) = world.post(&path, &script(&json!(["now"]), true)).await;
    assert_eq!(status, 429);
    assert!(
        body["detail"]
            .as_str()
            .unwrap()
            .starts_with("Message saved, but")
    );
    let (status, _) = world
        .post(&format!("/api/conversations/{first}/run"), &json!({}))
        .await;
    assert_eq!(status, 409, "the one that runs is running, not refused");
    model.go.notify_one();
    world.wait_for_status(&first, "finished").await;
    // The permit comes back right after the last event.
    let run = format!("/api/conversations/{second}/run");
    let asking = async {
        while world.post(&run, &json!({})).await.0 == 429 {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(crate::talk::DEADLINE, asking)
        .await
        .unwrap();
    world.wait_for_status(&second, "finished").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_first_message_gets_a_title_and_a_given_one_stays() {
    let model = Model::start().await;
    let world = World::new().await;
    let id = world.start(&model, &[], json!({"autotitle": true})).await;
    let path = format!("/api/conversations/{id}");
    let message =
        json!({"role": "user", "content": [{"type": "text", "text": "please name this"}]});
    world.post(&format!("{path}/events"), &message).await;
    let info = world
        .wait_for(&path, |info| info["title"].is_string())
        .await;
    assert_eq!(info["title"], "a title");
    let (status, _) = world
        .patch(&path, &json!({"title": "  mine ", "tags": {"a": "b"}}))
        .await;
    assert_eq!(status, 200);
    let (_, info) = world.get(&path).await;
    assert_eq!(
        (&info["title"], &info["tags"]),
        (&json!("mine"), &json!({"a": "b"}))
    );
}

fn git(directory: &std::path::Path, arguments: &[&str]) -> String {
    let output = Command::new("git")
        .args(["-c", "user.name=t", "-c", "user.email=t@example.org"])
        .args(arguments)
        .current_dir(directory)
        .output()
        .unwrap();
    assert!(output.status.success(), "{arguments:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worktree_is_made_for_a_conversation_and_removed_with_it() {
    let model = Model::start().await;
    let world = World::new().await;
    let project = world.path().join("project");
    std::fs::create_dir_all(project.join("sub")).unwrap();
    std::fs::write(project.join("sub/a.txt"), "a").unwrap();
    git(&project, &["init", "-q", "-b", "main"]);
    git(&project, &["add", "."]);
    git(&project, &["commit", "-qm", "first"]);
    let more = json!({"worktree": true, "workspace": {"working_dir": project.join("sub")}});
    let id = world.start(&model, &["terminal"], more).await;
    let (_, info) = world.get(&format!("/api/conversations/{id}")).await;
    let workspace = info["workspace"]["working_dir"]
        .as_str()
        .unwrap()
        .to_owned();
    assert!(workspace.ends_with("project/sub"), "{workspace}");
    assert!(std::path::Path::new(&workspace).join("a.txt").exists());
    assert!(git(&project, &["branch"]).contains(&format!("openhands/{id}")));

    // A fork works in the same worktree, so it stays until the last of them goes.
    let (status, fork) = world
        .post(&format!("/api/conversations/{id}/fork"), &json!({}))
        .await;
    assert_eq!(status, 201);
    world.delete(&format!("/api/conversations/{id}")).await;
    assert!(std::path::Path::new(&workspace).exists());
    world
        .delete(&format!(
            "/api/conversations/{}",
            fork["id"].as_str().unwrap()
        ))
        .await;
    assert!(!std::path::Path::new(&workspace).exists());
    assert!(project.join("sub/a.txt").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_child_works_in_a_worktree_of_its_own() {
    let model = Model::start().await;
    let world = World::new().await;
    let parent = world.start(&model, &["terminal"], json!({})).await;
    let project = world.path().join("project");
    git(&project, &["commit", "-q", "--allow-empty", "-m", "first"]);
    let task = json!({"task": "go MOCK:[\"done by a child\"]", "title": "Part"});
    let (status, child) = world
        .post(&format!("/api/conversations/{parent}/children"), &task)
        .await;
    assert_eq!(status, 201, "{child}");
    assert_eq!(
        (&child["isolation"], &child["title"]),
        (&json!("worktree"), &json!("Part"))
    );
    let id = child["conversation_id"].as_str().unwrap();
    world.wait_for_status(id, "finished").await;
    let (_, info) = world.get(&format!("/api/conversations/{parent}")).await;
    assert_eq!(info["sub_conversation_ids"], json!([id]));
}

#[tokio::test(flavor = "multi_thread")]
async fn lists_are_sorted_and_paged() {
    let model = Model::start().await;
    let world = World::new().await;
    let mut ids = Vec::new();
    for _ in 0..5 {
        ids.push(world.start(&model, &[], json!({})).await);
    }
    let mut listed: Vec<Value> = Vec::new();
    let mut next = String::new();
    loop {
        let path = format!("/api/conversations/search?sort_order=CREATED_AT&limit=2{next}");
        let (_, page) = world.get(&path).await;
        listed.extend(
            page["items"]
                .as_array()
                .unwrap()
                .iter()
                .map(|item| item["id"].clone()),
        );
        match page["next_page_id"].as_str() {
            Some(id) => next = format!("&page_id={id}"),
            None => break,
        }
    }
    assert_eq!(json!(listed), json!(ids));
    let (_, count) = world.get("/api/conversations/count?status=idle").await;
    assert_eq!(count, 5);
    let unknown = "00000000-0000-4000-8000-000000000000";
    let (_, some) = world
        .get(&format!("/api/conversations?ids={}&ids={unknown}", ids[0]))
        .await;
    assert_eq!((&some[0]["id"], &some[1]), (&json!(ids[0]), &Value::Null));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_conversation_that_another_server_owns_is_not_touched() {
    let model = Model::start().await;
    let world = World::new().await;
    let id = world.start(&model, &[], json!({})).await;
    let config = world.app().config().as_ref().clone();
    let other = Box::pin(Server::start(config, "127.0.0.1", 0))
        .await
        .unwrap();
    let url = format!("http://{}/api/conversations/{id}/run", other.address);
    let (status, body) = answer(world.client.request(Method::POST, url)).await;
    assert_eq!(status, 409);
    assert_eq!(
        body["detail"],
        "Conversation is owned by another agent server instance; the write was refused"
    );
    other.stop().await.unwrap();
    world
        .post(
            &format!("/api/conversations/{id}/events"),
            &script(&json!(["mine"]), true),
        )
        .await;
    world.wait_for_status(&id, "finished").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_of_a_model_that_wants_them_logged_become_events() {
    let model = Model::start().await;
    let world = World::new().await;
    let mut agent = model.agent(&[]);
    agent["llm"]["log_completions"] = true.into();
    let id = world.start(&model, &[], json!({"agent": agent})).await;
    let path = format!("/api/conversations/{id}/events");
    world.post(&path, &script(&json!(["logged"]), true)).await;
    world.wait_for_status(&id, "finished").await;
    let (_, page) = world
        .get(&format!("{path}/search?kind=LLMCompletionLogEvent"))
        .await;
    let log = &page["items"][0];
    assert_eq!(
        (&log["model_name"], &log["usage_id"]),
        (&json!("openai/mock"), &json!("default"))
    );
    assert!(
        log["log_data"].as_str().unwrap().contains("logged"),
        "{log}"
    );
    assert!(!log.to_string().contains("sk-scripted"), "no key is logged");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_names_the_tools_of_its_client_and_works_with_them_wherever_it_was_made() {
    let model = Model::start().await;
    let world = World::new().await;
    let spec = json!({
        "name": "show_page",
        "description": "Shows a page.",
        "parameters": {"type": "object", "properties": {"page": {"type": "string"}}},
        "annotations": null,
    });
    let named = json!({"name": "show_page", "params": {"spec": spec}});
    let id = world
        .start(&model, &["terminal"], json!({"client_tools": [spec]}))
        .await;
    let (_, info) = world.get(&format!("/api/conversations/{id}")).await;
    assert_eq!(
        info["agent"]["tools"],
        json!([{"name": "terminal", "params": {}}, named])
    );

    // As another server has kept it, or as a client sends it back: named by the agent, and given again or not.
    for client_tools in [json!([spec]), json!([])] {
        let mut agent = model.agent(&["terminal"]);
        agent["tools"].as_array_mut().unwrap().push(named.clone());
        let more = json!({"agent": agent, "client_tools": client_tools});
        let id = world.start(&model, &[], more).await;
        let path = format!("/api/conversations/{id}");
        let steps = json!([{"tools": [{"name": "show_page", "args": {"page": "one"}}]}, "shown"]);
        let (status, body) = world
            .post(&format!("{path}/events"), &script(&steps, true))
            .await;
        assert_eq!(status, 200, "{body}");
        let info = world.wait_for_status(&id, "finished").await;
        assert_eq!(info["agent"]["tools"].as_array().unwrap().len(), 2);
        let (_, page) = world.get(&format!("{path}/events/search")).await;
        let kinds = page["items"].as_array().unwrap().iter();
        let kinds: Vec<_> = kinds
            .filter_map(|event| event["observation"]["kind"].as_str())
            .collect();
        assert_eq!(kinds, ["ClientToolObservation"]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_that_fails_an_aside_is_told_from_a_server_that_fails() {
    let model = Model::start().await;
    let provider = ScriptedLlm::start().await;
    let world = World::with(|_| {}).await;
    let question = json!({"question": ""});
    for (address, expected) in [
        (
            "http://127.0.0.1:9/v1".to_owned(),
            "502: The model's provider cannot be reached",
        ),
        // The provider repeats the key: nothing of what it says is passed on.
        (
            provider.refusing(401),
            "502: Your LLM API key appears to be invalid or has expired.",
        ),
    ] {
        let mut agent = model.agent(&[]);
        agent["llm"]["base_url"] = address.into();
        let id = world.start(&model, &[], json!({"agent": agent})).await;
        let ask = format!("/api/conversations/{id}/ask_agent");
        let (status, said) = world.post(&ask, &question).await;
        assert_eq!(status, 502, "{said}");
        assert_eq!(said["detail"], "Internal Server Error");
        let reason = said["exception"].as_str().unwrap();
        assert!(reason.starts_with(expected), "{said}");
        assert!(!reason.contains("refused, with"), "{said}");
    }
}
