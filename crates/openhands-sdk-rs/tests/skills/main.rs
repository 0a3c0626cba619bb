//! Skills from files to what the model reads: loading, the prompt, a message, a touched file, a call.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

use std::path::Path;

use openhands_sdk_rs::prompt::{PromptFiles, PromptInput, system};
use openhands_sdk_rs::protocol::agent::Agent;
use openhands_sdk_rs::protocol::message::{Content, Message, Role};
use openhands_sdk_rs::protocol::tool::{Action, FileEditorAction, InvokeSkillAction};
use openhands_sdk_rs::runtime::{LocalWorkspace, Workspace};
use openhands_sdk_rs::skills::{SkillSources, UserDirectories, activate, invoke};
use serde_json::json;
use tokio_util::sync::CancellationToken;

fn write(path: &Path, content: &str) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, content).unwrap();
}

fn project(root: &Path) {
    write(&root.join("AGENTS.md"), "Use tabs.");
    write(&root.join("web/AGENTS.md"), "Use spaces here.");
    write(
        &root.join(".agents/skills/release/SKILL.md"),
        "---\nname: release\ndescription: How to release\ntriggers: [release]\n---\nVersion !`cat VERSION`.",
    );
    write(
        &root.join(".openhands/microagents/broken.md"),
        "---\ntriggers: 3\n---\n",
    );
    write(&root.join("VERSION"), "1.2.3\n");
}

#[tokio::test]
async fn skills_go_from_files_to_the_model() {
    let directory = tempfile::tempdir().unwrap();
    let (root, home) = (directory.path().join("ws"), directory.path().join("home"));
    project(&root);
    write(
        &home.join(".openhands/skills/mine.md"),
        "---\ntriggers: [mine]\n---\nMine.",
    );
    let env = [("PATH".to_owned(), "/usr/bin:/bin:/usr/local/bin".to_owned())];
    let workspace = LocalWorkspace::new(&root, &env);
    let cancel = CancellationToken::new();
    let agent: Agent = serde_json::from_value(json!({
        "kind": "Agent", "llm": {"model": "openai/gpt-4o"},
        "agent_context": {"load_project_skills": true, "load_user_skills": true, "user_message_suffix": "Be kind."},
    }))
    .unwrap();
    let context = agent.agent_context.as_ref().unwrap();

    let sources = SkillSources {
        user: Some(UserDirectories {
            persistence: home.join(".openhands"),
            home: Some(home),
        }),
        public: None,
    };
    let loaded = sources.resolve(context, &workspace, &cancel).await;
    assert_eq!(loaded.warnings.len(), 1, "{:?}", loaded.warnings);
    let skills = loaded.skills;

    assert!(invoke::is_needed(&skills));
    let tools = [invoke::NAME.to_owned()];
    let files = PromptFiles::read(&agent).await.unwrap();
    let prompt = system(&PromptInput {
        agent: &agent,
        files: &files,
        tools: &tools,
        soul: None,
        user_memory: "~/.openhands/memory/",
        skills: &skills,
        memory: None,
        secrets: &[],
        now: Some("2026-11-16T01:17:22"),
    })
    .unwrap();
    let dynamic = prompt.dynamic.unwrap();
    assert!(dynamic.contains("Use tabs.") && !dynamic.contains("Use spaces here."));
    assert!(dynamic.contains("<name>release</name>") && dynamic.contains("<name>mine</name>"));
    assert!(!dynamic.contains("Version"));

    let message = Message::text(Role::User, "Prepare the release.");
    let suffix = context.user_message_suffix.as_deref();
    let activation = activate::for_message(&skills, &message, &[], suffix).unwrap();
    assert_eq!(activation.names, ["release"]);
    assert!(activation.text.ends_with("</EXTRA_INFO>\nBe kind."));

    let action: Action = FileEditorAction {
        path: root.join("web/index.html").display().to_string(),
        ..FileEditorAction::default()
    }
    .into();
    let path = activate::touched_path(&action, &[workspace.root()]).unwrap();
    let rules = activate::for_path(&skills, &path, &[]).unwrap();
    assert_eq!(rules.names, ["agents:web"]);
    assert!(rules.text.contains("Use spaces here."));

    let call = InvokeSkillAction {
        name: "release".to_owned(),
        ..InvokeSkillAction::default()
    };
    let invocation = invoke::invoke(&skills, &call, &workspace, &cancel)
        .await
        .unwrap();
    let Content::Text(answer) = &invocation.observation.content[0] else {
        panic!("a text is expected");
    };
    assert!(
        answer.text.starts_with(
            "Version 1.2.3.\n\n---\nThis skill is located at `.agents/skills/release`."
        )
    );
    assert_eq!(invocation.invoked.as_deref(), Some("release"));
}
