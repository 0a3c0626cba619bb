//! What a sub-agent has from its parent, and what from its definition.

use std::sync::{Arc, Mutex};

use openhands_sdk_rs::conversation::{Conversation, ConversationConfig, Host};
use openhands_sdk_rs::llm::{
    ChatModel, ChatRequest, LlmError, ModelFeatures, PartStream, ScriptedModel,
};
use openhands_sdk_rs::protocol::agent::{AgentDefinition, AgentSpec};
use openhands_sdk_rs::protocol::secrets::SecretInput;
use openhands_sdk_rs::protocol::{Event, Form, Secret};
use pretty_assertions::assert_eq;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::subagents::{
    bash, begin, boss, call, definition, finish, mock, play, saved_state, stored_events,
    subagent_directories, task, tasks,
};
use crate::world::World;

/// A list that several threads write to.
#[derive(Debug)]
struct Recorded<T>(Arc<Mutex<Vec<T>>>);

impl<T: Clone> Recorded<T> {
    fn new() -> Self {
        Self(Arc::new(Mutex::new(Vec::new())))
    }

    fn add(&self, item: T) {
        self.0.lock().unwrap().push(item);
    }

    fn all(&self) -> Vec<T> {
        self.0.lock().unwrap().clone()
    }
}

impl<T> Clone for Recorded<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn actions_of_sub_agents_that_would_wait_are_approved() {
    let world = World::new();
    let careful = AgentDefinition {
        permission_mode: Some("always_confirm".to_owned()),
        ..definition("careful", &["terminal"])
    };
    let endless = AgentDefinition {
        max_iteration_per_run: Some(3),
        ..careful.clone()
    };
    let endless = AgentDefinition {
        name: "endless".to_owned(),
        ..endless
    };
    let conversation = begin(&world, boss(&["task"]), vec![careful, endless]).await;
    let work = mock(&json!([
        bash("echo 1 > one"),
        bash("echo 2 > two"),
        finish("both")
    ]));
    let on_and_on = mock(&json!([
        {"tools": [{"name": "terminal", "args": {"command": "date +%N >> many"}}], "repeat": true}
    ]));
    play(
        &conversation,
        &json!([
            call("task", &json!({"prompt": work, "subagent_type": "careful"})),
            call(
                "task",
                &json!({"prompt": on_and_on, "subagent_type": "endless"})
            ),
            finish("done")
        ]),
    )
    .await;
    assert_eq!(
        tasks(&conversation).await,
        [
            task("task_00000001", "completed", "both"),
            task(
                "task_00000002",
                "error",
                "Sub-agent stopped without finishing (status: waiting_for_confirmation)."
            ),
        ]
    );
    let many = std::fs::read_to_string(world.dir.path().join("project/many")).unwrap();
    assert_eq!(many.lines().count(), 3);
    conversation.close().await.unwrap();
}

/// An MCP server with one tool, as a script for bash.
const SERVER: &str = r#"
say() { printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$1" "$2"; }
while read -r line; do
  id=$(sed -n 's/.*"id":\([0-9]*\).*/\1/p' <<<"$line")
  case "$line" in
    *'"initialize"'*)
      version=$(sed -n 's/.*"protocolVersion":"\([^"]*\)".*/\1/p' <<<"$line")
      say "$id" '{"protocolVersion":"'"$version"'","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}' ;;
    *'"tools/list"'*)
      say "$id" '{"tools":[{"name":"greet","description":"Greets.","inputSchema":{"type":"object","properties":{}}}]}' ;;
    *'"tools/call"'*)
      say "$id" '{"content":[{"type":"text","text":"hello from the server"}]}' ;;
    *) if test -n "$id"; then say "$id" '{}'; fi ;;
  esac
done
"#;

/// A model that plays scripts and remembers under which session it was asked.
struct Watched {
    model: ScriptedModel,
    sessions: Recorded<(Option<String>, Option<bool>)>,
}

