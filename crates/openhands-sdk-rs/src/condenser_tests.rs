use super::*;
use crate::view::events_for_tests::*;
use futures_util::future::BoxFuture;
use openhands_llm::{ChatRequest, LlmErrorKind, ModelFeatures, PartStream, ScriptedModel};
use openhands_protocol::agent::{NoOpCondenser, PipelineCondenser};
use openhands_protocol::message::Content;
use openhands_protocol::{Event, EventId};
use parking_lot::Mutex;
use pretty_assertions::assert_eq;
use serde_json::json;

/// A scripted model that keeps what it was asked.
struct Asked {
    model: ScriptedModel,
    questions: Mutex<Vec<String>>,
}

impl Asked {
    fn new(script: &serde_json::Value) -> Arc<Self> {
        Arc::new(Self {
            model: ScriptedModel::from_value(script).unwrap(),
            questions: Mutex::default(),
        })
    }
}

impl ChatModel for Asked {
    fn stream(
        &self,
        request: ChatRequest,
        cancel: CancellationToken,
    ) -> BoxFuture<'_, Result<PartStream, LlmError>> {
        let question = Content::join_text(&request.messages[1].content);
        self.questions.lock().push(question);
        self.model.stream(request, cancel)
    }

    fn features(&self) -> &ModelFeatures {
        self.model.features()
    }
}

fn settings(max_size: i64, keep_first: i64) -> LlmSummarizingCondenser {
    LlmSummarizingCondenser {
        llm: Box::new(Llm {
            usage_id: "condenser".to_owned(),
            ..Llm::default()
        }),
        max_size,
        keep_first,
        ..LlmSummarizingCondenser::default()
    }
}

async fn ask(
    settings: LlmSummarizingCondenser,
    view: &View,
    size: RequestSize,
    model: &Arc<Asked>,
) -> Result<Condensed, CondenseError> {
    let condenser = Condenser::LlmSummarizing(settings);
    let connect = |_: &Llm| Ok(Arc::clone(model) as Arc<dyn ChatModel>);
    condense(&condenser, view, size, &connect, CancellationToken::new()).await
}

fn forgotten(answer: Result<Condensed, CondenseError>) -> Forgotten {
    match answer.unwrap() {
        Condensed::Forgotten(forgotten) => *forgotten,
        Condensed::Nothing => panic!("nothing is forgotten"),
    }
}

fn ids(forgotten: &Forgotten) -> Vec<&str> {
    let ids = &forgotten.condensation.forgotten_event_ids;
    ids.iter().map(EventId::as_str).collect()
}

fn failing() -> serde_json::Value {
    json!([{"status": 400, "error": {"message": "prompt is too long"}, "repeat": true}])
}

const FREE: RequestSize = RequestSize {
    max_input_tokens: None,
    tool_tokens: 0,
};

#[tokio::test]
async fn at_twelve_events_of_ten_eight_are_forgotten() {
    let model = Asked::new(&json!(["The note."]));
    let mut view = View::of(&turns(4, false));
    assert_eq!(view.len(), 10);
    let nothing = ask(settings(10, 2), &view, FREE, &model).await.unwrap();
    assert!(matches!(nothing, Condensed::Nothing));

    view = View::of(&turns(5, false));
    let answer = forgotten(ask(settings(10, 2), &view, FREE, &model).await);
    assert_eq!(
        ids(&answer),
        ["a0", "o0", "a1", "o1", "a2", "o2", "a3", "o3"]
    );
    assert_eq!(answer.condensation.summary_offset, Some(2));
    assert_eq!(answer.condensation.summary.as_deref(), Some("The note."));
    assert_eq!(
        answer.condensation.llm_response_id,
        answer.completion.response_id
    );
    assert_eq!(answer.llm.usage_id, "condenser");

    view.push(&Event::Condensation(answer.condensation));
    assert_eq!(view.len(), 5);
}

#[tokio::test]
async fn the_system_prompt_stays_even_when_nothing_is_to_be_kept() {
    let model = Asked::new(&json!(["The note."]));
    let view = View::of(&turns(5, false));
    let answer = forgotten(ask(settings(10, 0), &view, FREE, &model).await);
    assert_eq!(answer.condensation.summary_offset, Some(1));
    assert_eq!(ids(&answer)[0], "u");
}

