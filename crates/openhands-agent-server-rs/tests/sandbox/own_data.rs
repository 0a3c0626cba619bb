//! A workspace that contains the data of the server does not show it.

use reqwest::Method;
use serde_json::json;

use crate::model::{Answer, runs};
use crate::world::{World, observed};

async fn check(world: &World) {
    let victim = world.converse().await;
    let root = world.directory.path().canonicalize().unwrap();
    let data = root.join("srv/workspace/conversations");
    let meta = data.join(victim.replace('-', "")).join("meta.json");
    assert!(meta.is_file());
    std::fs::create_dir_all(root.join("home/.openhands")).unwrap();
    std::fs::write(root.join("home/.openhands/settings.json"), "{}").unwrap();
    let before = std::fs::read(&meta).unwrap();
    let mut request = world.start_request();
    request["workspace"]["working_dir"] = json!(root);
    let id = world.converse_as(&request).await;
    let tries = [
        "find . -name meta.json -o -name settings.json -o -name .sandbox-owner",
        "mkdir -p srv/workspace/conversations/x && echo made",
        "mv srv srv2 && echo moved",
        "mv srv/workspace srv/w2 && echo moved",
        "mv srv/workspace/conversations srv/workspace/c2 && echo moved",
        "rm -rf srv/workspace/conversations && echo removed",
        "mv home/.openhands home/o && echo moved",
    ];
    for tried in tries {
        assert_eq!(world.bash(&id, tried).await, "", "{tried}");
    }
    assert_eq!(std::fs::read(&meta).unwrap(), before);
    assert!(root.join("home/.openhands/settings.json").is_file());
    // All else is there, and the conversation has its own files.
    let plan = Answer::Calls(
        "task_tracker",
        json!({"command": "plan", "task_list": [{"title": "one", "notes": "", "status": "todo"}], "security_risk": "LOW", "summary": "plan"}),
    );
    let acts = [
        runs("echo made > project/made.txt; ls project"),
        plan,
        Answer::Says("Done."),
    ];
    let events = world.act(&id, acts).await;
    assert!(
        observed(&events)[0].contains("made.txt"),
        "{:?}",
        observed(&events)
    );
    let own = data.join(id.replace('-', ""));
    assert!(own.join("sandbox/TASKS.json").is_file());
    // The data itself is no workspace.
    request["workspace"]["working_dir"] = json!(meta.parent().unwrap());
    let (status, said) = world.post("/api/conversations", &request).await;
    assert_eq!(status, 422, "{said}");
    assert!(said.to_string().contains("its own data"), "{said}");
    for id in [id, victim] {
        let path = format!("/api/conversations/{id}");
        assert_eq!(
            world.send(world.request(Method::DELETE, &path)).await.0,
            200
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn data_of_the_server_in_a_workspace_is_neither_seen_nor_moved() {
    let Some(world) = World::start().await else {
        return;
    };
    check(&world).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_holds_for_a_container_that_waited() {
    let env = [
        ("RUNTIME_ENV", "docker"),
        ("OH_CONVERSATION_WARM_CONTAINERS", "2"),
    ];
    let Some(world) = World::with(&env).await else {
        return;
    };
    world
        .until("containers wait", async || world.containers().len() == 2)
        .await;
    check(&world).await;
}
