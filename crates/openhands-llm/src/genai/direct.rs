//! Requests whose body is written here: sent as bytes, the reply read as it arrives.
//!
//! The client library is not in this path. It copies the body twice as a tree of values, which takes longer than
//! writing it; it collects a call's arguments anew with every piece; it gives up a whole reply when the
//! arguments of a call are not JSON; and it does not tell the headers of a reply, in which a proxy says what
//! the call cost.

use std::collections::VecDeque;

use bytes::Bytes;
use futures_util::StreamExt;
use futures_util::stream::BoxStream;
use reqwest::header::{CONTENT_TYPE, HeaderMap};
use serde_json::Value;

use crate::error::{Cause, LlmError, LlmErrorKind};
use crate::genai::failure::{retry_after, transport};
use crate::genai::reply::Reply;
use crate::genai::sse::Events;
use crate::model::StreamPart;
use crate::target::Route;

/// Largest reply in one piece; more is no reply of a model.
const MAX_BODY_BYTES: usize = 64 << 20;
/// In this header a proxy says what the call cost, in US dollars.
const COST_HEADER: &str = "x-litellm-response-cost";

/// A reply whose headers have arrived.
pub(super) struct Direct {
    body: BoxStream<'static, Result<Bytes, reqwest::Error>>,
    events: Events,
    reply: Reply,
    /// What the headers say that the call cost.
    cost: Option<f64>,
}

/// Sends a request and waits for the headers of the reply.
pub(super) async fn send(
    web: &reqwest::Client,
    route: &Route,
    session: Option<(&str, &str)>,
    body: Vec<u8>,
    reply: Reply,
) -> Result<Direct, LlmError> {
    let mut request = web
        .post(&route.url)
        .header(CONTENT_TYPE, "application/json")
        .body(body);
    for (name, value) in &route.headers {
        request = request.header(name, value);
    }
    if let Some((name, value)) = session {
        request = request.header(name, value);
    }
    let response = request.send().await.map_err(|error| transport(&error))?;
    let status = response.status();
    if !status.is_success() {
        let wait = retry_after(response.headers());
        let said = read_all(response.bytes_stream().boxed())
            .await
            .unwrap_or_default();
        return Err(LlmError::from_answer(
            status.as_u16(),
            &String::from_utf8_lossy(&said),
            wait,
        ));
    }
    Ok(Direct {
        cost: cost(response.headers()),
        body: response.bytes_stream().boxed(),
        events: Events::default(),
        reply,
    })
}

fn cost(headers: &HeaderMap) -> Option<f64> {
    let cost: f64 = headers
        .get(COST_HEADER)?
        .to_str()
        .ok()?
        .trim()
        .parse()
        .ok()?;
    (cost.is_finite() && cost > 0.0).then_some(cost)
}

async fn read_all(
    mut body: BoxStream<'static, Result<Bytes, reqwest::Error>>,
) -> Result<Vec<u8>, LlmError> {
    let mut all = Vec::new();
    while let Some(piece) = body.next().await {
        all.extend_from_slice(&piece.map_err(|error| transport(&error))?);
        if all.len() > MAX_BODY_BYTES {
            return Err(LlmError::classify(
                Cause::Connection,
                "The provider's answer does not end.",
            ));
        }
    }
    Ok(all)
}

impl Direct {
    /// The parts of a reply that comes in one piece.
    pub(super) async fn whole(mut self) -> Result<VecDeque<StreamPart>, LlmError> {
        let body = read_all(self.body).await?;
        let body: Value =
            serde_json::from_slice(&body).map_err(|error| unreadable(&body, &error))?;
        let mut parts = Vec::new();
        self.reply.whole(&body, &mut parts)?;
        add_cost(&mut parts, self.cost);
        Ok(parts.into())
    }

    /// Whether the reply said that it is complete.
    pub(super) fn is_complete(&self) -> bool {
        self.reply.is_complete()
    }

    /// The parts of the next piece of a streamed reply. A reply that breaks off is an error.
    pub(super) async fn next(&mut self) -> Result<Vec<StreamPart>, LlmError> {
        let piece = self.body.next().await;
        let mut events = Vec::new();
        match &piece {
            Some(Ok(bytes)) => self.events.push(bytes, &mut events)?,
            Some(Err(_)) => {}
            None => self.events.finish(&mut events),
        }
        let mut parts = Vec::new();
        for event in events {
            if !self.reply.is_complete() {
                self.reply.frame(&event, &mut parts)?;
            }
        }
        if piece.is_none() {
            self.reply.close(&mut parts);
        }
        add_cost(&mut parts, self.cost);
        match piece {
            _ if self.reply.is_complete() => Ok(parts),
            Some(Ok(_)) => Ok(parts),
            Some(Err(error)) => Err(transport(&error)),
            None => Err(LlmError::classify(
                Cause::Connection,
                "The model's answer broke off.",
            )),
        }
    }
}

fn add_cost(parts: &mut [StreamPart], cost: Option<f64>) {
    for part in parts {
        if let StreamPart::Usage(usage) = part {
            usage.cost = cost.or(usage.cost);
        }
    }
}

fn unreadable(body: &[u8], error: &serde_json::Error) -> LlmError {
    let begin = body.trim_ascii_start().first();
    if matches!(begin, Some(b'{' | b'[')) {
        return LlmError::classify(
            Cause::Connection,
            &format!("The provider's answer cannot be read: {error}"),
        );
    }
    // A page in place of an answer: the address is not that of a model.
    LlmError::new(
        LlmErrorKind::BadRequest,
        "The provider's answer is not JSON. Is the base URL right?",
    )
}
