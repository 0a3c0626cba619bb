use super::*;
use crate::view::events_for_tests::action;
use openhands_protocol::Event;
use openhands_protocol::tool::{FinishAction, ThinkAction};
use pretty_assertions::assert_eq;
use serde_json::json;

fn critic(value: serde_json::Value) -> Critic {
    serde_json::from_value(value).unwrap()
}

fn acted(made: Action) -> ActionEvent {
    match action("a", "c", "r", false) {
        Event::Action(mut event) => {
            event.action = Some(made);
            event
        }
        other => panic!("{other:?}"),
    }
}

fn finish() -> ActionEvent {
    acted(Action::Finish(FinishAction::default()))
}

fn think() -> ActionEvent {
    acted(Action::Think(ThinkAction::default()))
}

async fn score(kind: &str, patch: Option<&str>, last: Option<&ActionEvent>) -> f64 {
    let view = View::default();
    let evidence = Evidence {
        view: &view,
        last_action: last,
        tools: &[],
        git_patch: patch,
    };
    let web = reqwest::Client::new();
    let cancel = CancellationToken::new();
    let result = evaluate(&critic(json!({"kind": kind})), evidence, &web, cancel).await;
    result.unwrap().score
}

#[tokio::test]
async fn critics_that_need_no_model() {
    let (finish, think) = (finish(), think());
    for (kind, patch, last, wanted) in [
        ("PassCritic", None, None, 1.0),
        ("EmptyPatchCritic", None, Some(&finish), 0.0),
        ("EmptyPatchCritic", Some(" \n"), Some(&finish), 0.0),
        ("EmptyPatchCritic", Some("+x"), None, 1.0),
        ("AgentFinishedCritic", Some("+x"), Some(&finish), 1.0),
        ("AgentFinishedCritic", Some("+x"), Some(&think), 0.0),
        ("AgentFinishedCritic", Some("+x"), None, 0.0),
        ("AgentFinishedCritic", None, Some(&finish), 0.0),
    ] {
        let score = score(kind, patch, last).await;
        assert!((score - wanted).abs() < f64::EPSILON, "{kind} {patch:?}");
    }
}

#[tokio::test]
async fn an_unknown_critic_is_an_error() {
    let unknown = critic(json!({"kind": "NewCritic"}));
    let view = View::default();
    let evidence = Evidence {
        view: &view,
        last_action: None,
        tools: &[],
        git_patch: None,
    };
    let web = reqwest::Client::new();
    let error = evaluate(&unknown, evidence, &web, CancellationToken::new()).await;
    assert_eq!(
        error.unwrap_err().to_string(),
        "unknown kind of critic: NewCritic"
    );
}

#[test]
fn a_critic_is_asked_at_the_end_or_at_every_action() {
    let (finish, think) = (finish(), think());
    for (mode, at_think) in [("finish_and_message", false), ("all_actions", true)] {
        let critic = critic(json!({"kind": "PassCritic", "mode": mode}));
        assert!(is_due(&critic, Occasion::Message));
        assert!(is_due(&critic, Occasion::Action(&finish)));
        assert_eq!(is_due(&critic, Occasion::Action(&think)), at_think);
    }
}

fn judged(score: f64) -> CriticResult {
    result(score, "so")
}

#[test]
fn work_below_the_threshold_is_done_over_until_the_limit() {
    let critic = critic(json!({
        "kind": "EmptyPatchCritic", "iterative_refinement": {"success_threshold": 0.6, "max_iterations": 2},
    }));
    let first = refine(&critic, Some(&judged(0.599)), 0).unwrap();
    assert_eq!(first.iteration, 1);
    assert!(first.message.contains("iteration 1") && first.message.contains("59.9%"));
    let second = refine(&critic, Some(&judged(0.0)), first.iteration).unwrap();
    assert_eq!(second.iteration, 2);
    assert_eq!(refine(&critic, Some(&judged(0.0)), second.iteration), None);
    assert_eq!(refine(&critic, Some(&judged(0.6)), 0), None);
    assert_eq!(refine(&critic, None, 0), None);
}

#[test]
fn without_refinement_nothing_is_done_over() {
    let critic = critic(json!({"kind": "PassCritic"}));
    assert_eq!(refine(&critic, Some(&judged(0.0)), 0), None);
}

#[test]
fn a_likely_weakness_is_a_reason_and_is_named() {
    let critic = critic(json!({
        "kind": "APIBasedCritic", "api_key": "k", "iterative_refinement": {},
    }));
    let found = |probability: f64| {
        let issue = json!({"name": "loop_behavior", "display_name": "Loop Behavior", "probability": probability});
        let found = json!({"agent_behavioral_issues": [issue], "other": []});
        CriticResult {
            metadata: Some(findings::metadata(Vec::new(), found).into()),
            ..judged(0.9)
        }
    };
    assert_eq!(refine(&critic, Some(&found(0.74)), 0), None);
    let refinement = refine(&critic, Some(&found(0.75)), 0).unwrap();
    assert!(
        refinement
            .message
            .contains("Likely weaknesses: Loop Behavior (75%)\n")
    );
}
