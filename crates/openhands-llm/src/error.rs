//! What can go wrong in a call to a model, in the classes that clients know.

use std::time::Duration;

use openhands_protocol::event::{ErrorClassification, FailureKind, UserAction};
use serde_json::Value;

/// Class of a failure. Each has the code under which clients know it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LlmErrorKind {
    /// The request does not fit into the model's context window.
    ContextWindowExceeded,
    /// The provider refused the order of tool calls and results.
    MalformedHistory,
    /// The key is missing, wrong or not allowed to do this.
    Authentication,
    /// Too many requests or tokens in too short a time.
    RateLimit,
    /// No answer, or no further part of it, in time.
    Timeout,
    /// The provider could not be reached or failed.
    ServiceUnavailable,
    /// The provider's content filter stopped the request or the answer.
    ContentPolicyViolation,
    /// The provider refused the request for another reason.
    BadRequest,
    /// The answer held nothing.
    NoResponse,
    /// A tool call written as text does not fit the tools.
    FunctionCallValidation,
    /// The caller cancelled the call.
    Cancelled,
    /// The model's settings cannot work.
    Configuration,
    /// So little fits into the model's context window that an agent cannot work with it.
    ContextWindowTooSmall,
}

impl LlmErrorKind {
    /// The code on the wire.
    pub const fn code(self) -> &'static str {
        match self {
            Self::ContextWindowExceeded => "LLMContextWindowExceedError",
            Self::MalformedHistory => "LLMMalformedConversationHistoryError",
            Self::Authentication => "LLMAuthenticationError",
            Self::RateLimit => "LLMRateLimitError",
            Self::Timeout => "LLMTimeoutError",
            Self::ServiceUnavailable => "LLMServiceUnavailableError",
            Self::ContentPolicyViolation => "LLMContentPolicyViolationError",
            Self::BadRequest => "LLMBadRequestError",
            Self::NoResponse => "LLMNoResponseError",
            Self::FunctionCallValidation => "FunctionCallValidationError",
            Self::Cancelled => "UserCancelledError",
            Self::Configuration => "LLMError",
            Self::ContextWindowTooSmall => "LLMContextWindowTooSmallError",
        }
    }
}

/// A failed call to a model.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct LlmError {
    /// Class of the failure.
    pub kind: LlmErrorKind,
    /// What the provider, or this crate, says about it.
    pub message: String,
    /// HTTP status of the answer, if there was one.
    pub status: Option<u16>,
    /// How long the provider asks to wait.
    pub retry_after: Option<Duration>,
    /// The money or the plan is used up: trying again cannot help.
    pub is_quota: bool,
}

/// Where a failure was seen, besides its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// The provider answered with this status.
    Status(u16),
    /// A time limit passed.
    Timeout,
    /// The connection failed or broke.
    Connection,
    /// Nothing but the text is known.
    Unknown,
}

impl LlmError {
    /// An error of a known class.
    pub fn new(kind: LlmErrorKind, message: impl Into<String>) -> Self {
        let message = message.into();
        Self {
            kind,
            is_quota: says_any(&normal(&message), QUOTA),
            message,
            status: None,
            retry_after: None,
        }
    }

    /// What clients are told. Of a refused key no more than that: the provider's own words may hold it.
    pub fn told(&self) -> &str {
        if self.kind == LlmErrorKind::Authentication {
            return "Your LLM API key appears to be invalid or has expired.";
        }
        &self.message
    }

    /// The caller cancelled.
    pub fn cancelled() -> Self {
        Self::new(
            LlmErrorKind::Cancelled,
            "The call to the model was cancelled.",
        )
    }

    /// The answer held nothing.
    pub fn no_response() -> Self {
        Self::new(LlmErrorKind::NoResponse, "The model's reply was empty.")
    }

    /// The error that a text and the place where it was seen amount to.
    pub fn classify(cause: Cause, text: &str) -> Self {
        let status = match cause {
            Cause::Status(status) => Some(status),
            Cause::Timeout | Cause::Connection | Cause::Unknown => None,
        };
        let said = normal(text);
        Self {
            kind: kind_of(cause, &said),
            message: message_of(text),
            status,
            retry_after: None,
            is_quota: says_any(&said, QUOTA),
        }
    }

    /// The error of an answer with a status other than success.
    pub fn from_answer(status: u16, body: &str, retry_after: Option<Duration>) -> Self {
        let mut error = Self::classify(Cause::Status(status), body);
        if error.message.is_empty() {
            error.message = format!("The model's provider answered with status {status}.");
        }
        error.retry_after = retry_after;
        error
    }

    /// The error of an error object inside a stream, which has no status of its own.
    pub fn from_stream_body(body: &Value) -> Self {
        let inner = body.get("error").unwrap_or(body);
        let cause = status_word(inner).map_or(Cause::Unknown, Cause::Status);
        let mut error = Self::classify(cause, &body.to_string());
        error.status = None;
        error
    }

