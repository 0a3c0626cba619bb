//! Trying out a model before it is saved: one short question, asked once.

use std::time::Duration;

use openhands_protocol::Secret;
use openhands_protocol::llm::{Llm, ValidateProfileError, ValidateProfileResponse};
use openhands_protocol::message::{Message, Role};
use openhands_sdk_rs::llm::{
    CallOptions, ChatRequest, LlmError, LlmErrorKind, ModelFeatures, Protocol, Target,
};
use openhands_sdk_rs::secrets::Masker;
use tokio_util::sync::CancellationToken;

use crate::services::models::ModelSource;

/// How long the model has to answer, at most.
const MAX_SECONDS: i64 = 15;
/// The shortest answer that can be asked for; OpenAI's Responses refuse less than the second.
const FEWEST_TOKENS: i64 = 1;
const FEWEST_RESPONSES_TOKENS: i64 = 16;

/// Asks a model something. Too many requests and a slow answer say nothing against it.
pub(crate) async fn check(models: &ModelSource, llm: Llm) -> ValidateProfileResponse {
    let key = llm.api_key.clone();
    let llm = for_one_call(llm);
    let error = match ask(models, &llm).await {
        Ok(()) => return valid(),
        Err(error) => error,
    };
    match error.kind {
        LlmErrorKind::RateLimit | LlmErrorKind::Timeout if !error.is_quota => valid(),
        // One token is often spent before anything is said: the model is there.
        LlmErrorKind::NoResponse => valid(),
        kind => ValidateProfileResponse {
            valid: false,
            error: Some(ValidateProfileError {
                kind: code(kind).to_owned(),
                message: without_key(&error.message, key.as_ref()),
                ..ValidateProfileError::default()
            }),
            ..ValidateProfileResponse::default()
        },
    }
}

fn valid() -> ValidateProfileResponse {
    ValidateProfileResponse {
        valid: true,
        ..ValidateProfileResponse::default()
    }
}

async fn ask(models: &ModelSource, llm: &Llm) -> Result<(), LlmError> {
    let model = models.connect(llm)?;
    let request = ChatRequest {
        options: CallOptions {
            stream: Some(false),
            ..CallOptions::default()
        },
        ..ChatRequest::new([
            Message::text(Role::System, "Answer with one word."),
            Message::text(Role::User, "ping"),
        ])
    };
    let seconds = llm.timeout.unwrap_or(MAX_SECONDS).max(1).unsigned_abs();
    let cancel = CancellationToken::new();
    // Dropping the call ends it.
    let _end = cancel.clone().drop_guard();
    match tokio::time::timeout(
        Duration::from_secs(seconds),
        model.complete(request, cancel),
    )
    .await
    {
        Ok(answer) => answer.map(|_| ()),
        Err(_) => Err(LlmError::new(
            LlmErrorKind::Timeout,
            "The model did not answer in time.",
        )),
    }
}

/// The settings for one call: no second try, no other model, little time, and no thinking, which needs more tokens.
fn for_one_call(llm: Llm) -> Llm {
    let llm = Llm {
        num_retries: 0,
        timeout: Some(llm.timeout.unwrap_or(MAX_SECONDS).min(MAX_SECONDS)),
        fallback_strategy: None,
        log_completions: false,
        reasoning_effort: None,
        extended_thinking_budget: None,
        ..llm
    };
    let target = Target::of(&llm, &ModelFeatures::of(&llm));
    let tokens = match target.map(|target| target.protocol) {
        Ok(Protocol::Responses) => FEWEST_RESPONSES_TOKENS,
        Ok(Protocol::Chat | Protocol::Messages | Protocol::Library) | Err(_) => FEWEST_TOKENS,
    };
    Llm {
        max_output_tokens: Some(tokens),
        ..llm
    }
}

/// The name of the error in the reference, where settings that cannot work are a bad request.
fn code(kind: LlmErrorKind) -> &'static str {
    match kind {
        LlmErrorKind::Configuration => LlmErrorKind::BadRequest.code(),
        other => other.code(),
    }
}

/// Providers like to quote the key that they refuse.
fn without_key(message: &str, key: Option<&Secret>) -> String {
    let masker = Masker::new(key.and_then(Secret::expose));
    masker.mask(message).into_owned()
}
