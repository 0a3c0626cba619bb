//! A model from its settings, ready to be asked.

use std::sync::Arc;

use openhands_protocol::llm::Llm;

use crate::error::LlmError;
use crate::genai::{GenaiModel, Http};
use crate::model::ChatModel;
use crate::prompt_tools::PromptToolsModel;
use crate::retry::{RetryModel, RetryPolicy};

/// The model of these settings, with retries, and with calls written as text if it has no native ones.
/// Nothing is sent yet. An error is one of the settings.
pub fn connect(llm: &Llm, http: &Http) -> Result<Arc<dyn ChatModel>, LlmError> {
    let model = Arc::new(GenaiModel::new(llm, http.clone())?);
    let model = Arc::new(RetryModel::new(model, RetryPolicy::of(llm)));
    if llm.native_tool_calling {
        Ok(model)
    } else {
        Ok(Arc::new(PromptToolsModel::new(model, llm)))
    }
}
