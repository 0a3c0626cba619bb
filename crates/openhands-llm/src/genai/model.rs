//! A configured model, asked once per call.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use openhands_protocol::llm::Llm;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::error::{LlmError, LlmErrorKind};
use crate::features::ModelFeatures;
use crate::genai::attempt::{self, Answer, Limits};
use crate::genai::body::{Body, Renders};
use crate::genai::chat_body::chat_body;
use crate::genai::direct;
use crate::genai::library_request::{library_options, library_request};
use crate::genai::messages_body::messages_body;
use crate::genai::reply::Reply;
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
    web: reqwest::Client,
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
            .with_reqwest(web.clone())
            .build()
            .map_err(|error| unusable(error.to_string()))?;
        Ok(Self { web, client })
    }
}

/// A configured model. Each call is one attempt: see [`RetryModel`](crate::RetryModel) for more.
#[derive(Debug)]
pub struct GenaiModel {
    http: Http,
    target: Target,
    settings: Settings,
    pricing: Arc<Pricing>,
    renders: Renders,
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
            renders: Renders::default(),
            target,
        })
    }

    /// The body of a request as JSON, where it is written here: `None` for protocols that the library translates.
    pub fn body(&self, request: &ChatRequest) -> Option<Vec<u8>> {
        self.write(request).map(Body::into_bytes)
    }

    fn write(&self, request: &ChatRequest) -> Option<Body> {
        let (settings, renders) = (&self.settings, &self.renders);
        let mut body = match self.target.protocol {
            Protocol::Chat => chat_body(request, settings, renders),
            Protocol::Responses => responses_body(request, settings, renders),
            Protocol::Messages => messages_body(request, settings, renders),
            Protocol::Library => return None,
        };
        let stream = request.options.stream.unwrap_or(settings.stream);
        body.set("stream", stream);
        if stream && self.target.protocol == Protocol::Chat {
            body.set("stream_options", json!({"include_usage": true}));
        }
        Some(body)
    }

    async fn ask(&self, request: ChatRequest) -> Result<Answer, LlmError> {
        let stream = request.options.stream.unwrap_or(self.settings.stream);
        let reply = Reply::of(self.target.protocol);
        if let (Some(reply), Some(route), Some(body)) =
            (reply, self.target.route(), self.body(&request))
        {
            let session = request
                .options
                .session
                .as_deref()
                .map(|session| (SESSION_HEADER, session));
            let direct = direct::send(&self.http.web, route, session, body, reply).await?;
            return Answer::direct(direct, stream).await;
        }
        let Some(service) = self.target.service() else {
            return Err(LlmError::new(
                LlmErrorKind::Configuration,
                "The model cannot be reached.",
            ));
        };
        let question = library_request(&request, &self.settings);
        let options = library_options(&request, &self.settings);
        drop(request);
        if stream {
            attempt::streamed(&self.http.client, service, question, options).await
        } else {
            attempt::whole(&self.http.client, service, question, options).await
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
