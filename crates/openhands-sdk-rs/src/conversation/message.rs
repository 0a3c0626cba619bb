//! A user says something.

use openhands_protocol::event::{MessageEvent, Source};
use openhands_protocol::message::{Message, Role};
use openhands_protocol::{Event, EventId};
use tokio_util::sync::CancellationToken;

use crate::conversation::transition::Cause;
use crate::conversation::{Conversation, ConversationError, Equipment, update};
use crate::event_log::Showing;

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
        self.speak(message, sender, false).await
    }

    /// The goal loop speaks, in the user's place.
    pub(crate) async fn send_for_goal(
        &self,
        message: Message,
    ) -> Result<EventId, ConversationError> {
        self.speak(message, None, true).await
    }

    /// Says something to the agent and lets it act. If a run is under way, it takes the message up.
    pub async fn send_and_run(&self, message: Message) -> Result<EventId, ConversationError> {
        if message.role != Role::User {
            return Err(ConversationError::NotAUserMessage);
        }
        let (id, is_begun, shown) = self
            .command(|this| async move {
                let equipment = this.inner.equipment().await?;
                let shown = this.inner.log.show_later();
                let taken = this.take_message(&equipment, message, None, false, true);
                let (id, begun) = taken.await?;
                let is_begun = begun.is_some();
                if let Some(cancel) = begun {
                    this.drive_on(equipment, cancel);
                    // The message is stored. The model is asked first, before anybody is told.
                    tokio::task::yield_now().await;
                }
                Ok((id, is_begun, shown))
            })
            .await?;
        // Here, on the thread of who said it: each thread that is woken takes the processor from the one that wakes it, and one that is woken
        // twice in a row waits for it the second time.
        drop(shown);
        if !is_begun {
            self.ensure_running().await?;
        }
        Ok(id)
    }

    async fn speak(
        &self,
        message: Message,
        sender: Option<String>,
        is_for_goal: bool,
    ) -> Result<EventId, ConversationError> {
        let (id, shown) = self
            .command(move |this| async move {
                // Made outside of the writer: it may have to wait for servers to start.
                let equipment = this.inner.equipment().await?;
                let shown = this.inner.log.show_later();
                let taken = this.take_message(&equipment, message, sender, is_for_goal, false);
                let (id, _) = taken.await?;
                Ok((id, shown))
            })
            .await?;
        // As above: by who said it.
        drop(shown);
        Ok(id)
    }

    /// With `run`, the message also begins a run, if none is under way. Whoever gets a token back is to drive that run; the updates of the state
    /// that go with it are held, since the model need not wait until they are on the disk. Watchers see nothing yet: the caller shows it.
    async fn take_message(
        &self,
        equipment: &Equipment,
        message: Message,
        sender: Option<String>,
        is_for_goal: bool,
        run: bool,
    ) -> Result<(EventId, Option<CancellationToken>), ConversationError> {
        self.inner.introduce(equipment).await?;
        // Made after the introduction: clients sort by time.
        let mut event = MessageEvent::new(Source::User, message);
        event.sender = sender;
        let id = event.header.id.clone();
        let hooked = self.inner.ask_prompt_hooks(equipment, &event).await?;
        hooked.add_context_to(&mut event);
        let mut writer = self.inner.writer().await;
        // In one go: each way to the disk would be time until the model is asked.
        let mut events = Vec::new();
        events.extend(writer.turned(Cause::UserMessage)?);
        events.extend(writer.activate_skills(equipment, &mut event)?);
        if !hooked.events.is_empty() {
            event.header.parent_id = writer.head();
        }
        events.extend(hooked.events.iter().cloned().map(Event::from));
        let is_blocked = hooked.blocked.is_some();
        if let Some(reason) = hooked.blocked {
            let blocked = {
                let mut state = self.inner.state.write();
                state.blocked_messages.insert(id.clone(), reason);
                state.blocked_messages.clone()
            };
            events.push(update("blocked_messages", &blocked)?);
        }
        events.push(event.into());
        let mut updates = vec![update("last_user_message_id", &id)?];
        let begun = run.then(|| self.claim_run()).flatten();
        let mut is_begun = false;
        if begun.is_some() {
            // Running already, or not to be run from here: then it is said by itself why.
            let running = writer.turned(Cause::Run).unwrap_or_default();
            is_begun = running.is_some();
            updates.extend(running);
        }
        // Who is not let speak must not be heard after a kill either.
        if !is_begun || is_blocked {
            events.append(&mut updates);
        }
        let stored = writer.store_all(events, Showing::Later).await;
        if begun.is_some() && (stored.is_err() || !is_begun) {
            self.unclaim_run();
        }
        stored?;
        if !updates.is_empty() {
            writer.hold_shortly(updates);
        }
        writer.own.user_messages += 1;
        if !is_for_goal {
            self.user_spoke();
        }
        self.inner.state.write().last_user_message_id = Some(id.clone());
        writer.save_later();
        Ok((id, begun.filter(|_| is_begun)))
    }
}
