use parking_lot::Mutex;
use pretty_assertions::assert_eq;
use tokio::time::Instant;

use super::*;
use crate::ScriptedModel;
use crate::model::{StopReason, Usage};

/// A model that plays a script and writes down when and how it was asked.
struct Seen {
    model: ScriptedModel,
    begun: Instant,
    calls: Mutex<Vec<(u64, Option<f64>)>>,
}

impl ChatModel for Seen {
    fn stream(
        &self,
        request: ChatRequest,
        cancel: CancellationToken,
    ) -> BoxFuture<'_, Result<PartStream, LlmError>> {
        self.calls
            .lock()
            .push((self.begun.elapsed().as_secs(), request.options.temperature));
        self.model.stream(request, cancel)
    }

    fn features(&self) -> &ModelFeatures {
        self.model.features()
    }
}

fn seen(script: &str) -> Arc<Seen> {
    Arc::new(Seen {
        model: ScriptedModel::from_json(script).unwrap(),
        begun: Instant::now(),
        calls: Mutex::default(),
    })
}

async fn ask(model: &Arc<Seen>, llm: &Llm) -> Result<crate::Completion, LlmError> {
    RetryModel::new(model.clone(), RetryPolicy::of(llm))
        .complete(ChatRequest::default(), CancellationToken::new())
        .await
}

fn times(model: &Seen) -> Vec<u64> {
    model.calls.lock().iter().map(|(time, _)| *time).collect()
}

