use openhands_protocol::message::Content;
use pretty_assertions::assert_eq;

use super::*;
use crate::ScriptedModel;
use crate::error::LlmErrorKind;

fn scripted(script: &str) -> Arc<ScriptedModel> {
    Arc::new(ScriptedModel::from_json(script).unwrap())
}

async fn ask(models: &[Arc<ScriptedModel>]) -> Result<String, LlmError> {
    let mut models = models
        .iter()
        .map(|model| Arc::clone(model) as Arc<dyn ChatModel>);
    let first = models.next().unwrap();
    let model = FallbackModel::new(first, models.collect());
    let answer = model
        .complete(ChatRequest::default(), CancellationToken::new())
        .await?;
    Ok(Content::join_text(&answer.message.content))
}

#[tokio::test]
async fn the_first_that_answers_counts() {
    let models = [
        scripted(r#"[{"status": 500}]"#),
        scripted(r#"[{"status": 429}]"#),
        scripted(r#"["third"]"#),
        scripted("[]"),
    ];
    assert_eq!(ask(&models).await.unwrap(), "third");
    assert_eq!(models.map(|model| model.calls()), [1, 1, 1, 0]);
}

#[tokio::test]
async fn the_next_call_begins_with_the_first_model_again() {
    let models = [
        scripted(r#"[{"status": 500}, "back"]"#),
        scripted(r#"["stand-in"]"#),
    ];
    assert_eq!(ask(&models).await.unwrap(), "stand-in");
    assert_eq!(ask(&models).await.unwrap(), "back");
}

#[tokio::test]
async fn what_would_fail_elsewhere_too_is_not_passed_on() {
    for script in [
        r#"[{"status": 400}]"#,
        r#"[{"status": 401}]"#,
        r#"[{"status": 429, "error": {"message": "budget_exceeded"}}]"#,
        r#"[{"status": 400, "error": {"message": "prompt is too long"}}]"#,
    ] {
        let models = [scripted(script), scripted(r#"["no"]"#)];
        ask(&models).await.unwrap_err();
        assert_eq!(models[1].calls(), 0, "{script}");
    }
}

#[tokio::test]
async fn the_last_failure_is_the_one_that_is_told() {
    let models = [
        scripted(r#"[{"status": 500}]"#),
        scripted(r#"[{"status": 429}]"#),
    ];
    assert_eq!(
        ask(&models).await.unwrap_err().kind,
        LlmErrorKind::RateLimit
    );
}
