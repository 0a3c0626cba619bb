use std::time::Duration;

use pretty_assertions::assert_eq;
use serde_json::json;

use super::*;
use LlmErrorKind as K;

#[test]
#[allow(clippy::too_many_lines, reason = "one table")]
fn the_first_rule_that_matches_decides_the_class() {
    let table = [
        (
            Cause::Status(400),
            "prompt is too long: 210000 tokens > 200000 maximum",
            K::ContextWindowExceeded,
        ),
        (
            Cause::Status(400),
            "Context length exceeded",
            K::ContextWindowExceeded,
        ),
        (
            Cause::Status(400),
            r#"{"error":{"code":"context_length_exceeded"}}"#,
            K::ContextWindowExceeded,
        ),
        (
            Cause::Status(400),
            "Please reduce the length of the messages.",
            K::ContextWindowExceeded,
        ),
        (
            Cause::Status(500),
            "the request exceeds the available context size",
            K::ContextWindowExceeded,
        ),
        (
            Cause::Status(400),
            "Your input exceeds the context window of this model",
            K::ContextWindowExceeded,
        ),
        (
            Cause::Status(400),
            "context window exceeds limit (2013)",
            K::ContextWindowExceeded,
        ),
        (
            Cause::Status(400),
            "input length and `max_tokens` exceed context limit: 1 + 2",
            K::ContextWindowExceeded,
        ),
        (
            Cause::Status(400),
            "litellm.ContextWindowExceededError: x",
            K::ContextWindowExceeded,
        ),
        (
            Cause::Status(400),
            "messages.2: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_1",
            K::MalformedHistory,
        ),
        (
            Cause::Status(400),
            "unexpected `tool_use_id` found in `tool_result` blocks: toolu_2",
            K::MalformedHistory,
        ),
        (
            Cause::Status(400),
            "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'.",
            K::MalformedHistory,
        ),
        (
            Cause::Status(500),
            "Failed to parse tool call arguments as JSON",
            K::MalformedHistory,
        ),
        (
            Cause::Status(401),
            r#"{"error":{"type":"invalid_request_error"}}"#,
            K::Authentication,
        ),
        (Cause::Status(403), "no", K::Authentication),
        (
            Cause::Status(400),
            "Invalid API key provided",
            K::Authentication,
        ),
        (Cause::Status(400), "Unauthorized", K::Authentication),
        (Cause::Status(400), "Missing API key", K::Authentication),
        (
            Cause::Status(400),
            "Invalid Authentication",
            K::Authentication,
        ),
        (Cause::Status(400), "access denied", K::Authentication),
        (Cause::Status(429), "slow down", K::RateLimit),
        (Cause::Timeout, "", K::Timeout),
        (Cause::Status(408), "", K::Timeout),
        (
            Cause::Connection,
            "connection refused",
            K::ServiceUnavailable,
        ),
        (Cause::Status(409), "", K::ServiceUnavailable),
        (Cause::Status(500), "", K::ServiceUnavailable),
        (Cause::Status(529), "Overloaded", K::ServiceUnavailable),
        (
            Cause::Status(400),
            r#"{"error":{"code":"content_policy_violation"}}"#,
            K::ContentPolicyViolation,
        ),
        (
            Cause::Status(400),
            "blocked by our content filtering policy",
            K::ContentPolicyViolation,
        ),
        (
            Cause::Status(400),
            "Output blocked by content filtering",
            K::ContentPolicyViolation,
        ),
        (Cause::Status(400), "unknown parameter", K::BadRequest),
        (Cause::Status(404), "no such model", K::BadRequest),
        (Cause::Status(422), "not like this", K::BadRequest),
    ];
    for (cause, text, kind) in table {
        assert_eq!(
            LlmError::classify(cause, text).kind,
            kind,
            "{cause:?} {text}"
        );
    }
}

#[test]
fn a_used_up_budget_is_never_worth_another_try() {
    for text in [
        r#"{"error":{"type":"usage_limit_reached"}}"#,
        r#"{"error":{"code":"insufficient_quota","message":"You exceeded your current quota"}}"#,
        "budget_exceeded",
        "Budget has been exceeded! Current cost: 2",
    ] {
        let error = LlmError::from_answer(429, text, Some(Duration::from_secs(1)));
        assert!(!error.is_transient(), "{text}");
        assert_eq!(error.classification().kind, FailureKind::Quota);
    }
    assert!(LlmError::from_answer(429, "slow down", None).is_transient());
}

#[test]
fn the_message_is_the_providers_sentence() {
    let table = [
        (
            r#"{"error":{"message":"No such model","type":"x"}}"#,
            "No such model",
        ),
        (r#"{"message":"Slow down"}"#, "Slow down"),
        (r#"{"error":"model not found"}"#, "model not found"),
        (r#"{"detail":"Not Found"}"#, "Not Found"),
        (" <html>bad gateway</html>\n", "<html>bad gateway</html>"),
        ("", "The model's provider answered with status 502."),
    ];
    for (body, message) in table {
        assert_eq!(LlmError::from_answer(502, body, None).message, message);
    }
}

#[test]
fn an_error_inside_a_stream_is_classified_by_its_type() {
    let table = [
        (
            json!({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}),
            K::ServiceUnavailable,
        ),
        (
            json!({"type": "error", "error": {"type": "rate_limit_error", "message": "x"}}),
            K::RateLimit,
        ),
        (
            json!({"message": "x", "type": "server_error"}),
            K::ServiceUnavailable,
        ),
        (
            json!({"message": "x", "type": "invalid_request_error"}),
            K::BadRequest,
        ),
        (json!({"message": "x", "code": 401}), K::Authentication),
        (json!({"message": "something odd"}), K::ServiceUnavailable),
    ];
    for (body, kind) in table {
        assert_eq!(LlmError::from_stream_body(&body).kind, kind, "{body}");
    }
}

#[test]
fn clients_are_told_what_to_do() {
    let table = [
        (
            K::Authentication,
            "LLMAuthenticationError",
            FailureKind::Auth,
            false,
            UserAction::Settings,
        ),
        (
            K::RateLimit,
            "LLMRateLimitError",
            FailureKind::RateLimit,
            true,
            UserAction::Retry,
        ),
        (
            K::BadRequest,
            "LLMBadRequestError",
            FailureKind::Config,
            false,
            UserAction::Settings,
        ),
        (
            K::ContextWindowExceeded,
            "LLMContextWindowExceedError",
            FailureKind::AgentAction,
            true,
            UserAction::Retry,
        ),
        (
            K::MalformedHistory,
            "LLMMalformedConversationHistoryError",
            FailureKind::AgentAction,
            true,
            UserAction::Retry,
        ),
        (
            K::ServiceUnavailable,
            "LLMServiceUnavailableError",
            FailureKind::Transient,
            true,
            UserAction::Retry,
        ),
        (
            K::Timeout,
            "LLMTimeoutError",
            FailureKind::Transient,
            true,
            UserAction::Retry,
        ),
    ];
    for (kind, code, failure, retryable, user_action) in table {
        let error = LlmError::new(kind, "x");
        let expected = ErrorClassification {
            kind: failure,
            retryable,
            user_action,
            ..ErrorClassification::default()
        };
        assert_eq!((error.code(), error.classification()), (code, expected));
    }
}