    /// The code on the wire.
    pub const fn code(&self) -> &'static str {
        self.kind.code()
    }

    /// Whether the same call may succeed a little later.
    pub fn is_transient(&self) -> bool {
        if self.is_quota {
            return false;
        }
        match self.kind {
            LlmErrorKind::RateLimit
            | LlmErrorKind::Timeout
            | LlmErrorKind::ServiceUnavailable
            | LlmErrorKind::NoResponse => true,
            LlmErrorKind::ContextWindowExceeded
            | LlmErrorKind::MalformedHistory
            | LlmErrorKind::Authentication
            | LlmErrorKind::ContentPolicyViolation
            | LlmErrorKind::BadRequest
            | LlmErrorKind::FunctionCallValidation
            | LlmErrorKind::Cancelled
            | LlmErrorKind::Configuration
            | LlmErrorKind::ContextWindowTooSmall => false,
        }
    }

    /// What a client should make of the error.
    pub fn classification(&self) -> ErrorClassification {
        let (kind, retryable, user_action) = if self.is_quota {
            (FailureKind::Quota, false, UserAction::Settings)
        } else {
            match self.kind {
                LlmErrorKind::Authentication => (FailureKind::Auth, false, UserAction::Settings),
                LlmErrorKind::RateLimit => (FailureKind::RateLimit, true, UserAction::Retry),
                LlmErrorKind::BadRequest
                | LlmErrorKind::Configuration
                | LlmErrorKind::ContextWindowTooSmall => {
                    (FailureKind::Config, false, UserAction::Settings)
                }
                LlmErrorKind::ContextWindowExceeded
                | LlmErrorKind::MalformedHistory
                | LlmErrorKind::ContentPolicyViolation
                | LlmErrorKind::FunctionCallValidation => {
                    (FailureKind::AgentAction, true, UserAction::Retry)
                }
                LlmErrorKind::Timeout
                | LlmErrorKind::ServiceUnavailable
                | LlmErrorKind::NoResponse => (FailureKind::Transient, true, UserAction::Retry),
                LlmErrorKind::Cancelled => (FailureKind::Unknown, true, UserAction::None),
            }
        };
        ErrorClassification {
            kind,
            retryable,
            user_action,
            ..ErrorClassification::default()
        }
    }
}

const QUOTA: &[&str] = &[
    "usage_limit_reached",
    "insufficient_quota",
    "budget_exceeded",
    "budget has been exceeded",
];

const CONTEXT_WINDOW: &[&str] = &[
    "prompt is too long",
    "context length exceeded",
    "context_length_exceeded",
    "please reduce the length of",
    "exceeds the available context size",
    "input exceeds the context window",
    "context window exceeds limit",
    "input length and max_tokens exceed context limit",
    "contextwindowexceedederror",
];

const MALFORMED_HISTORY: &[&str] = &[
    "tool_use ids were found without tool_result blocks",
    "each tool_use block must have a corresponding tool_result block",
    "each tool_result block must have a corresponding tool_use block",
    "unexpected tool_use_id found in tool_result blocks",
    "each tool_use must have a single result",
    "tool_use ids must be unique",
    "must be followed by tool messages responding to each 'tool_call_id'",
    "failed to parse tool call arguments as json",
];

const AUTHENTICATION: &[&str] = &[
    "invalid api key",
    "unauthorized",
    "missing api key",
    "invalid authentication",
    "access denied",
];

const CONTENT_POLICY: &[&str] = &[
    "content_policy",
    "content filtering policy",
    "output blocked by content filtering",
];

/// The first rule that matches decides.
fn kind_of(cause: Cause, said: &str) -> LlmErrorKind {
    let status = match cause {
        Cause::Status(status) => status,
        Cause::Timeout | Cause::Connection | Cause::Unknown => 0,
    };
    if says_any(said, CONTEXT_WINDOW) {
        LlmErrorKind::ContextWindowExceeded
    } else if says_any(said, MALFORMED_HISTORY) {
        LlmErrorKind::MalformedHistory
    } else if matches!(status, 401 | 403) || says_any(said, AUTHENTICATION) {
        LlmErrorKind::Authentication
    } else if status == 429 {
        LlmErrorKind::RateLimit
    } else if cause == Cause::Timeout || status == 408 {
        LlmErrorKind::Timeout
    } else if cause == Cause::Connection || status == 409 || status >= 500 {
        LlmErrorKind::ServiceUnavailable
    } else if says_any(said, CONTENT_POLICY) {
        LlmErrorKind::ContentPolicyViolation
    } else if (400..500).contains(&status) {
        LlmErrorKind::BadRequest
    } else {
        // Seen inside a stream that had begun well: the provider failed while it answered.
        LlmErrorKind::ServiceUnavailable
    }
}

/// Providers quote names differently; the rules are written without quotes.
fn normal(text: &str) -> String {
    text.to_lowercase().replace('`', "")
}

fn says_any(said: &str, rules: &[&str]) -> bool {
    rules.iter().any(|rule| said.contains(rule))
}

/// The sentence in a provider's error body, or the body itself.
fn message_of(text: &str) -> String {
    let Ok(body) = serde_json::from_str::<Value>(text) else {
        return text.trim().to_owned();
    };
    ["/error/message", "/message", "/error", "/detail"]
        .iter()
        .find_map(|place| body.pointer(place).and_then(Value::as_str))
        .map_or_else(|| text.trim().to_owned(), str::to_owned)
}

/// The status that an error object in a stream stands for.
fn status_word(error: &Value) -> Option<u16> {
    let code = error.get("code").or_else(|| error.get("status"));
    if let Some(number) = code.and_then(Value::as_u64) {
        return u16::try_from(number).ok().filter(|status| *status >= 400);
    }
    let word = error
        .get("type")
        .and_then(Value::as_str)
        .filter(|word| *word != "error")
        .or_else(|| code.and_then(Value::as_str))?;
    Some(match word {
        "invalid_request_error" | "invalid_prompt" => 400,
        "authentication_error" => 401,
        "permission_error" => 403,
        "not_found_error" => 404,
        "timeout_error" => 408,
        "request_too_large" => 413,
        "rate_limit_error" | "rate_limit_exceeded" | "insufficient_quota" | "tokens" => 429,
        "api_error" | "server_error" => 500,
        "overloaded_error" => 529,
        _ => return None,
    })
}

#[cfg(test)]
#[path = "error_tests.rs"]
mod tests;
