//! What can be asked of a conversation.

use indexmap::IndexMap;

use crate::conversation::rules;
use crate::ids::ConversationId;
use crate::ids::EventId;
use crate::llm::Llm;
use crate::message::Content;
use crate::message::Role;
use crate::patch::Patch;
use crate::secrets::{SecretInput, secrets_to_add};
use crate::security::ConfirmationPolicy;
use crate::security::SecurityAnalyzer;
use crate::text::words;
use crate::wire::wire;

wire! {
    /// A message, and whether to run.
    pub struct SendMessageRequest (default) {
        role: Role = Role::User,
        content: Vec<Content> = Vec::new(),
        run: bool = false,
    }

    /// Whether waiting actions may run.
    pub struct ConfirmationResponseRequest (default) {
        accept: bool,
        reason: String = "User rejected the action.".to_owned(),
    }

    /// New title or tags.
    pub struct UpdateConversationRequest (default) {
        title when present in [min_length(1) max_length(200) check(rules::title)]: Patch<String> = Patch::Absent,
        tags when present in [check(rules::tags)]: Patch<IndexMap<String, String>> = Patch::Absent,
    }

    /// Secrets to add.
    pub struct UpdateSecretsRequest (default) {
        secrets in [schema(secrets_to_add)]: IndexMap<String, SecretInput>,
    }

    /// A new policy.
    pub struct SetConfirmationPolicyRequest {
        policy: ConfirmationPolicy,
    }

    /// A new analyzer, or none.
    pub struct SetSecurityAnalyzerRequest (default) {
        security_analyzer: Option<SecurityAnalyzer>,
    }
}

wire! {
    /// A saved model to use from now on.
    pub struct SwitchProfileRequest (default, embedded) {
        profile_name: String,
    }

    /// A model to use from now on.
    pub struct SwitchLlmRequest (default, embedded) {
        llm: Llm,
    }

    /// A plugin to load.
    pub struct LoadPluginRequest (default, embedded) {
        plugin_ref: String,
    }

    /// A model of an external agent to use from now on.
    pub struct SwitchAcpModelRequest (default, embedded) {
        model: String,
    }
}

wire! {
    /// A question beside the conversation.
    pub struct AskAgentRequest (default) {
        question: String,
    }

    /// The answer.
    pub struct AskAgentResponse (default) {
        response: String,
    }

    /// The final answer of the agent.
    pub struct AgentResponseResult (default) {
        response: String,
    }

    /// A copy to make.
    pub struct ForkConversationRequest (default) {
        id: Option<ConversationId> = None,
        title in [max_length(200)]: Option<String> = None,
        tags in [check(rules::tags)]: Option<IndexMap<String, String>> = None,
        reset_metrics: bool = true,
        from_event_id: Option<EventId> = None,
    }

    /// Where the head is to be; null is before everything.
    pub struct NavigateConversationRequest (default) {
        event_id: Option<EventId> = None,
    }

    /// A goal to work towards.
    pub struct StartGoalRequest (default) {
        objective: String,
        max_iterations in [ge(1.0)]: i64 = 10,
    }
}

words! {
    /// Whether a child gets a worktree of its own.
    pub open enum Isolation {
        Worktree = "worktree",
        Shared = "shared",
    }
}

wire! {
    /// A child to start.
    pub struct StartChildConversationRequest (default) {
        task in [min_length(1)]: String,
        title: Option<String> = None,
        isolation: Isolation = Isolation::Worktree,
    }

    /// A started child.
    pub struct StartChildConversationResponse {
        conversation_id: ConversationId,
        parent_conversation_id: ConversationId,
        status: String,
        title: Option<String> = None,
        url: Option<String> = None,
        workspace: Option<String> = None,
        isolation: Option<Isolation> = None,
    }

    /// It was done.
    pub struct Success (default) {
        success: bool = true,
    }
}
