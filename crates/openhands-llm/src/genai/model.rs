//! A configured model, asked once per call.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use genai::chat::{ChatOptions, ChatRequest as LibraryRequest};
use openhands_protocol::llm::Llm;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::error::{LlmError, LlmErrorKind};
use crate::features::ModelFeatures;
use crate::genai::attempt::{self, Answer, Limits};
use crate::genai::chat_body::chat_body;
use crate::genai::library_request::{library_options, library_request};
use crate::genai::messages_body::messages_body;
use crate::genai::responses_body::responses_body;
use crate::genai::settings::Settings;
use crate::model::{ChatModel, ChatRequest, PartStream};
use crate::target::{Protocol, Target};
use crate::usage::Pricing;

/// How long it may take to reach a provider at all.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(30);
/// By this header a proxy groups the calls of a conversation.
const SESSION_HEADER: &str = "x-litellm-session-id";

/// The HTTP client that models share, with its connections.
#[derive(Debug, Clone)]
pub struct Http {
    client: genai::Client,
}

impl Http {
    /// A client of its own.
    pub fn new() -> Result<Self, LlmError> {
        let unusable = |why: String| LlmError::new(LlmErrorKind::Configuration, why);
        let web = reqwest::Client::builder()
            .connect_timeout(CONNECT_TIMEOUT)
            .tcp_nodelay(true)
            .build()
            .map_err(|error| unusable(error.to_string()))?;
        let client = genai::Client::builder()
            .with_reqwest(web)
            .build()
            .map_err(|error| unusable(error.to_string()))?;
        Ok(Self { client })
    }
}

/// A configured model. Each call is one attempt: see [`RetryModel`](crate::RetryModel) for more.
#[derive(Debug)]
pub struct GenaiModel {
    http: Http,
    target: Target,
    settings: Settings,
    pricing: Arc<Pricing>,
}

impl GenaiModel {
    /// The model of these settings. Nothing is sent yet.
    pub fn new(llm: &Llm, http: Http) -> Result<Self, LlmError> {
        let features = ModelFeatures::of(llm);
        let target = Target::of(llm, &features)?;
        Ok(Self {
            http,
            settings: Settings::of(llm, &target, features),
            pricing: Arc::new(Pricing::of(llm)),
            target,
        })
    }

    /// The body of a request, where it is written here: `None` for protocols that the library translates.
    pub fn body(&self, request: &ChatRequest) -> Option<Value> {
        let settings = &self.settings;
        let body = match self.target.protocol {
            Protocol::Chat => chat_body(request, settings),
            Protocol::Responses => responses_body(request, settings),
            Protocol::Messages => messages_body(request, settings),
            Protocol::Library => return None,
        };
        Some(Value::Object(body))
    }

    /// The question as it goes over the wire.
    fn question(&self, request: &ChatRequest) -> (LibraryRequest, ChatOptions) {
        let Some(body) = self.body(request) else {
            let settings = &self.settings;
            return (
                library_request(request, settings),
                library_options(request, settings),
            );
        };
        let options = ChatOptions::default()
            .with_capture_usage(true)
            .with_capture_raw_body(true)
            .with_extra_body(body);
        (LibraryRequest::default(), options)
    }

    async fn ask(&self, request: ChatRequest) -> Result<Answer, LlmError> {
        let stream = request.options.stream.unwrap_or(self.settings.stream);
        let (question, options) = self.question(&request);
        let service = match &request.options.session {
            Some(session) => self.target.service_with(SESSION_HEADER, session),
            None => self.target.service(),
        };
        drop(request);
        let protocol = self.target.protocol;
        if stream {
            attempt::streamed(&self.http.client, service, question, options, protocol).await
        } else {
            attempt::whole(&self.http.client, service, question, options, protocol).await
        }
    }
}

impl ChatModel for GenaiModel {
    fn stream(
        &self,
        request: ChatRequest,
        cancel: CancellationToken,
    ) -> BoxFuture<'_, Result<PartStream, LlmError>> {
        let limits = Limits {
            first: self.settings.timeout,
            idle: self.settings.idle_timeout,
            cancel,
        };
        Box::pin(async move {
            let answer = limits.within(limits.first, self.ask(request)).await??;
            Ok(answer.into_parts(limits, Arc::clone(&self.pricing)))
        })
    }

    fn features(&self) -> &ModelFeatures {
        &self.settings.features
    }
}