#[tokio::test(start_paused = true)]
async fn waits_double_up_to_the_limit_and_five_attempts_are_all() {
    let model = seen(r#"[{"status": 500, "repeat": true}]"#);
    let error = ask(&model, &Llm::default()).await.unwrap_err();
    assert_eq!(error.kind, LlmErrorKind::ServiceUnavailable);
    assert_eq!(times(&model), [0, 8, 24, 56, 120]);
}

#[tokio::test(start_paused = true)]
async fn a_wait_is_clamped() {
    let model = seen(r#"[{"status": 500, "repeat": true}]"#);
    let llm = Llm {
        retry_min_wait: 10,
        retry_max_wait: 20,
        ..Llm::default()
    };
    ask(&model, &llm).await.unwrap_err();
    assert_eq!(times(&model), [0, 10, 26, 46, 66]);
}

#[tokio::test(start_paused = true)]
async fn a_later_attempt_can_succeed() {
    let model = seen(r#"[{"status": 429}, {"status": 408}, {"status": 409}, "fine"]"#);
    let answer = ask(&model, &Llm::default()).await.unwrap();
    assert_eq!(answer.message.content[0].as_text(), Some("fine"));
    assert_eq!(answer.latency, Duration::from_secs(56), "the waits count");
}

#[tokio::test(start_paused = true)]
async fn what_cannot_pass_is_not_tried_again() {
    for script in [
        r#"[{"status": 401}, "no"]"#,
        r#"[{"status": 400}, "no"]"#,
        r#"[{"status": 400, "error": {"message": "prompt is too long"}}, "no"]"#,
        r#"[{"status": 429, "error": {"code": "insufficient_quota"}}, "no"]"#,
        r#"[{"status": 500, "error": {"message": "Budget has been exceeded"}}, "no"]"#,
    ] {
        let model = seen(script);
        ask(&model, &Llm::default()).await.unwrap_err();
        assert_eq!(times(&model), [0], "{script}");
    }
}

#[tokio::test(start_paused = true)]
async fn one_attempt_is_made_even_if_none_is_configured() {
    for num_retries in [0, 1, -3] {
        let model = seen(r#"[{"status": 500, "repeat": true}]"#);
        ask(
            &model,
            &Llm {
                num_retries,
                ..Llm::default()
            },
        )
        .await
        .unwrap_err();
        assert_eq!(times(&model), [0]);
    }
}

#[test]
fn the_providers_word_about_the_wait_counts() {
    let policy = RetryPolicy::of(&Llm::default());
    let asked = |seconds| LlmError::from_answer(429, "", Some(Duration::from_secs(seconds)));
    assert_eq!(policy.wait(1, &asked(1)), Duration::from_secs(1));
    assert_eq!(policy.wait(1, &asked(100)), Duration::from_secs(100));
    assert_eq!(policy.wait(1, &asked(1_000_000)), MAX_IMPOSED_WAIT);
}

#[test]
fn nonsense_in_the_settings_gives_a_wait_within_the_limits() {
    for multiplier in [f64::NAN, f64::INFINITY, -1.0, 1e300] {
        let policy = RetryPolicy::of(&Llm {
            retry_multiplier: multiplier,
            ..Llm::default()
        });
        for attempt in [1, 5, u32::MAX] {
            let wait = policy.wait(attempt, &LlmError::no_response());
            assert!(
                wait >= policy.min_wait && wait <= policy.max_wait,
                "{multiplier} {wait:?}"
            );
        }
    }
}

/// A model that gives nothing as long as the temperature is 0.
struct Cold(Mutex<Vec<Option<f64>>>, ModelFeatures);

impl ChatModel for Cold {
    fn stream(
        &self,
        request: ChatRequest,
        _: CancellationToken,
    ) -> BoxFuture<'_, Result<PartStream, LlmError>> {
        self.0.lock().push(request.options.temperature);
        Box::pin(async move {
            match request.options.temperature {
                None => Err(LlmError::no_response()),
                Some(_) => Ok(stream::iter([
                    Ok(StreamPart::Usage(Usage::default())),
                    Ok(StreamPart::End(StopReason::Completed)),
                ])
                .boxed()),
            }
        })
    }

    fn features(&self) -> &ModelFeatures {
        &self.1
    }
}

#[tokio::test(start_paused = true)]
async fn an_empty_reply_at_temperature_0_is_tried_again_warmer() {
    let model = Arc::new(Cold(Mutex::default(), ModelFeatures::default()));
    let llm = Llm {
        temperature: Some(0.0),
        ..Llm::default()
    };
    let retry = RetryModel::new(model.clone(), RetryPolicy::of(&llm));
    retry
        .complete(ChatRequest::default(), CancellationToken::new())
        .await
        .unwrap();
    assert_eq!(*model.0.lock(), [None, Some(1.0)]);

    let model = Arc::new(Cold(Mutex::default(), ModelFeatures::default()));
    let retry = RetryModel::new(model.clone(), RetryPolicy::of(&Llm::default()));
    retry
        .complete(ChatRequest::default(), CancellationToken::new())
        .await
        .unwrap_err();
    assert_eq!(*model.0.lock(), [None; 5], "any other temperature stays");
}

#[tokio::test(start_paused = true)]
async fn cancelling_ends_a_wait_at_once() {
    let model = seen(r#"[{"status": 500, "repeat": true}]"#);
    let retry = RetryModel::new(model.clone(), RetryPolicy::of(&Llm::default()));
    let cancel = CancellationToken::new();
    let mut parts = retry
        .stream(ChatRequest::default(), cancel.clone())
        .await
        .unwrap();
    let Some(Ok(StreamPart::Restart(restart))) = parts.next().await else {
        panic!("a restart is told");
    };
    assert_eq!((restart.attempt, restart.wait), (2, Duration::from_secs(8)));
    cancel.cancel();
    assert_eq!(
        parts.next().await.unwrap().unwrap_err().kind,
        LlmErrorKind::Cancelled
    );
    assert!(parts.next().await.is_none());
    assert_eq!(
        (times(&model), model.begun.elapsed().as_secs()),
        (vec![0], 0)
    );
}

#[tokio::test(start_paused = true)]
async fn too_little_to_cache_is_asked_again_without_marks() {
    let model = seen(
        r#"[{"status": 400, "error": {"message": "Cached content is too small. total_token_count=900"}}, "fine"]"#,
    );
    let answer = ask(&model, &Llm::default()).await.unwrap();
    assert_eq!(answer.message.content[0].as_text(), Some("fine"));
    assert_eq!(times(&model), [0, 0]);
}
