//! What a hook is told about the moment at which it runs.

use openhands_protocol::event::{ActionEvent, HookEventType, MessageEvent, ObservationEvent};
use openhands_protocol::message::Content;
use openhands_protocol::{ConversationId, EventId, Form, JsonObject, Names, Nulls, Secrets};
use serde::Serialize;
use serde_json::{Map, Value, json};

/// Actions and observations as hooks see them: whole, with nulls.
const DUMP: Form = Form::new(Nulls::Keep, Secrets::Stars, Names::Internal);

/// What a hook reads on its standard input, as one JSON object.
#[derive(Debug, Clone, Serialize)]
pub(super) struct HookInput {
    pub(super) event_type: HookEventType,
    pub(super) tool_name: Option<String>,
    tool_input: Option<Value>,
    tool_response: Option<Value>,
    message: Option<String>,
    session_id: String,
    working_dir: String,
    metadata: Map<String, Value>,
    /// What the log says about the moment. Not part of what the hook reads.
    #[serde(skip)]
    pub(super) about: About,
}

/// Which event a hook belongs to, and the part of its input that is worth keeping.
#[derive(Debug, Clone, Default)]
pub(super) struct About {
    pub(super) action: Option<EventId>,
    pub(super) message: Option<EventId>,
    pub(super) kept_input: Option<JsonObject>,
}

/// The conversation and the directory, which are in every input.
#[derive(Debug, Clone)]
pub(super) struct Session {
    pub(super) id: ConversationId,
    pub(super) working_dir: String,
}

impl HookInput {
    /// The directory in which the hook runs.
    pub(super) fn working_dir(&self) -> &str {
        &self.working_dir
    }

    /// The conversation.
    pub(super) fn session_id(&self) -> &str {
        &self.session_id
    }

    /// The whole as one line of JSON.
    pub(super) fn to_json(&self) -> Vec<u8> {
        serde_json::to_vec(self).unwrap_or_default()
    }

    /// An input without anything that belongs to a special moment.
    pub(super) fn plain(session: &Session, event_type: HookEventType) -> Self {
        Self {
            event_type,
            tool_name: None,
            tool_input: None,
            tool_response: None,
            message: None,
            session_id: session.id.dashed(),
            working_dir: session.working_dir.clone(),
            metadata: Map::new(),
            about: About::default(),
        }
    }

    /// Before a tool call.
    pub(super) fn tool_call(session: &Session, action: &ActionEvent) -> Self {
        let mut input = Self::plain(session, HookEventType::PreToolUse);
        input.tool_name = Some(action.tool_name.clone());
        input.tool_input = Some(action.action.as_ref().map_or_else(|| json!({}), dump));
        input.about.action = Some(action.header.id.clone());
        input.about.kept_input = Some(JsonObject::from_iter([
            ("tool_name".to_owned(), json!(action.tool_name)),
            ("tool_input".to_owned(), json!(input.tool_input)),
        ]));
        input
    }

    /// After a tool call.
    pub(super) fn tool_result(
        session: &Session,
        action: &ActionEvent,
        observation: &ObservationEvent,
    ) -> Self {
        let mut input = Self::tool_call(session, action);
        input.event_type = HookEventType::PostToolUse;
        let response = dump(&observation.observation);
        if let Some(kept) = &mut input.about.kept_input {
            kept.insert("tool_response".to_owned(), response.clone());
        }
        input.tool_response = Some(response);
        input
    }

    /// Before a message of the user is answered.
    pub(super) fn message(session: &Session, message: &MessageEvent) -> Self {
        let mut input = Self::plain(session, HookEventType::UserPromptSubmit);
        let text = Content::join_text(&message.llm_message.content);
        input.about.message = Some(message.header.id.clone());
        input.about.kept_input = Some(JsonObject::from_iter([("message".to_owned(), json!(text))]));
        input.message = Some(text);
        input
    }

    /// When the agent wants to stop.
    pub(super) fn stop(session: &Session, reason: Option<&str>) -> Self {
        let mut input = Self::plain(session, HookEventType::Stop);
        if let Some(reason) = reason {
            let reason = JsonObject::from_iter([("reason".to_owned(), json!(reason))]);
            input.metadata = reason.clone().into_inner();
            input.about.kept_input = Some(reason);
        }
        input
    }
}

fn dump(value: &impl Serialize) -> Value {
    // The types of the protocol have text as names of members: nothing in them cannot be written.
    DUMP.to_value(value).unwrap_or_default()
}
