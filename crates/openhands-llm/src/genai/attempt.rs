//! One attempt at a call: the reply as it arrives, within its time limits, until it is cancelled.

use std::collections::VecDeque;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use futures_util::stream::BoxStream;
use futures_util::{StreamExt, stream};
use genai::chat::{ChatOptions, ChatRequest as LibraryRequest, ChatStreamEvent};
use genai::{Client, Error, ServiceTarget};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::error::{Cause, LlmError};
use crate::genai::direct::Direct;
use crate::genai::failure::failure;
use crate::genai::library_reply;
use crate::genai::watch::Watch;
use crate::model::{PartStream, StreamPart};
use crate::usage::Pricing;

/// How long a reply may take, and until when it is wanted.
#[derive(Debug, Clone)]
pub(super) struct Limits {
    /// For the whole attempt.
    pub(super) whole: Option<Duration>,
    /// Between two pieces of a streamed reply.
    pub(super) idle: Option<Duration>,
    pub(super) begun: Instant,
    pub(super) cancel: CancellationToken,
}

impl Limits {
    /// Waits for the beginning of the reply.
    pub(super) async fn first<T>(&self, work: impl Future<Output = T>) -> Result<T, LlmError> {
        self.within(None, work).await
    }

    /// Waits for the next piece of the reply.
    async fn next<T>(&self, work: impl Future<Output = T>) -> Result<T, LlmError> {
        self.within(self.idle, work).await
    }

    /// Waits no longer than a limit, than what is left of the whole attempt, and than the caller wants.
    async fn within<T>(
        &self,
        limit: Option<Duration>,
        work: impl Future<Output = T>,
    ) -> Result<T, LlmError> {
        let whole = self
            .whole
            .map(|whole| (whole.saturating_sub(self.begun.elapsed()), whole));
        let limit = limit.map(|limit| (limit, limit));
        let soonest = whole.into_iter().chain(limit).min();
        let expired = async {
            match soonest {
                Some((left, limit)) => {
                    tokio::time::sleep(left).await;
                    limit
                }
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            () = self.cancel.cancelled() => Err(LlmError::cancelled()),
            done = work => Ok(done),
            limit = expired => Err(LlmError::classify(
                Cause::Timeout,
                &format!("The model did not answer within {} s.", limit.as_secs_f64()),
            )),
        }
    }
}

type Events = BoxStream<'static, Result<ChatStreamEvent, Error>>;

/// A reply whose beginning has arrived.
pub(super) struct Answer {
    ready: VecDeque<StreamPart>,
    rest: Rest,
}

/// What is still to come of a reply.
enum Rest {
    Nothing,
    Direct(Box<Direct>),
    Library(Events),
}

/// Asks the library for a reply in one piece.
pub(super) async fn whole(
    client: &Client,
    service: ServiceTarget,
    question: LibraryRequest,
    options: ChatOptions,
) -> Result<Answer, LlmError> {
    let response = client.exec_chat(service, question, Some(&options)).await;
    let mut parts = Vec::new();
    library_reply::whole(response.map_err(|error| failure(&error))?, &mut parts);
    Ok(Answer {
        ready: parts.into(),
        rest: Rest::Nothing,
    })
}

/// Asks the library for a reply in pieces, and waits for the first.
pub(super) async fn streamed(
    client: &Client,
    service: ServiceTarget,
    question: LibraryRequest,
    options: ChatOptions,
) -> Result<Answer, LlmError> {
    let response = client
        .exec_chat_stream(service, question, Some(&options))
        .await
        .map_err(|error| failure(&error))?;
    Answer::begin(Rest::Library(response.stream.boxed())).await
}

impl Answer {
    /// A reply that is read here.
    pub(super) async fn direct(direct: Direct, stream: bool) -> Result<Self, LlmError> {
        if stream {
            return Self::begin(Rest::Direct(Box::new(direct))).await;
        }
        Ok(Self {
            ready: direct.whole().await?,
            rest: Rest::Nothing,
        })
    }

    /// Waits for the first piece.
    async fn begin(mut rest: Rest) -> Result<Self, LlmError> {
        let mut ready = VecDeque::new();
        while ready.is_empty() && !matches!(rest, Rest::Nothing) {
            ready.extend(rest.next().await?);
        }
        Ok(Self { ready, rest })
    }
}

impl Rest {
    /// The parts of the next piece. A reply that breaks off is an error.
    async fn next(&mut self) -> Result<Vec<StreamPart>, LlmError> {
        match self {
            Self::Nothing => Ok(Vec::new()),
            Self::Direct(direct) => {
                let parts = direct.next().await?;
                if direct.is_complete() {
                    *self = Self::Nothing;
                }
                Ok(parts)
            }
            Self::Library(events) => {
                let mut parts = Vec::new();
                match events.next().await {
                    Some(Ok(event)) => {
                        let is_last = matches!(event, ChatStreamEvent::End(_));
                        library_reply::event(event, &mut parts);
                        if is_last {
                            *self = Self::Nothing;
                        }
                    }
                    Some(Err(error)) => return Err(failure(&error)),
                    None => {
                        return Err(LlmError::classify(
                            Cause::Connection,
                            "The model's answer broke off.",
                        ));
                    }
                }
                Ok(parts)
            }
        }
    }
}

/// What is told of an answer, and whether its end was.
struct Telling {
    answer: Answer,
    limits: Limits,
    pricing: Arc<Pricing>,
    watch: Watch,
    is_over: bool,
}

impl Answer {
    /// The parts as they arrive, priced.
    pub(super) fn into_parts(
        self,
        limits: Limits,
        pricing: Arc<Pricing>,
        watch: Watch,
    ) -> PartStream {
        let telling = Telling {
            answer: self,
            limits,
            pricing,
            watch,
            is_over: false,
        };
        stream::unfold(telling, |mut telling| async move {
            if telling.is_over {
                return None;
            }
            let part = telling.next().await.transpose()?;
            telling.is_over = matches!(part, Err(_) | Ok(StreamPart::End(_)));
            telling.watch.saw(&part).await;
            Some((part, telling))
        })
        .boxed()
    }
}

impl Telling {
    async fn next(&mut self) -> Result<Option<StreamPart>, LlmError> {
        loop {
            if self.limits.cancel.is_cancelled() {
                return Err(LlmError::cancelled());
            }
            if let Some(part) = self.answer.ready.pop_front() {
                return Ok(Some(match part {
                    StreamPart::Usage(usage) => StreamPart::Usage(self.pricing.price(usage)),
                    other => other,
                }));
            }
            if matches!(self.answer.rest, Rest::Nothing) {
                return Ok(None);
            }
            let next = self.answer.rest.next();
            let parts = self.limits.next(next).await??;
            self.answer.ready.extend(parts);
        }
    }
}
