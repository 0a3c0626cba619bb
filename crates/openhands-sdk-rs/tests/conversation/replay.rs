//! The recorded conversations of the reference, played again through the SDK.
//!
//! Each request of a recording becomes a call, made when all that the recording shows before it has been seen. What a
//! watcher sees must be what the recorded socket saw, event by event and member by member.

mod compare;
mod crash;
mod look;
mod perform;
mod recording;
pub(crate) mod stage;
pub(crate) mod table;
pub(crate) mod watch;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use openhands_sdk_rs::conversation::Conversation;
use openhands_sdk_rs::protocol::{EventId, Form};
use serde_json::{Value, json};

use compare::Comparison;
use perform::{Server, unhurried_event};
use recording::{Call, Entry, is_full_state, is_stats, name_of};
use stage::Stage;
use watch::Watcher;

/// Plays a recording.
async fn replay(name: &str) {
    let mut replay = Replay::new(name);
    let entries = recording::read(name);
    replay.server.stats_ids = recording::stats_ids(&entries);
    for entry in entries {
        match entry {
            Entry::Call(call) => replay.server.perform(&call).await,
            Entry::Frame(frame) => replay.expect(frame).await,
        }
    }
    replay.end().await;
}

/// A recording that is being played.
struct Replay {
    name: String,
    server: Server,
    _dir: tempfile::TempDir,
    watcher: Option<Watcher>,
    /// Of the watched conversation, what the recording says was used.
    stats: Vec<Value>,
    states: usize,
    seen: Vec<String>,
}

impl Replay {
    fn new(name: &str) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let project = dir.path().join("project");
        let conversations = dir.path().join("conversations");
        std::fs::create_dir(&project).unwrap();
        let part = table::part(name.split('_').next().unwrap());
        let stage = Stage::new();
        let mut comparison = Comparison::new(part.differences);
        comparison.places = vec![
            (
                conversations.display().to_string(),
                "workspace/conversations".to_owned(),
            ),
            (project.display().to_string(), "<ws>".to_owned()),
        ];
        Self {
            name: name.to_owned(),
            server: Server {
                host: Arc::new(stage.host(part, &conversations)),
                stage,
                part,
                project,
                conversations: HashMap::new(),
                comparison,
                stats_ids: HashSet::new(),
            },
            _dir: dir,
            watcher: None,
            stats: Vec::new(),
            states: 0,
            seen: Vec::new(),
        }
    }

    /// Waits for what the recording shows next and compares it.
    async fn expect(&mut self, recorded: Value) {
        if is_stats(&recorded) {
            self.stats.push(recorded);
            return;
        }
        let recorded = unhurried_event(&recorded);
        let name = name_of(&recorded);
        let stage = &self.server.stage;
        stage.let_answer(matches!(
            name.as_str(),
            "ActionEvent" | "Message(agent)" | "StreamingDeltaEvent" | "S(error)"
        ));
        let ours = match self.newly_watched(&recorded).await {
            Some(conversation) => full_state(&conversation),
            None => match self.watcher.as_mut().unwrap().next().await {
                Some(frame) => frame,
                None => panic!("{}: {name} did not come after {:?}", self.name, self.seen),
            },
        };
        self.seen.push(name_of(&ours));
        if let Err(error) = self.server.comparison.frame(&recorded, &ours) {
            let rest = self.watcher.as_mut().unwrap().rest();
            let rest: Vec<String> = rest.iter().map(name_of).collect();
            panic!(
                "{}: after {:?}\nthen {rest:?}: {error}",
                self.name, self.seen
            );
        }
        if is_full_state(&recorded) {
            self.states += 1;
            self.hear_socket(&recorded).await;
        }
    }

    /// The conversation whose watching begins with this frame, if it does.
    async fn newly_watched(&mut self, frame: &Value) -> Option<Conversation> {
        let id = is_full_state(frame).then(|| frame["value"]["id"].as_str().unwrap())?;
        let conversation = self.server.conversations[id].clone();
        let watched = self
            .watcher
            .as_ref()
            .map(|watcher| watcher.conversation.id());
        if watched == Some(conversation.id()) {
            return None;
        }
        self.stop_watching().await;
        conversation.wait().await;
        self.watcher = Some(Watcher::new(&conversation));
        Some(conversation)
    }

    /// Says what a socket brought at this point.
    async fn hear_socket(&mut self, frame: &Value) {
        for (after, text) in self.server.part.by_socket {
            if *after == self.states {
                let id = frame["value"]["id"].as_str().unwrap();
                self.server.perform(&Call::spoken(id, text)).await;
            }
        }
    }

    /// Nothing may follow that was not recorded.
    async fn stop_watching(&mut self) {
        let Some(mut watcher) = self.watcher.take() else {
            return;
        };
        watcher.conversation.wait().await;
        let rest: Vec<String> = watcher.rest().iter().map(name_of).collect();
        assert_eq!(
            rest,
            Vec::<String>::new(),
            "{}: after {:?}",
            self.name,
            self.seen
        );
        let elsewhere = self.server.part.asked_elsewhere;
        let mut recorded = std::mem::take(&mut self.stats);
        recorded.truncate(recorded.len() - elsewhere);
        compare::used(&recorded, &watcher.stats)
            .unwrap_or_else(|error| panic!("{}: {error}", self.name));
    }

    async fn end(mut self) {
        self.stop_watching().await;
        let unused = self.server.comparison.unused();
        assert!(
            unused.is_empty(),
            "{}: no such differences: {unused:?}",
            self.name
        );
        for conversation in self.server.conversations.values() {
            conversation.close().await.unwrap();
        }
    }
}

