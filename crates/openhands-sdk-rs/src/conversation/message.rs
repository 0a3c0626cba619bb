//! A user says something.

use openhands_protocol::EventId;
use openhands_protocol::event::{MessageEvent, Source};
use openhands_protocol::message::{Message, Role};

use crate::conversation::transition::Cause;
use crate::conversation::{Conversation, ConversationError};

impl Conversation {
    /// Says something to the agent. It is stored when this returns; the agent acts on it in the run that is under way,
    /// or in the next one.
    pub async fn send_message(&self, message: Message) -> Result<EventId, ConversationError> {
        self.send_message_as(message, None).await
    }

    /// The same, with the name of who speaks.
    pub async fn send_message_as(
        &self,
        message: Message,
        sender: Option<String>,
    ) -> Result<EventId, ConversationError> {
        if message.role != Role::User {
            return Err(ConversationError::NotAUserMessage);
        }
        self.command(|this| async move { this.take_message(message, sender, false).await })
            .await
    }

    /// The goal loop speaks, in the user's place.
    pub(crate) async fn send_for_goal(
        &self,
        message: Message,
    ) -> Result<EventId, ConversationError> {
        self.command(|this| async move { this.take_message(message, None, true).await })
            .await
    }

    /// Says something to the agent and lets it act. If a run is under way, it takes the message up.
    pub async fn send_and_run(&self, message: Message) -> Result<EventId, ConversationError> {
        let id = self.send_message(message).await?;
        self.ensure_running().await?;
        Ok(id)
    }

    async fn take_message(
        &self,
        message: Message,
        sender: Option<String>,
        is_for_goal: bool,
    ) -> Result<EventId, ConversationError> {
        // Made outside of the writer: it may have to wait for servers to start.
        let equipment = self.inner.equipment().await?;
        self.inner.introduce(&equipment).await?;
        // Made after the introduction: clients sort by time.
        let mut event = MessageEvent::new(Source::User, message);
        event.sender = sender;
        let id = event.header.id.clone();
        let hooked = self.inner.ask_prompt_hooks(&equipment, &event).await?;
        hooked.add_context_to(&mut event);
        let mut writer = self.inner.writer().await;
        writer.turn(Cause::UserMessage).await?;
        writer.activate_skills(&equipment, &mut event).await?;
        let before = writer.emit_hooks(&hooked).await?;
        if let Some(reason) = hooked.blocked {
            let blocked = {
                let mut state = self.inner.state.write();
                state.blocked_messages.insert(id.clone(), reason);
                state.blocked_messages.clone()
            };
            writer.tell("blocked_messages", &blocked).await?;
        }
        writer.emit_beside(before, event).await?;
        writer.own.user_messages += 1;
        if !is_for_goal {
            self.user_spoke();
        }
        self.inner.state.write().last_user_message_id = Some(id.clone());
        writer.tell_and_save("last_user_message_id", &id).await?;
        Ok(id)
    }
}
