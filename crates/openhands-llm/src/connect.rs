//! A model from its settings, ready to be asked.

use std::sync::Arc;

use openhands_protocol::llm::Llm;

use crate::catalog::Catalog;
use crate::error::{LlmError, LlmErrorKind};
use crate::features::ModelFeatures;
use crate::genai::{GenaiModel, Http};
use crate::model::ChatModel;
use crate::prompt_tools::PromptToolsModel;
use crate::record::{CompletionSink, LogFolder};
use crate::renew::{CredentialSource, RenewingModel};
use crate::retry::{RetryModel, RetryPolicy};

/// With less than this an agent's instructions and tools alone fill the window.
const MIN_CONTEXT_WINDOW: u64 = 16_384;

/// The model of these settings, with all else as it is by default: see [`Connector`].
pub fn connect(llm: &Llm, http: &Http) -> Result<Arc<dyn ChatModel>, LlmError> {
    Connector::new(http.clone()).connect(llm)
}

/// Makes models from their settings.
#[derive(Clone)]
pub struct Connector {
    http: Http,
    catalog: Catalog,
    allows_short_windows: bool,
    log: Option<Arc<dyn CompletionSink>>,
    credentials: Option<Arc<dyn CredentialSource>>,
}

impl std::fmt::Debug for Connector {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Connector").finish_non_exhaustive()
    }
}

impl Connector {
    /// Models that share this client's connections.
    pub fn new(http: Http) -> Self {
        Self {
            http,
            catalog: Catalog::default(),
            allows_short_windows: false,
            log: None,
            credentials: None,
        }
    }

    /// Knows about models from this catalogue.
    #[must_use]
    pub fn with_catalog(mut self, catalog: Catalog) -> Self {
        self.catalog = catalog;
        self
    }

    /// Takes models too whose window is known to be too short for an agent.
    #[must_use]
    pub fn allowing_short_windows(mut self, allows: bool) -> Self {
        self.allows_short_windows = allows;
        self
    }

    /// Sends logs of calls here, and not to the folder in the model's settings. Only models with `log_completions`
    /// are logged.
    #[must_use]
    pub fn with_log(mut self, sink: Arc<dyn CompletionSink>) -> Self {
        self.log = Some(sink);
        self
    }

    /// Asks here for another key when a provider refuses the one it was given.
    #[must_use]
    pub fn with_credentials(mut self, source: Arc<dyn CredentialSource>) -> Self {
        self.credentials = Some(source);
        self
    }

    /// The model of these settings, with retries, and with calls written as text if it has no native ones.
    /// Nothing is sent yet. An error is one of the settings.
    pub fn connect(&self, llm: &Llm) -> Result<Arc<dyn ChatModel>, LlmError> {
        let features = ModelFeatures::with_catalog(llm, &self.catalog);
        self.check_window(llm, &features)?;
        let model: Arc<dyn ChatModel> = match &self.credentials {
            Some(source) => Arc::new(RenewingModel::new(
                llm.clone(),
                features,
                self.clone(),
                Arc::clone(source),
            )?),
            None => Arc::new(self.once(llm)?),
        };
        let model = Arc::new(RetryModel::new(model, RetryPolicy::of(llm)));
        if llm.native_tool_calling {
            Ok(model)
        } else {
            Ok(Arc::new(PromptToolsModel::new(model, llm)))
        }
    }

    /// The model of these settings, asked once per call.
    pub(crate) fn once(&self, llm: &Llm) -> Result<GenaiModel, LlmError> {
        let model = GenaiModel::with_catalog(llm, self.http.clone(), &self.catalog)?;
        if !llm.log_completions {
            return Ok(model);
        }
        let sink = match &self.log {
            Some(sink) => Arc::clone(sink),
            None => Arc::new(LogFolder::new(&llm.log_completions_folder)),
        };
        Ok(model.with_log(llm, sink))
    }

    fn check_window(&self, llm: &Llm, features: &ModelFeatures) -> Result<(), LlmError> {
        match features.context_window {
            Some(window) if window < MIN_CONTEXT_WINDOW && !self.allows_short_windows => {
                Err(LlmError::new(
                    LlmErrorKind::ContextWindowTooSmall,
                    format!(
                        "Only {window} tokens fit into a request to `{}`; an agent needs {MIN_CONTEXT_WINDOW}. \
                         Give a local model a longer window, or set ALLOW_SHORT_CONTEXT_WINDOWS=true to use it nevertheless.",
                        llm.model
                    ),
                ))
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
#[path = "connect_tests.rs"]
mod tests;
