//! Children: conversations that take over a part of another one's work.

use std::sync::{Arc, Weak};

use openhands_protocol::agent::AgentSpec;
use openhands_protocol::conversation::{
    Isolation, StartChildConversationRequest, StartChildConversationResponse,
};
use openhands_protocol::message::Message;
use openhands_protocol::{ConversationId, UtcTime};
use openhands_sdk_rs::conversation::{ChildRequest, Children};

use crate::services::conversations::{Conversations, RefusedRequest};
use crate::services::launch::append_suffix;

impl Conversations {
    /// Starts a conversation with the same agent and settings as its parent, on a task of its own.
    pub(crate) async fn start_child(
        &self,
        parent: ConversationId,
        request: StartChildConversationRequest,
    ) -> Result<StartChildConversationResponse, RefusedRequest> {
        let held = self.open(parent).await?;
        let permit = self.take_permit()?;
        let spec = held.conversation().state(|state| state.agent.clone());
        let AgentSpec::Agent(mut agent) = spec else {
            return Err(RefusedRequest::Invalid(
                "only an agent of this server can have children".to_owned(),
            ));
        };
        let id = ConversationId::random();
        let mut stored = held.entry().meta();
        let now = UtcTime::now();
        stored.id = id.into();
        stored.worktree = request.isolation != Isolation::Shared;
        stored.title = request.title;
        stored.metrics = None;
        stored.created_at = now.clone();
        stored.updated_at = now;
        stored.parent_conversation_id = Some(parent);
        stored.forked_from_conversation_id = None;
        stored.forked_from_event_id = None;
        let plan = if request.isolation == Isolation::Shared {
            None
        } else {
            // How the parent's own was made says nothing about this one.
            let options = stored.worktree_options.take();
            let plan = self.plan(&stored, &held.entry().working_dir()).await;
            stored.worktree_options = options;
            plan
        };
        let _unfinished = self.unfinished(id);
        if let Some(plan) = &plan {
            self.make_worktree(&mut stored, plan).await?;
            append_suffix(&mut agent, &plan.guidance());
        }
        let workspace = stored.workspace.working_dir.clone();
        let task = Message::user(request.task);
        // Boxed: a start holds a whole conversation.
        let started = Box::pin(self.launch(stored, agent, Some(task), permit)).await?;
        Ok(StartChildConversationResponse {
            conversation_id: id,
            parent_conversation_id: parent,
            status: started.info.execution_status.to_string(),
            title: started.info.title,
            url: None,
            workspace: Some(workspace),
            isolation: Some(match plan {
                Some(_) => Isolation::Worktree,
                None => Isolation::Shared,
            }),
            extra: openhands_protocol::Extra::default(),
        })
    }
}

/// How an agent starts a child by a tool.
pub(super) fn starter(conversations: Weak<Conversations>) -> Children {
    Arc::new(move |request: ChildRequest| {
        let conversations = conversations.clone();
        Box::pin(async move {
            let Some(conversations) = conversations.upgrade() else {
                return Err("The server is ending.".to_owned());
            };
            // Boxed: a start may hold a whole conversation.
            let started = Box::pin(conversations.start_child(request.parent, request.request));
            started.await.map_err(|error| error.to_string())
        })
    })
}