#[tokio::test]
async fn earlier_summaries_go_into_the_next_one() {
    let model = Asked::new(&json!(["second"]));
    let mut events = turns(2, false);
    let long = format!("first {}", "x".repeat(2_000));
    events.push(condensation("k", &["a0", "o0"], Some(&long), 2));
    events.extend(turns(8, false).split_off(6));
    let view = View::of(&events);
    let answer = forgotten(ask(settings(10, 2), &view, FREE, &model).await);
    assert_eq!(ids(&answer)[0], "k-summary");
    let question = &model.questions.lock()[0];
    assert!(question.contains(&format!("earlier note: {long}")));
    assert!(question.contains("agent calls think with {}"));
    assert!(question.contains("think answers: answer 3"));
}

#[tokio::test]
async fn a_request_halves_the_view() {
    let model = Asked::new(&json!(["note"]));
    let mut events = turns(9, false);
    events.push(request("q"));
    let view = View::of(&events);
    let answer = forgotten(ask(settings(100, 2), &view, FREE, &model).await);
    // 20 events: 2 at the start, the summary, and 7 at the end, of which one step must stay whole.
    assert_eq!(answer.condensation.summary_offset, Some(2));
    assert_eq!(ids(&answer).len(), 12);
    assert_eq!(ids(&answer).last(), Some(&"o5"));
}

#[tokio::test]
async fn a_request_that_no_part_can_meet_sums_up_everything() {
    let model = Asked::new(&json!(["note"]));
    let view = View::of(&[
        system("s"),
        user("u", "go"),
        agent("m", "yes"),
        request("q"),
    ]);
    let answer = forgotten(ask(settings(100, 2), &view, FREE, &model).await);
    assert_eq!(ids(&answer), ["u", "m"]);
    assert_eq!(answer.condensation.summary_offset, Some(1));
}

#[tokio::test]
async fn tokens_are_brought_below_half_of_what_fits() {
    let model = Asked::new(&json!(["note"]));
    let view = View::of(&turns(20, false));
    let limit = view.tokens() - 1;
    let size = RequestSize {
        max_input_tokens: Some(limit),
        tool_tokens: 0,
    };
    let answer = forgotten(ask(settings(100, 2), &view, size, &model).await);
    let mut shorter = View::of(&turns(20, false));
    shorter.push(&Event::Condensation(answer.condensation));
    let summary = shorter.items().nth(2).unwrap().tokens();
    assert!(shorter.tokens() - summary <= limit / 2);

    // The stricter of both limits counts, and so do the tools.
    let own = LlmSummarizingCondenser {
        max_tokens: Some(i64::try_from(view.tokens()).unwrap()),
        ..settings(100, 2)
    };
    let nothing = ask(own.clone(), &view, FREE, &model).await.unwrap();
    assert!(matches!(nothing, Condensed::Nothing));
    let with_tools = RequestSize {
        max_input_tokens: Some(u64::MAX),
        tool_tokens: 1,
    };
    forgotten(ask(own, &view, with_tools, &model).await);
}

#[tokio::test]
async fn too_little_progress_waits_unless_it_must_be() {
    // One loop of thinking spans the view: no cut inside it.
    let model = Asked::new(&json!(["note"]));
    let mut events = turns(6, true);
    let nothing = ask(settings(10, 3), &View::of(&events), FREE, &model).await;
    assert!(matches!(nothing, Ok(Condensed::Nothing)));
    assert_eq!(model.model.calls(), 0);

    events.push(request("q"));
    let answer = forgotten(ask(settings(10, 3), &View::of(&events), FREE, &model).await);
    assert_eq!(ids(&answer).len(), 13);
}

#[tokio::test]
async fn a_model_that_fails_is_tried_again_with_shorter_texts_and_then_it_is_an_error() {
    let mut events = vec![
        system("s"),
        user("u", &"x".repeat(5_000)),
        agent("m", "yes"),
    ];
    events.push(request("q"));
    let view = View::of(&events);
    let model = Asked::new(&failing());
    let error = ask(settings(100, 2), &view, FREE, &model)
        .await
        .unwrap_err();
    assert!(
        matches!(&error, CondenseError::NoSummary { attempts: 5, source }
        if source.kind == LlmErrorKind::ContextWindowExceeded)
    );
    let lengths: Vec<_> = model.questions.lock().iter().map(String::len).collect();
    assert_eq!(lengths.len(), 5);
    // 500 characters, then 400, 320, 256 and 204.
    let shrunk: Vec<_> = lengths.windows(2).map(|pair| pair[0] - pair[1]).collect();
    assert_eq!(shrunk, [100, 80, 64, 52]);

    let model =
        Asked::new(&json!([{"status": 400, "error": {"message": "prompt is too long"}}, "note"]));
    assert_eq!(
        forgotten(ask(settings(100, 2), &view, FREE, &model).await)
            .condensation
            .summary
            .as_deref(),
        Some("note")
    );
}