impl ChatModel for Watched {
    fn stream(
        &self,
        request: ChatRequest,
        cancel: CancellationToken,
    ) -> futures_util::future::BoxFuture<'_, Result<PartStream, LlmError>> {
        self.sessions
            .add((request.options.session.clone(), request.options.stream));
        self.model.stream(request, cancel)
    }

    fn features(&self) -> &ModelFeatures {
        self.model.features()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sub_agent_has_its_parents_model_servers_secrets_and_cache() {
    let world = World::new();
    let sessions = Recorded::new();
    let models = Recorded::new();
    let mut host = Host::clone(&world.host);
    let watched: Arc<dyn ChatModel> = Arc::new(Watched {
        model: ScriptedModel::from_messages(),
        sessions: sessions.clone(),
    });
    let seen = models.clone();
    host.models = Arc::new(move |llm| {
        seen.add(llm.clone());
        Ok(Arc::clone(&watched))
    });
    let mut parent = boss(&["task"]);
    parent.llm.stream = true;
    parent.mcp_config =
        serde_json::from_value(json!({"shared": {"command": "bash", "args": ["-c", SERVER]}}))
            .unwrap();
    let mut own_servers = definition("own", &["terminal"]);
    own_servers.mcp_config = serde_json::from_value(json!({
        "mine": {"command": "/nonexistent"},
    }))
    .unwrap();
    own_servers.system_prompt = "You are the child.".to_owned();
    let mut config = ConversationConfig::new(parent, world.dir.path().join("project"));
    config.unsaved.agent_definitions = vec![own_servers];
    config.max_iterations = 77;
    let conversation = Conversation::create(&Arc::new(host), config).await.unwrap();
    let secret = SecretInput::Plain(Secret::new("tell-nobody"));
    conversation
        .update_secrets([("TOKEN".to_owned(), secret)].into_iter().collect())
        .await
        .unwrap();
    let prompt = mock(&json!([
        bash("echo got $TOKEN"),
        call("greet", &json!({})),
        finish("fine"),
    ]));
    play(
        &conversation,
        &json!([
            call("task", &json!({"prompt": prompt, "subagent_type": "own"})),
            finish("done")
        ]),
    )
    .await;
    assert_eq!(
        tasks(&conversation).await,
        [task("task_00000001", "completed", "fine")]
    );
    let id = Some(conversation.id().to_string());
    assert!(sessions.all().iter().all(|(session, _)| *session == id));
    let streams: Vec<bool> = models.all().iter().map(|llm| llm.stream).collect();
    assert_eq!(streams, [true, false]);
    let directory = &subagent_directories(&world, &conversation)[0];
    let state = saved_state(directory);
    let AgentSpec::Agent(child) = &state.agent else {
        panic!("{:?}", state.agent);
    };
    assert_eq!(child.mcp_config.keys().collect::<Vec<_>>(), ["shared"]);
    assert_eq!(child.llm.usage_id, "agent");
    assert_eq!(state.max_iterations, 77);
    let context = child.agent_context.as_ref().unwrap();
    assert_eq!(
        context.system_message_suffix.as_deref(),
        Some("You are the child.")
    );
    // The command had the secret, and the child's log hides it.
    let log = stored_events(directory);
    assert!(log.contains("got <secret-hidden>"), "{log}");
    // The server of the parent answered the child.
    assert!(log.contains("hello from the server"), "{log}");
    assert!(!log.contains("tell-nobody"));
    conversation.close().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sub_agent_may_be_kept_to_its_parents_tools() {
    let world = World::new();
    let mut parent = boss(&["terminal"]);
    parent.tools.push(
        serde_json::from_value(
            json!({"name": "task", "params": {"sub_agent_scope": {"tools": true}}}),
        )
        .unwrap(),
    );
    let conversation = begin(&world, parent, Vec::new()).await;
    play(
        &conversation,
        &json!([
            call("task", &json!({"prompt": "x"})),
            call(
                "task",
                &json!({"prompt": mock(&json!([finish("ok")])), "subagent_type": "bash-runner"})
            ),
            finish("done")
        ]),
    )
    .await;
    assert_eq!(
        tasks(&conversation).await,
        [
            task(
                "unknown",
                "error",
                "Failed to execute task: Agent 'general-purpose' uses file_editor, which this agent does not have."
            ),
            task("task_00000001", "completed", "ok"),
        ]
    );
    conversation.close().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn project_files_are_offered_and_used() {
    let world = World::new();
    let directory = world.dir.path().join("project/.agents/agents");
    std::fs::create_dir_all(&directory).unwrap();
    std::fs::write(
        directory.join("reviewer.md"),
        "---\ndescription: Reviews changes\ntools: [terminal]\n---\nYou review.",
    )
    .unwrap();
    let conversation = begin(&world, boss(&["task_tool_set"]), Vec::new()).await;
    let order = json!({"prompt": mock(&json!([finish("reviewed")])), "subagent_type": "reviewer"});
    play(
        &conversation,
        &json!([call("task", &order), finish("done")]),
    )
    .await;
    assert_eq!(
        tasks(&conversation).await,
        [task("task_00000001", "completed", "reviewed")]
    );
    let events = conversation.events().range(0..1).await.unwrap();
    let Event::SystemPrompt(prompt) = events[0].event() else {
        panic!("{:?}", events[0]);
    };
    let tool = Form::SOCKET.to_value(&prompt.tools[0]).unwrap();
    let text = tool["description"].as_str().unwrap();
    assert!(
        text.contains("- **reviewer**: Reviews changes (tools: terminal)\n"),
        "{text}"
    );
    assert!(text.contains("- **general-purpose**: "), "{text}");
    // There is no browser here.
    assert!(!text.contains("web-researcher"), "{text}");
    conversation.close().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sub_agent_gets_the_skills_that_it_names() {
    let world = World::new();
    let directory = world.dir.path().join("project/.agents/skills/pdf");
    std::fs::create_dir_all(&directory).unwrap();
    std::fs::write(
        directory.join("SKILL.md"),
        "---\nname: pdf\ndescription: Reads PDF files\n---\nRead them slowly.",
    )
    .unwrap();
    let skilled = AgentDefinition {
        skills: vec!["pdf".to_owned()],
        ..definition("skilled", &[])
    };
    let conversation = begin(&world, boss(&["task"]), vec![skilled]).await;
    let order = json!({"prompt": mock(&json!([finish("read")])), "subagent_type": "skilled"});
    play(
        &conversation,
        &json!([call("task", &order), finish("done")]),
    )
    .await;
    assert_eq!(
        tasks(&conversation).await,
        [task("task_00000001", "completed", "read")]
    );
    let state = saved_state(&subagent_directories(&world, &conversation)[0]);
    let AgentSpec::Agent(child) = &state.agent else {
        panic!("{:?}", state.agent);
    };
    let skills = &child.agent_context.as_ref().unwrap().skills;
    let names: Vec<_> = skills.iter().map(|skill| skill.name.as_str()).collect();
    assert_eq!(names, ["pdf"]);
    conversation.close().await.unwrap();
}