/// The whole state, as somebody gets it who begins to watch.
fn full_state(conversation: &Conversation) -> Value {
    let value = conversation.state(|state| Form::SOCKET.to_value(state).unwrap());
    json!({
        "id": EventId::random(),
        "timestamp": "2026-01-01T00:00:00.000001",
        "source": "environment",
        "key": "full_state",
        "value": value,
        "kind": "ConversationStateUpdateEvent",
    })
}

macro_rules! replays {
    ($($test:ident: $name:literal,)*) => {
        $(
            #[tokio::test(flavor = "multi_thread")]
            async fn $test() {
                replay($name).await;
            }
        )*
    };
}

replays! {
    plain_message: "01_plain_message",
    tool_turn: "02_tool_turn",
    parallel_tools: "03_parallel_tools",
    tool_errors: "04_tool_errors",
    finish_and_think: "05_finish_and_think",
    stuck: "06_stuck",
    max_iterations: "07_max_iterations",
    llm_error_500: "08_llm_error_500",
    llm_error_401: "09_llm_error_401",
    llm_error_context: "10_llm_error_context",
    empty_response: "11_empty_response",
    streaming: "12_streaming",
    confirmation_reject: "20_confirmation_reject",
    pause_resume: "21_pause_resume",
    interrupt: "22_interrupt",
    interrupt_tool: "23_interrupt_tool",
    message_while_running: "24_message_while_running",
    run_when_idle_without_message: "25_run_when_idle_without_message",
    initial_message: "26_initial_message",
    socket_send: "27_ws_send",
    live_updates: "31_live_updates",
    more_edges: "32_more_edges",
    error_nudge_and_stuck: "33_error_nudge_and_stuck",
    context_error_with_condenser: "34_context_error_with_condenser",
    condense_manual: "40_condense_manual",
    condense_auto: "41_condense_auto",
    fork_navigate: "42_fork_navigate",
    goal: "43_goal",
    children: "44_children",
    autotitle: "45_autotitle",
    client_tools: "46_client_tools",
    secrets: "47_secrets",
    security_analyzer: "48_security_analyzer",
    hooks: "49_hooks",
}
