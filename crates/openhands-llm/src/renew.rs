//! Gets another key when a provider refuses the one it was given.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use openhands_protocol::Secret;
use openhands_protocol::llm::{Llm, LlmAuthType};
use parking_lot::Mutex;
use tokio_util::sync::CancellationToken;

use crate::connect::Connector;
use crate::error::{LlmError, LlmErrorKind};
use crate::features::ModelFeatures;
use crate::genai::GenaiModel;
use crate::model::{ChatModel, ChatRequest, PartStream};

/// What a model is reached with.
#[derive(Debug, Clone)]
pub struct Credentials {
    /// The key, or the token of a sign-in.
    pub api_key: Secret,
    /// Headers that belong to it, such as an account.
    pub headers: Vec<(String, String)>,
}

/// Gives keys that are good now.
///
/// An implementer refreshes a sign-in, or reads a key anew from where it is kept. It is asked once per call, after a
/// refusal, and must bound its own time.
pub trait CredentialSource: Send + Sync {
    /// Another key, or `None` if there is no other.
    fn renew(&self) -> BoxFuture<'_, Result<Option<Credentials>, LlmError>>;
}

/// A model whose key is replaced when it is refused.
pub(crate) struct RenewingModel {
    llm: Llm,
    features: ModelFeatures,
    connector: Connector,
    source: Arc<dyn CredentialSource>,
    /// None as long as there is no key at all.
    current: Mutex<Option<Arc<GenaiModel>>>,
}

impl RenewingModel {
    pub(crate) fn new(
        llm: Llm,
        features: ModelFeatures,
        connector: Connector,
        source: Arc<dyn CredentialSource>,
    ) -> Result<Self, LlmError> {
        let current = match connector.once(&llm) {
            Ok(model) => Some(Arc::new(model)),
            // Nobody has signed in yet, or the key comes with the first call.
            Err(error) if error.kind == LlmErrorKind::Authentication => None,
            Err(error) => return Err(error),
        };
        Ok(Self {
            llm,
            features,
            connector,
            source,
            current: Mutex::new(current),
        })
    }

    async fn ask(
        &self,
        request: ChatRequest,
        cancel: CancellationToken,
    ) -> Result<PartStream, LlmError> {
        let current = self.current.lock().clone();
        let refused = match current {
            Some(model) => match model.stream(request.clone(), cancel.clone()).await {
                Err(error) if error.kind == LlmErrorKind::Authentication => error,
                other => return other,
            },
            None => LlmError::new(LlmErrorKind::Authentication, self.missing()),
        };
        let renewed = tokio::select! {
            () = cancel.cancelled() => return Err(LlmError::cancelled()),
            renewed = self.source.renew() => renewed?,
        };
        let Some(credentials) = renewed else {
            return Err(refused);
        };
        let model = Arc::new(self.connector.once(&self.with(credentials))?);
        *self.current.lock() = Some(Arc::clone(&model));
        model.stream(request, cancel).await
    }

    fn missing(&self) -> String {
        if self.llm.auth_type == LlmAuthType::Subscription {
            "OpenAI subscription login is required".to_owned()
        } else {
            format!("The model `{}` needs an API key.", self.llm.model)
        }
    }

    fn with(&self, credentials: Credentials) -> Llm {
        let mut llm = self.llm.clone();
        llm.api_key = Some(credentials.api_key);
        if !credentials.headers.is_empty() {
            let headers = llm.extra_headers.get_or_insert_default();
            headers.extend(credentials.headers);
        }
        llm
    }
}

impl ChatModel for RenewingModel {
    fn stream(
        &self,
        request: ChatRequest,
        cancel: CancellationToken,
    ) -> BoxFuture<'_, Result<PartStream, LlmError>> {
        Box::pin(self.ask(request, cancel))
    }

    fn features(&self) -> &ModelFeatures {
        &self.features
    }
}
