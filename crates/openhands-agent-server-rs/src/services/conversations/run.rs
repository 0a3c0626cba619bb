//! Letting conversations run: at most so many at once, each with a permit until it rests.

use openhands_protocol::EventId;
use openhands_protocol::message::Message;
use openhands_sdk_rs::{ConversationError, Decision};
use tokio::sync::OwnedSemaphorePermit;

use crate::services::conversations::{Conversations, Held, RefusedRequest};

/// What became of a message.
#[derive(Debug)]
pub(crate) struct MessageSent {
    /// The event that holds it.
    #[allow(dead_code, reason = "told to callers that want to find it again")]
    pub(crate) id: EventId,
}

impl Conversations {
    /// Lets a conversation run, in the background.
    pub(crate) async fn run(&self, held: &Held) -> Result<(), RefusedRequest> {
        let conversation = held.conversation().clone();
        self.with_permit(held, async move { conversation.run().await })
            .await
    }

    /// Says something to an agent, and lets it act if that is wanted. What was said is stored in any case.
    pub(crate) async fn say(
        &self,
        held: &Held,
        message: Message,
        run: bool,
    ) -> Result<MessageSent, RefusedRequest> {
        let conversation = held.conversation();
        if !run {
            let id = conversation.send_message(message).await?;
            return Ok(MessageSent { id });
        }
        let mut message = Some(message);
        let mut id = None;
        let begun = self.with_permit(held, async {
            if let Some(message) = message.take() {
                id = Some(conversation.send_and_run(message).await?);
            }
            Ok(())
        });
        let begun = begun.await;
        // Without a permit nothing of it was done.
        if let Some(message) = message {
            conversation.send_message(message).await?;
        }
        match (begun, id) {
            (Ok(()), Some(id)) => Ok(MessageSent { id }),
            (Err(RefusedRequest::Full) | Ok(()), _) => {
                Err(RefusedRequest::SavedButFull(held.entry().id()))
            }
            (Err(error), _) => Err(error),
        }
    }

    /// Lets a new conversation run, with the permit under which it was started.
    pub(super) async fn run_first(
        &self,
        held: &Held,
        permit: OwnedSemaphorePermit,
    ) -> Result<(), RefusedRequest> {
        let conversation = held.conversation().clone();
        self.begin(held, Some(permit), async move {
            conversation.ensure_running().await
        })
        .await
    }

    /// Decides on the actions that wait.
    pub(crate) async fn respond(
        &self,
        held: &Held,
        decision: Decision,
    ) -> Result<(), RefusedRequest> {
        let conversation = held.conversation().clone();
        match decision {
            Decision::Accept => {
                self.with_permit(
                    held,
                    async move { conversation.respond(Decision::Accept).await },
                )
                .await
            }
            Decision::Reject(_) => Ok(conversation.respond(decision).await?),
        }
    }

    /// Lets a conversation work towards a goal.
    pub(crate) async fn pursue(
        &self,
        held: &Held,
        objective: String,
        max_iterations: i64,
    ) -> Result<(), RefusedRequest> {
        let conversation = held.conversation().clone();
        self.with_permit(held, async move {
            conversation.start_goal(&objective, max_iterations).await
        })
        .await
    }

    /// Goes on with a goal that was interrupted.
    pub(crate) async fn resume_goal(&self, held: &Held) -> Result<(), RefusedRequest> {
        let conversation = held.conversation().clone();
        self.with_permit(held, async move { conversation.resume_goal().await })
            .await
    }

    /// Begins something that runs. It needs a permit, unless the conversation has one already; the permit is given back
    /// when the conversation rests.
    async fn with_permit(
        &self,
        held: &Held,
        begin: impl Future<Output = Result<(), ConversationError>>,
    ) -> Result<(), RefusedRequest> {
        self.begin(held, None, begin).await
    }

    async fn begin(
        &self,
        held: &Held,
        given: Option<OwnedSemaphorePermit>,
        begin: impl Future<Output = Result<(), ConversationError>>,
    ) -> Result<(), RefusedRequest> {
        let entry = held.entry();
        let _turn = entry.turn.lock().await;
        let is_new = entry.permit.lock().is_none();
        if is_new {
            let permit = match given {
                Some(permit) => permit,
                None => self.take_permit()?,
            };
            *entry.permit.lock() = Some(permit);
        }
        let begun = begin.await;
        if is_new {
            if held.conversation().is_active() {
                self.give_back_at_rest(held.clone());
            } else {
                entry.permit.lock().take();
            }
        }
        Ok(begun?)
    }

    fn give_back_at_rest(&self, held: Held) {
        self.tasks.spawn(async move {
            loop {
                held.conversation().wait_for_rest().await;
                let entry = held.entry();
                let _turn = entry.turn.lock().await;
                // Another run may have begun with this permit meanwhile.
                if !held.conversation().is_active() {
                    entry.permit.lock().take();
                    return;
                }
            }
        });
    }
}