#[tokio::test]
async fn a_model_that_fails_is_left_alone_when_nothing_presses() {
    let view = View::of(&turns(6, false));
    let model = Asked::new(&failing());
    let nothing = ask(settings(10, 2), &view, FREE, &model).await;
    assert!(matches!(nothing, Ok(Condensed::Nothing)));
    assert_eq!(model.model.calls(), 1);
}

#[tokio::test]
async fn a_summary_that_alone_is_too_large_is_an_error() {
    let model = Asked::new(&json!(["note"]));
    let events = [
        system("s"),
        user("u", "go"),
        condensation("k", &["u"], Some("a very long summary"), 1),
    ];
    let size = RequestSize {
        max_input_tokens: Some(1),
        tool_tokens: 0,
    };
    let error = ask(settings(100, 2), &View::of(&events), size, &model)
        .await
        .unwrap_err();
    assert_eq!(error, CondenseError::NothingToForget);
    assert_eq!(model.model.calls(), 0);
}

#[tokio::test]
async fn a_summary_is_not_summed_up_alone() {
    let model = Asked::new(&json!(["note"]));
    let mut events = vec![system("s"), user("u", "go"), user("v", "more")];
    events.push(condensation("k", &["v"], Some("sum"), 2));
    events.extend(turns(2, true).split_off(2));
    events.push(request("q"));
    let view = View::of(&events);
    // Half of 7 events: the tail would begin in the loop, and before it there is only the summary.
    let answer = forgotten(ask(settings(100, 1), &view, FREE, &model).await);
    assert!(ids(&answer).len() > 1);
    let keeping = LlmSummarizingCondenser {
        max_tokens: Some(1),
        ..settings(5, 1)
    };
    let view = View::of(&events[..4]);
    let answer = forgotten(ask(keeping, &view, FREE, &model).await);
    assert_eq!(ids(&answer), ["u", "k-summary"]);
}

#[tokio::test]
async fn cancelling_ends_it_at_once() {
    let model = Asked::new(&json!([{"text": "late", "delay": 3600}]));
    let mut events = turns(6, false);
    events.push(request("q"));
    let view = View::of(&events);
    let condenser = Condenser::LlmSummarizing(settings(10, 2));
    let connect = |_: &Llm| Ok(Arc::clone(&model) as Arc<dyn ChatModel>);
    let cancel = CancellationToken::new();
    cancel.cancel();
    let error = condense(&condenser, &view, FREE, &connect, cancel)
        .await
        .unwrap_err();
    assert_eq!(error, CondenseError::Cancelled);
}

#[tokio::test]
async fn a_pipeline_asks_one_after_the_other_until_one_forgets() {
    let model = Asked::new(&json!(["note"]));
    let pipeline = |condensers| {
        Condenser::Pipeline(PipelineCondenser {
            condensers,
            ..PipelineCondenser::default()
        })
    };
    let noop = || Condenser::NoOp(NoOpCondenser::default());
    let summarizing = |max_size| Condenser::LlmSummarizing(settings(max_size, 2));
    let view = View::of(&turns(5, false));
    let connect = |_: &Llm| Ok(Arc::clone(&model) as Arc<dyn ChatModel>);
    let both = pipeline(vec![
        noop(),
        summarizing(100),
        summarizing(10),
        summarizing(8),
    ]);
    let answer = condense(&both, &view, FREE, &connect, CancellationToken::new()).await;
    assert_eq!(ids(&forgotten(answer)).len(), 8);
    assert_eq!(model.model.calls(), 1);

    let none = condense(&noop(), &view, FREE, &connect, CancellationToken::new()).await;
    assert!(matches!(none, Ok(Condensed::Nothing)));
    assert!(accepts_requests(&both) && !accepts_requests(&noop()));
    assert!(!accepts_requests(&pipeline(vec![noop()])));
}

#[test]
fn what_is_kept_must_leave_room() {
    let fits = |max_size, keep_first| {
        validate(&Condenser::LlmSummarizing(settings(max_size, keep_first))).is_ok()
    };
    assert!(fits(10, 3) && fits(240, 2) && fits(80, 4));
    assert!(!fits(10, 4) && !fits(2, 0));
}
