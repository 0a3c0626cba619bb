//! Reading what came of a conversation, and asking beside it.

use openhands_llm::ChatRequest;
use openhands_protocol::Event;
use openhands_protocol::event::Source;
use openhands_protocol::llm::Llm;
use openhands_protocol::message::{Content, Message, Role};
use openhands_protocol::tool::Action;
use tokio_util::sync::CancellationToken;

use crate::conversation::run::failure_event;
use crate::conversation::{Conversation, ConversationError};
use crate::title::generate_title;

/// Under which name questions beside the conversation are booked.
const ASK_USAGE_ID: &str = "ask-agent-llm";

/// How a question is put that is not part of the conversation.
const ASIDE: &str = "A question beside the task, which your answer does not change. Answer it from what you know so far, \
in plain text, without calling tools:\n\n";

impl Conversation {
    /// The agent's last word on the active branch: the message of its last `finish`, or its last message. Empty if it
    /// has said nothing.
    pub async fn final_response(&self) -> Result<String, ConversationError> {
        let log = &self.inner.log;
        let Some(leaf) = log.head().leaf().cloned() else {
            return Ok(String::new());
        };
        for index in log.branch(&leaf, None)?.into_iter().rev() {
            // Other kinds need not be read.
            if !matches!(
                log.kind_at(index).as_deref(),
                Some("ActionEvent" | "MessageEvent")
            ) {
                continue;
            }
            for stored in log.range(index..index + 1).await? {
                match stored.event() {
                    Event::Action(action) => {
                        if let Some(Action::Finish(finish)) = &action.action {
                            return Ok(finish.message.clone());
                        }
                    }
                    Event::Message(message) if message.header.source == Source::Agent => {
                        return Ok(Content::join_text(&message.llm_message.content));
                    }
                    _ => {}
                }
            }
        }
        Ok(String::new())
    }

    /// Asks the model about the conversation. Nothing of it is stored but what it cost.
    pub async fn ask_agent(&self, question: &str) -> Result<String, ConversationError> {
        let equipment = self.inner.equipment().await?;
        self.inner.introduce(&equipment).await?;
        let mut messages = self.inner.writer().await.branch().await?.view.messages();
        messages.push(Message::text(Role::User, format!("{ASIDE}{question}")).into());
        let mut request = ChatRequest {
            messages,
            tools: equipment.tools.specs(),
            ..ChatRequest::default()
        };
        request.options.stream = Some(false);
        let answer = equipment
            .model
            .complete(request, CancellationToken::new())
            .await?;
        let mut llm = equipment.llm.clone();
        ASK_USAGE_ID.clone_into(&mut llm.usage_id);
        self.inner.count(&llm, equipment.context_window, &answer);
        let text = Content::join_text(&answer.message.content);
        Ok(self.inner.secrets.known_masker().mask(&text).into_owned())
    }

    /// A title for what begins with a message: from the model of the agent, or from another one. What it used is
    /// counted. If the model fails the log says so, and the title is the start of the message.
    pub async fn make_title(
        &self,
        message: &str,
        prompt: Option<&str>,
        other: Option<Llm>,
    ) -> Result<String, ConversationError> {
        let llm = match other {
            Some(llm) => llm,
            None => self.inner.agent()?.llm,
        };
        let model = self.inner.model(&llm)?;
        let cancel = self.inner.stop.child_token();
        let title = generate_title(message, prompt, &*model, cancel).await;
        if let Some(answer) = &title.completion {
            self.inner.book(&llm, answer).await?;
        }
        if let Some(error) = title.error {
            let event = failure_event(&error.into());
            self.command(|this| async move {
                this.inner.writer().await.emit(event).await?;
                Ok(())
            })
            .await?;
        }
        let masker = self.inner.secrets.known_masker();
        Ok(masker.mask(&title.text).into_owned())
    }
}
