//! A conversation as the API shows it.

use std::sync::Arc;

use openhands_protocol::agent::AgentSpec;
use openhands_protocol::conversation::{ConversationInfo, ConversationState, StoredConversation};
use openhands_protocol::{ConversationId, Extra, Reading};

use crate::services::conversations::{Conversations, Entry, RefusedRequest, meta};

impl Conversations {
    /// What the API shows of a conversation. It need not be in memory.
    pub(crate) async fn info(
        &self,
        entry: &Arc<Entry>,
    ) -> Result<ConversationInfo, RefusedRequest> {
        let meta = entry.meta();
        let children = self.children_of(entry.id());
        if let Some(conversation) = entry.loaded() {
            return Ok(conversation.state(|state| compose(state, meta, children)));
        }
        let state = self.resting_state(entry).await?;
        Ok(compose(&state, meta, children))
    }

    /// The state of a conversation that is not in memory.
    async fn resting_state(&self, entry: &Arc<Entry>) -> Result<ConversationState, RefusedRequest> {
        let Some(directory) = meta::directory(&self.host, entry.id()) else {
            return Err(RefusedRequest::Unknown(entry.id()));
        };
        let text = tokio::fs::read(directory.join("base_state.json")).await;
        let text = text.map_err(RefusedRequest::Files)?;
        // Secrets are not shown, so they need not be opened.
        let mut state: ConversationState = Reading::lenient()
            .from_slice(&text)
            .map_err(|error| RefusedRequest::Files(error.into()))?;
        // The catalog knows better what one was doing whose server was killed.
        state.execution_status = entry.status();
        Ok(state)
    }

    /// The conversations whose parent this one is, oldest first.
    pub(super) fn children_of(&self, parent: ConversationId) -> Vec<ConversationId> {
        let catalog = self.catalog.read();
        let mut children: Vec<_> = catalog
            .values()
            .filter_map(|entry| {
                entry.look(|meta| {
                    (meta.parent_conversation_id == Some(parent))
                        .then(|| (meta.created_at.clone(), entry.id()))
                })
            })
            .collect();
        children.sort_by(|a, b| a.0.cmp(&b.0));
        children.into_iter().map(|(_, id)| id).collect()
    }
}

/// Leaves the skills out: they are long, and lists need them least.
pub(crate) fn without_skills(mut info: ConversationInfo) -> ConversationInfo {
    if let AgentSpec::Agent(agent) = &mut info.agent
        && let Some(context) = &mut agent.agent_context
    {
        context.skills.clear();
    }
    info
}

fn compose(
    state: &ConversationState,
    meta: StoredConversation,
    sub_conversation_ids: Vec<ConversationId>,
) -> ConversationInfo {
    let state = state.clone();
    ConversationInfo {
        id: state.id,
        workspace: state.workspace,
        persistence_dir: state.persistence_dir,
        max_iterations: state.max_iterations,
        stuck_detection: state.stuck_detection,
        execution_status: state.execution_status,
        confirmation_policy: state.confirmation_policy,
        security_analyzer: state.security_analyzer,
        activated_knowledge_skills: state.activated_knowledge_skills,
        invoked_skills: state.invoked_skills,
        blocked_actions: state.blocked_actions,
        blocked_messages: state.blocked_messages,
        last_user_message_id: state.last_user_message_id,
        leaf_event_id: state.leaf_event_id,
        stats: state.stats,
        secret_registry: state.secret_registry,
        agent_state: state.agent_state,
        hook_config: state.hook_config,
        title: meta.title,
        metrics: meta.metrics,
        created_at: meta.created_at,
        updated_at: meta.updated_at,
        forked_from_conversation_id: meta.forked_from_conversation_id,
        forked_from_event_id: meta.forked_from_event_id,
        parent_conversation_id: meta.parent_conversation_id,
        sub_conversation_ids,
        tags: state.tags,
        current_model_id: None,
        available_models: Vec::new(),
        supports_runtime_model_switch: false,
        launched_agent_profile: meta.launched_agent_profile,
        agent: state.agent,
        client_tools: meta.client_tools,
        tool_module_qualnames: meta.tool_module_qualnames,
        runtime_info: None,
        extra: Extra::default(),
    }
}
