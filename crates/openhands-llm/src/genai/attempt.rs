//! One attempt at a call: the reply as it arrives, within its time limits, until it is cancelled.

use std::collections::VecDeque;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use futures_util::stream::BoxStream;
use futures_util::{StreamExt, stream};
use genai::chat::{ChatOptions, ChatRequest as LibraryRequest, ChatStreamEvent};
use genai::{Client, Error, ServiceTarget};
use parking_lot::Mutex;
use tokio_util::sync::CancellationToken;

use crate::error::{Cause, LlmError};
use crate::genai::failure::failure;
use crate::genai::library_reply;
use crate::genai::reply::Reply;
use crate::model::{PartStream, StreamPart};
use crate::target::Protocol;
use crate::usage::Pricing;

/// How long a reply may take, and until when it is wanted.
#[derive(Debug, Clone)]
pub(super) struct Limits {
    /// For a whole reply, or for the beginning of a streamed one.
    pub(super) first: Option<Duration>,
    /// Between two pieces of a streamed one.
    pub(super) idle: Option<Duration>,
    pub(super) cancel: CancellationToken,
}

impl Limits {
    /// Waits within a limit, and not longer than the caller wants.
    pub(super) async fn within<T>(
        &self,
        limit: Option<Duration>,
        work: impl Future<Output = T>,
    ) -> Result<T, LlmError> {
        let expired = async {
            match limit {
                Some(limit) => {
                    tokio::time::sleep(limit).await;
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
type Frames = Arc<Mutex<VecDeque<String>>>;

/// A reply whose beginning has arrived.
pub(super) struct Answer {
    ready: VecDeque<StreamPart>,
    /// What is still to come; nothing for a reply in one piece.
    rest: Option<Rest>,
}

/// What is still to come of a streamed reply.
struct Rest {
    events: Events,
    frames: Frames,
    reply: Option<Reply>,
    is_complete: bool,
}

/// Asks for a reply in one piece.
pub(super) async fn whole(
    client: &Client,
    service: ServiceTarget,
    question: LibraryRequest,
    options: ChatOptions,
    protocol: Protocol,
) -> Result<Answer, LlmError> {
    let response = client.exec_chat(service, question, Some(&options)).await;
    let mut parts = Vec::new();
    match Reply::of(protocol) {
        Some(mut reply) => {
            let body = match response {
                Ok(response) => response.captured_raw_body,
                // The library could not make sense of it, for example of arguments that are not JSON.
                Err(Error::ChatResponseGeneration { response_body, .. }) => Some(*response_body),
                Err(error) => return Err(failure(&error)),
            };
            reply.whole(&body.unwrap_or_default(), &mut parts)?;
        }
        None => library_reply::whole(response.map_err(|error| failure(&error))?, &mut parts),
    }
    Ok(Answer {
        ready: parts.into(),
        rest: None,
    })
}

/// Asks for a reply in pieces, and waits for the first.
pub(super) async fn streamed(
    client: &Client,
    service: ServiceTarget,
    question: LibraryRequest,
    options: ChatOptions,
    protocol: Protocol,
) -> Result<Answer, LlmError> {
    let frames = Frames::default();
    let sink = Arc::clone(&frames);
    let options =
        options.with_raw_frame_fn(move |_, frame| sink.lock().push_back(frame.data.to_owned()));
    let response = client
        .exec_chat_stream(service, question, Some(&options))
        .await
        .map_err(|error| failure(&error))?;
    let mut rest = Rest {
        events: response.stream.boxed(),
        frames,
        reply: Reply::of(protocol),
        is_complete: false,
    };
    let mut ready = VecDeque::new();
    while ready.is_empty() && !rest.is_complete {
        ready.extend(rest.next().await?);
    }
    Ok(Answer {
        ready,
        rest: Some(rest),
    })
}

impl Rest {
    /// The parts of the next event. A reply that breaks off is an error.
    async fn next(&mut self) -> Result<Vec<StreamPart>, LlmError> {
        let mut parts = Vec::new();
        let event = self.events.next().await;
        let Some(reply) = &mut self.reply else {
            match event {
                Some(Ok(event)) => {
                    self.is_complete = matches!(event, ChatStreamEvent::End(_));
                    library_reply::event(event, &mut parts);
                }
                Some(Err(error)) => return Err(failure(&error)),
                None => return Err(broken_off()),
            }
            return Ok(parts);
        };
        // What arrived before an error counts first: it may say more about it.
        loop {
            let Some(frame) = self.frames.lock().pop_front() else {
                break;
            };
            if !reply.is_complete() {
                reply.frame(&frame, &mut parts)?;
            }
        }
        if event.is_none() {
            reply.close(&mut parts);
        }
        self.is_complete = reply.is_complete();
        if self.is_complete {
            return Ok(parts);
        }
        match event {
            Some(Ok(_)) => Ok(parts),
            Some(Err(error)) => Err(failure(&error)),
            None => Err(broken_off()),
        }
    }
}

fn broken_off() -> LlmError {
    LlmError::classify(Cause::Connection, "The model's answer broke off.")
}

/// What is told of an answer, and whether its end was.
struct Telling {
    answer: Answer,
    limits: Limits,
    pricing: Arc<Pricing>,
    is_over: bool,
}

impl Answer {
    /// The parts as they arrive, priced.
    pub(super) fn into_parts(self, limits: Limits, pricing: Arc<Pricing>) -> PartStream {
        let telling = Telling {
            answer: self,
            limits,
            pricing,
            is_over: false,
        };
        stream::unfold(telling, |mut telling| async move {
            if telling.is_over {
                return None;
            }
            let part = telling.next().await.transpose()?;
            telling.is_over = matches!(part, Err(_) | Ok(StreamPart::End(_)));
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
            let Some(rest) = self.answer.rest.as_mut().filter(|rest| !rest.is_complete) else {
                return Ok(None);
            };
            let parts = self.limits.within(self.limits.idle, rest.next()).await??;
            self.answer.ready.extend(parts);
        }
    }
}
