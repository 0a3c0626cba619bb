//! A configured model, asked once per call.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use openhands_protocol::llm::Llm;
use serde_json::json;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tracing::Instrument;

use crate::catalog::Catalog;
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
use crate::genai::watch::{self, Watch};
use crate::images::Images;
use crate::model::{ChatModel, ChatRequest, PartStream};
use crate::record::{CompletionSink, Recorder};
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
    /// Whether images may be fetched from addresses that only this machine or its network can reach.
    pub(crate) fetches_privately: bool,
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
        Ok(Self {
            web,
            client,
            fetches_privately: false,
        })
    }

    /// Lets images be fetched from addresses that only this machine or its network can reach. A model can be
    /// made to name such an address, so this is for tests and closed networks.
    #[must_use]
    pub fn with_private_images(mut self) -> Self {
        self.fetches_privately = true;
        self
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
    images: Images,
    recorder: Option<Arc<Recorder>>,
}

impl GenaiModel {
    /// The model of these settings. Nothing is sent yet.
    pub fn new(llm: &Llm, http: Http) -> Result<Self, LlmError> {
        Self::with_catalog(llm, http, &Catalog::default())
    }

    /// The model of these settings, with a catalogue of one's own.
    pub fn with_catalog(llm: &Llm, http: Http, catalog: &Catalog) -> Result<Self, LlmError> {
        let features = ModelFeatures::with_catalog(llm, catalog);
        let target = Target::of(llm, &features)?;
        let settings = Settings::of(llm, &target, features);
        Ok(Self {
            images: Images::of(&settings, target.protocol),
            pricing: Arc::new(Pricing::of(llm, catalog)),
            renders: Renders::default(),
            recorder: None,
            http,
            settings,
            target,
        })
    }

    /// The same model; each attempt is logged.
    #[must_use]
    pub fn with_log(mut self, llm: &Llm, sink: Arc<dyn CompletionSink>) -> Self {
        let window = self.settings.features.context_window;
        self.recorder = Some(Arc::new(Recorder::new(llm, window, sink)));
        self
    }

    /// The body of a request as JSON, where it is written here: `None` for protocols that the library translates.
    pub fn body(&self, request: &ChatRequest) -> Option<Vec<u8>> {
        self.write(request).map(Body::into_bytes)
    }

    /// Whether the reply comes in pieces. A subscription knows no other way.
    fn streams(&self, request: &ChatRequest) -> bool {
        let settings = &self.settings;
        settings.is_subscription || request.options.stream.unwrap_or(settings.stream)
    }

    fn write(&self, request: &ChatRequest) -> Option<Body> {
        let (settings, renders) = (&self.settings, &self.renders);
        let mut body = match self.target.protocol {
            Protocol::Chat => chat_body(request, settings, renders),
            Protocol::Responses => responses_body(request, settings, renders),
            Protocol::Messages => messages_body(request, settings, renders),
            Protocol::Library => return None,
        };
        let stream = self.streams(request);
        body.set("stream", stream);
        if stream && self.target.protocol == Protocol::Chat {
            body.set("stream_options", json!({"include_usage": true}));
        }
        Some(body)
    }

    async fn ask(&self, request: ChatRequest, watch: &mut Watch) -> Result<Answer, LlmError> {
        let request = self.images.prepare(request, &self.http).await;
        if let Some(recorder) = &self.recorder {
            let body = self.write(&request).unwrap_or_else(|| {
                // The library shows no body; this is what one would be.
                chat_body(&request, &self.settings, &self.renders)
            });
            watch.log_to(Arc::clone(recorder), body.into_bytes());
        }
        let stream = self.streams(&request);
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
            whole: self.settings.timeout,
            idle: self.settings.idle_timeout,
            begun: Instant::now(),
            cancel,
        };
        let span = watch::span(&request, &self.settings);
        let mut watch = Watch::new(span.clone());
        let asked = async move {
            let answer = limits.first(self.ask(request, &mut watch)).await.flatten();
            match answer {
                Ok(answer) => Ok(answer.into_parts(limits, Arc::clone(&self.pricing), watch)),
                Err(error) => {
                    watch.failed(&error).await;
                    Err(error)
                }
            }
        };
        Box::pin(asked.instrument(span))
    }

    fn features(&self) -> &ModelFeatures {
        &self.settings.features
    }
}
