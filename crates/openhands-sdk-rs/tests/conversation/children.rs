//! Children, and the end of a conversation for good.

use openhands_sdk_rs::conversation::Conversation;
use openhands_sdk_rs::protocol::conversation::{ExecutionStatus, Isolation};
use pretty_assertions::assert_eq;
use serde_json::json;

use crate::world::World;

#[tokio::test(flavor = "multi_thread")]
async fn a_child_works_in_the_same_place_or_in_a_worktree_of_its_own() {
    let world = World::new();
    let project = world.dir.path().join("project");
    let parent = world.begin().await;
    let write = json!([{"tools": [{"name": "terminal", "args": {"command": "echo by a child > made.txt; pwd"}}]}, "done"]);
    let task = format!("MOCK:{write}");
    let refused = parent
        .start_child(&task, &Isolation::Worktree)
        .await
        .unwrap_err();
    assert!(
        refused.to_string().contains("not a git repository"),
        "{refused}"
    );

    let git =
        "git init -q . && git -c user.name=a -c user.email=a@b commit -q --allow-empty -m first";
    let done = std::process::Command::new("sh")
        .args(["-c", git])
        .current_dir(&project)
        .status()
        .unwrap();
    assert!(done.success());
    let apart = parent
        .start_child(&task, &Isolation::Worktree)
        .await
        .unwrap();
    apart.wait().await;
    assert_eq!(apart.final_response().await.unwrap(), "done");
    let place = apart.state(|state| serde_json::to_value(&state.workspace).unwrap());
    let place = std::path::PathBuf::from(place["working_dir"].as_str().unwrap());
    assert!(place.join("made.txt").exists() && !project.join("made.txt").exists());

    let beside = parent.start_child(&task, &Isolation::Shared).await.unwrap();
    beside.wait().await;
    assert!(project.join("made.txt").exists());
    assert_eq!(parent.status(), ExecutionStatus::Idle);
    assert_eq!(parent.events().len(), 0);
    std::fs::remove_dir_all(place).unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_deleted_conversation_is_gone_and_its_workspace_stays() {
    let world = World::new();
    let conversation = world.begin().await;
    let long = json!([{"tools": [{"name": "terminal", "args": {"command": "touch made.txt; sleep 1000"}}]}]);
    conversation
        .send_and_run(crate::world::script(long))
        .await
        .unwrap();
    let made = world.dir.path().join("project/made.txt");
    let deadline = std::time::Instant::now() + std::time::Duration::from_mins(1);
    while !made.exists() {
        assert!(std::time::Instant::now() < deadline);
        tokio::task::yield_now().await;
    }
    let id = conversation.id();
    conversation.delete().await.unwrap();
    assert_eq!(conversation.status(), ExecutionStatus::Deleting);
    assert!(
        !world
            .dir
            .path()
            .join("conversations")
            .join(id.hex())
            .exists()
    );
    assert!(made.exists());
    assert!(conversation.run().await.is_err());
    assert!(Conversation::open(&world.host, id).await.is_err());
}
