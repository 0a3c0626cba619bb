use openhands_protocol::llm::Llm;
use pretty_assertions::assert_eq;

use super::*;

fn vars(list: &[(&str, &str)]) -> Result<Llm, LlmError> {
    llm_from_vars(
        list.iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned())),
    )
}

#[test]
fn every_kind_of_field_is_read() {
    let llm = vars(&[
        ("LLM_MODEL", "openai/gpt-4o"),
        ("LLM_API_KEY", "sk-1"),
        ("LLM_STREAM", "Yes"),
        ("LLM_NATIVE_TOOL_CALLING", "off"),
        ("LLM_TIMEOUT", "60"),
        ("LLM_TEMPERATURE", "0.5"),
        ("LLM_EXTRA_HEADERS", r#"{"x-team": "a"}"#),
        ("LLM_BASE_URL", ""),
        ("LLM_UNHEARD_OF", "x"),
        ("OTHER_MODEL", "y"),
    ])
    .unwrap();
    assert_eq!(llm.model, "openai/gpt-4o");
    assert_eq!(llm.api_key.as_ref().unwrap().expose(), Some("sk-1"));
    assert_eq!(
        (llm.stream, llm.native_tool_calling, llm.timeout),
        (true, false, Some(60))
    );
    assert_eq!((llm.temperature, llm.base_url), (Some(0.5), None));
    assert_eq!(llm.extra_headers.unwrap()["x-team"], "a");
}

#[test]
fn a_value_that_cannot_be_is_named() {
    let error = vars(&[("LLM_TIMEOUT", "soon")]).unwrap_err();
    assert_eq!(
        error.message,
        "The variable LLM_TIMEOUT must be a whole number."
    );
}

#[test]
fn no_field_of_the_settings_is_forgotten() {
    let all = serde_json::to_value(Llm::default()).unwrap();
    for field in all.as_object().unwrap().keys() {
        // Computed, not given.
        if field != "is_subscription" {
            let known = [TEXTS, BOOLEANS, INTEGERS, NUMBERS, OBJECTS];
            assert!(
                known.iter().any(|names| names.contains(&field.as_str())),
                "{field}"
            );
        }
    }
}
