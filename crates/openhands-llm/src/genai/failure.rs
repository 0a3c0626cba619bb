//! The library's errors in our classes.

use std::time::{Duration, SystemTime};

use genai::Error;
use genai::webc::Error as WebError;
use reqwest::header::HeaderMap;

use crate::error::{Cause, LlmError, LlmErrorKind};

/// The class of a failed call.
pub(super) fn failure(error: &Error) -> LlmError {
    match error {
        Error::HttpError {
            status,
            body,
            headers,
            ..
        } => LlmError::from_answer(status.as_u16(), body, retry_after(headers)),
        Error::WebModelCall { webc_error, .. } | Error::WebAdapterCall { webc_error, .. } => {
            web(webc_error)
        }
        Error::WebStream { error, cause, .. } => {
            if let Some(inner) = error.downcast_ref::<Error>() {
                return failure(inner);
            }
            match error.downcast_ref::<reqwest::Error>() {
                Some(inner) => transport(inner),
                None => LlmError::classify(Cause::Connection, cause),
            }
        }
        Error::ChatResponse { body, .. } => LlmError::from_stream_body(body),
        Error::StreamParse { serde_error, .. } => LlmError::classify(
            Cause::Connection,
            &format!("The provider's stream cannot be read: {serde_error}"),
        ),
        Error::ChatResponseGeneration { cause, .. } => LlmError::classify(Cause::Connection, cause),
        Error::RequiresApiKey { .. } | Error::NoAuthData { .. } | Error::NoAuthResolver { .. } => {
            LlmError::new(LlmErrorKind::Authentication, error.to_string())
        }
        other => LlmError::new(LlmErrorKind::BadRequest, other.to_string()),
    }
}

fn web(error: &WebError) -> LlmError {
    match error {
        WebError::ResponseFailedStatus {
            status,
            body,
            headers,
        } => LlmError::from_answer(status.as_u16(), body, retry_after(headers)),
        // A page in place of an answer: the address is not that of a model.
        WebError::ResponseFailedNotJson { content_type, .. } => LlmError::new(
            LlmErrorKind::BadRequest,
            format!(
                "The provider's answer is not JSON but `{content_type}`. Is the base URL right?"
            ),
        ),
        WebError::ResponseFailedInvalidJson { cause, .. } => LlmError::classify(
            Cause::Connection,
            &format!("The provider's answer cannot be read: {cause}"),
        ),
        WebError::Reqwest(error) => transport(error),
        WebError::JsonValueExt(error) => LlmError::classify(Cause::Connection, &error.to_string()),
    }
}

pub(super) fn transport(error: &reqwest::Error) -> LlmError {
    let cause = if error.is_timeout() {
        Cause::Timeout
    } else if error.is_builder() {
        return LlmError::new(LlmErrorKind::Configuration, chain(error));
    } else {
        Cause::Connection
    };
    LlmError::classify(cause, &chain(error))
}

/// An error with its causes: the outermost says only that sending failed. Addresses are left out, for some
/// carry a key.
fn chain(error: &reqwest::Error) -> String {
    let mut said = String::from("The model's provider cannot be reached");
    let mut source = std::error::Error::source(error);
    while let Some(cause) = source {
        said.push_str(": ");
        said.push_str(&cause.to_string());
        source = cause.source();
    }
    said
}

/// How long the provider asks to wait: in milliseconds, in seconds, or until a date.
pub(super) fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let text = |name: &str| headers.get(name)?.to_str().ok().map(str::trim);
    let number = |name: &str| text(name)?.parse::<f64>().ok();
    if let Some(seconds) = number("retry-after-ms")
        .map(|ms| ms / 1000.0)
        .or_else(|| number("retry-after"))
    {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let date = httpdate::parse_http_date(text("retry-after")?).ok()?;
    // By the provider's own clock, if it tells it: ours may be wrong.
    let now = text("date")
        .and_then(|now| httpdate::parse_http_date(now).ok())
        .unwrap_or_else(SystemTime::now);
    Some(date.duration_since(now).unwrap_or_default())
}
