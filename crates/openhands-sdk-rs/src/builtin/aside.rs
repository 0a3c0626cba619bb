//! A question to a saved model, beside the conversation. It is booked with the conversation.

use openhands_llm::{ChatRequest, LlmError, LlmErrorKind, ModelFeatures};
use openhands_protocol::llm::Llm;
use openhands_protocol::message::{Content, Message};
use openhands_tools::ToolError;
use tokio_util::sync::CancellationToken;

use crate::conversation::{Conversation, ProfileError};

/// A saved model, under the name by which its use is booked.
pub(super) async fn saved_model(
    conversation: &Conversation,
    name: &str,
    usage_id: String,
) -> Result<Llm, ProfileError> {
    let Some(profiles) = &conversation.inner.host.profiles else {
        return Err(ProfileError::NotFound(name.to_owned()));
    };
    let llm = profiles.load(name).await?;
    Ok(Llm { usage_id, ..llm })
}

/// Asks a model and books what it used. The text of its answer, or what went wrong.
pub(super) async fn ask(
    conversation: &Conversation,
    llm: &Llm,
    messages: Vec<Message>,
    cancel: &CancellationToken,
) -> Result<Result<String, LlmError>, ToolError> {
    let asked = async {
        let model = conversation.inner.model(llm)?;
        let mut request = ChatRequest::new(messages);
        request.options.stream = Some(false);
        request.options.session = Some(conversation.id().to_string());
        model.complete(request, cancel.clone()).await
    };
    match asked.await {
        Ok(answer) => {
            let window = ModelFeatures::of(llm).context_window;
            conversation.inner.count(llm, window, &answer);
            Ok(Ok(Content::join_text(&answer.message.content)))
        }
        Err(error) if error.kind == LlmErrorKind::Cancelled => Err(ToolError::Cancelled),
        Err(error) => Ok(Err(error)),
    }
}

/// A failure of a model, as tools tell of it.
pub(super) fn told(error: &LlmError) -> String {
    format!("{}: {}", error.kind.code(), error.message)
}
