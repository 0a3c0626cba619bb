use openhands_protocol::Secret;
use openhands_protocol::llm::{Llm, LlmAuthType};
use pretty_assertions::assert_eq;

use super::ModelSource;

fn source(vars: &[(&str, &str)]) -> ModelSource {
    let vars: Vec<_> = vars
        .iter()
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .collect();
    ModelSource::new(&vars)
}

fn llm(model: &str) -> Llm {
    Llm {
        model: model.to_owned(),
        ..Llm::default()
    }
}

fn key(source: &ModelSource, llm: &Llm) -> Option<String> {
    let key = source.with_key(llm).api_key;
    key.and_then(|key| key.expose().map(str::to_owned))
}

#[test]
fn a_model_without_a_key_takes_one_of_the_environment() {
    let both = source(&[("LLM_API_KEY", "any"), ("OPENAI_API_KEY", "openai")]);
    assert_eq!(key(&both, &llm("openai/gpt-4o")).as_deref(), Some("any"));

    let providers = source(&[
        ("LLM_API_KEY", "  "),
        ("OPENAI_API_KEY", "openai"),
        ("ANTHROPIC_API_KEY", "claude"),
        ("GOOGLE_API_KEY", "google"),
        ("DEEPSEEK_API_KEY", " deep\n"),
    ]);
    for (model, expected) in [
        ("openai/gpt-4o", Some("openai")),
        ("gpt-4o", Some("openai")),
        ("anthropic/claude-sonnet-4-5", Some("claude")),
        ("claude-sonnet-4-5", Some("claude")),
        ("gemini/gemini-2.5-pro", Some("google")),
        ("deepseek/deepseek-chat", Some("deep")),
        ("groq/llama", None),
        ("nonsense", None),
    ] {
        assert_eq!(key(&providers, &llm(model)).as_deref(), expected, "{model}");
    }
}

#[test]
fn a_key_that_was_given_stays() {
    let source = source(&[("LLM_API_KEY", "any")]);
    let own = Llm {
        api_key: Some(Secret::new("own")),
        ..llm("openai/gpt-4o")
    };
    assert_eq!(key(&source, &own).as_deref(), Some("own"));
    let plan = Llm {
        auth_type: LlmAuthType::Subscription,
        ..llm("openai/gpt-4o")
    };
    assert_eq!(key(&source, &plan), None);
    let blank = Llm {
        api_key: Some(Secret::new(" ")),
        ..llm("openai/gpt-4o")
    };
    assert_eq!(key(&source, &blank).as_deref(), Some("any"));
}

#[test]
fn bedrock_takes_what_aws_tools_take() {
    let source = source(&[
        ("AWS_ACCESS_KEY_ID", "id"),
        ("AWS_SECRET_ACCESS_KEY", "secret"),
        ("AWS_REGION", "eu-west-1"),
    ]);
    let llm = source.with_key(&llm("bedrock/anthropic.claude"));
    assert_eq!(llm.aws_access_key_id.unwrap().expose(), Some("id"));
    assert_eq!(llm.aws_secret_access_key.unwrap().expose(), Some("secret"));
    assert_eq!(llm.aws_region_name.as_deref(), Some("eu-west-1"));
    assert!(!format!("{source:?}").contains("secret"));
}
