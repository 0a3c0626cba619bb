use super::*;
use openhands_protocol::event::{
    Condensation, CondensationSummaryEvent, EventHeader, ObservationEvent, PauseEvent,
    RejectionSource, UserRejectObservation,
};
use openhands_protocol::message::{Content, Message, MessageToolCall, TextContent};
use openhands_protocol::tool::{Action, TerminalAction, TerminalObservation};
use openhands_protocol::{Extra, ResponseId, ToolCallId};
use pretty_assertions::assert_eq;
use std::sync::atomic::{AtomicUsize, Ordering};

static NEXT: AtomicUsize = AtomicUsize::new(0);

fn action(command: &str, thought: &str) -> ActionEvent {
    let id = format!("call-{}", NEXT.fetch_add(1, Ordering::Relaxed));
    ActionEvent {
        header: EventHeader::now(Source::Agent),
        thought: vec![TextContent::new(thought)],
        reasoning_content: None,
        thinking_blocks: Vec::new(),
        responses_reasoning_item: None,
        action: Some(Action::Terminal(TerminalAction {
            command: command.to_owned(),
            ..TerminalAction::default()
        })),
        tool_name: "terminal".to_owned(),
        tool_call_id: ToolCallId::new(id.as_str()),
        tool_call: MessageToolCall::default(),
        llm_response_id: ResponseId::new(id.as_str()),
        security_risk: openhands_protocol::event::SecurityRisk::Unknown,
        critic_result: None,
        summary: None,
        extra: Extra::EMPTY,
    }
}

fn observed(action: &ActionEvent, text: &str) -> Event {
    Event::Observation(ObservationEvent {
        header: EventHeader::now(Source::Environment),
        tool_name: action.tool_name.clone(),
        tool_call_id: action.tool_call_id.clone(),
        observation: Observation::Terminal(TerminalObservation::with_text(text)),
        action_id: action.header.id.clone(),
        extended_content: Vec::new(),
        extra: Extra::EMPTY,
    })
}

fn failed(action: &ActionEvent, error: &str) -> Event {
    Event::AgentError(AgentErrorEvent {
        header: EventHeader::now(Source::Agent),
        tool_name: action.tool_name.clone(),
        tool_call_id: action.tool_call_id.clone(),
        error: error.to_owned(),
        classification: None,
        extra: Extra::EMPTY,
    })
}

fn rejected(action: &ActionEvent) -> Event {
    Event::UserReject(UserRejectObservation {
        header: EventHeader::now(Source::Environment),
        tool_name: action.tool_name.clone(),
        tool_call_id: action.tool_call_id.clone(),
        rejection_reason: "no".to_owned(),
        rejection_source: RejectionSource::User,
        action_id: action.header.id.clone(),
        extra: Extra::EMPTY,
    })
}

fn message(source: Source, text: &str) -> Event {
    Event::Message(MessageEvent {
        header: EventHeader::now(source),
        llm_message: Message {
            content: vec![Content::text(text)],
            ..Message::default()
        },
        llm_response_id: None,
        activated_skills: Vec::new(),
        extended_content: Vec::new(),
        sender: None,
        critic_result: None,
        extra: Extra::EMPTY,
    })
}

/// Events from a short script: `a` `b` calls with an answer, `A` `B` calls that fail, `o` a call with another
/// answer, `t` a call with another thought, `r` a rejected call, `u` `g` `e` messages of user, agent, environment,
/// `s` a summary, `c` a condensation, `p` a pause.
fn script(text: &str) -> Vec<Event> {
    let mut events = Vec::new();
    for (index, letter) in text.chars().enumerate() {
        let command = letter.to_lowercase().to_string();
        let call = match letter {
            'o' | 'r' => action("a", ""),
            't' => action("a", &index.to_string()),
            _ => action(&command, ""),
        };
        let answer = match letter {
            'A' | 'B' => failed(&call, &format!("error {index}")),
            'a' | 'b' | 't' => observed(&call, "out"),
            'o' => observed(&call, &index.to_string()),
            'r' => rejected(&call),
            'u' => message(Source::User, "do it"),
            'g' => message(Source::Agent, &index.to_string()),
            'e' => message(Source::Environment, "by the way"),
            's' => Event::CondensationSummary(CondensationSummaryEvent {
                header: EventHeader::now(Source::Environment),
                summary: String::new(),
                extra: Extra::EMPTY,
            }),
            'c' => Event::Condensation(Condensation {
                header: EventHeader::now(Source::Environment),
                forgotten_event_ids: Vec::new(),
                summary: None,
                summary_offset: None,
                llm_response_id: ResponseId::new("r"),
                extra: Extra::EMPTY,
            }),
            'p' => Event::Pause(PauseEvent {
                header: EventHeader::now(Source::User),
                extra: Extra::EMPTY,
            }),
            other => panic!("no event for {other}"),
        };
        if "abABotr".contains(letter) {
            events.push(Event::Action(call));
        }
        events.push(answer);
    }
    events
}

fn look(text: &str, thresholds: Thresholds) -> &'static str {
    let events = script(text);
    let events: Vec<&Event> = events.iter().collect();
    match progress(&events, thresholds) {
        Progress::Fine => "fine",
        Progress::Nudge(_) => "nudge",
        Progress::Stuck => "stuck",
    }
}

#[test]
fn each_rule_has_its_threshold() {
    for (text, expected) in [
        ("", "fine"),
        // Equal calls with equal answers.
        ("uaaa", "fine"),
        ("uaaaa", "stuck"),
        ("aaaa", "stuck"),
        ("uaaaau", "fine"),
        ("uaauaa", "fine"),
        ("uaaeaa", "stuck"),
        ("uaagaa", "stuck"),
        ("uoooo", "fine"),
        ("utttt", "fine"),
        ("uaaaA", "fine"),
        // Calls that fail.
        ("uAA", "fine"),
        ("uAAA", "nudge"),
        ("uAAAe", "fine"),
        ("uAAAA", "stuck"),
        ("uAAAeA", "stuck"),
        ("uAAAea", "fine"),
        ("uAAAeaAAA", "nudge"),
        ("uAAB", "fine"),
        ("uAAuA", "fine"),
        ("urrrr", "fine"),
        // Talking to itself.
        ("ugg", "fine"),
        ("uggg", "stuck"),
        ("ugegege", "stuck"),
        ("ugsgg", "stuck"),
        ("ugcgg", "fine"),
        ("ugpgg", "fine"),
        ("uggag", "fine"),
        ("uggga", "fine"),
        ("ugugg", "fine"),
        // Two calls in turn.
        ("uababa", "fine"),
        ("uababab", "stuck"),
        ("uaBaBaB", "fine"),
        ("uababao", "fine"),
    ] {
        assert_eq!(look(text, Thresholds::default()), expected, "{text}");
    }
}

#[test]
fn thresholds_can_be_set() {
    let with = |change: fn(&mut Thresholds)| {
        let mut thresholds = Thresholds::default();
        change(&mut thresholds);
        thresholds
    };
    assert_eq!(look("uaa", with(|t| t.action_observation = 2)), "stuck");
    assert_eq!(look("uAA", with(|t| t.action_error = 2)), "nudge");
    assert_eq!(look("uAAA", with(|t| t.action_error = 2)), "stuck");
    assert_eq!(look("ug", with(|t| t.monologue = 1)), "stuck");
    assert_eq!(look("uabab", with(|t| t.alternating_pattern = 4)), "stuck");
}

#[test]
fn only_the_latest_events_count() {
    let quiet = "e".repeat(19);
    assert_eq!(
        look(&format!("uaaaa{quiet}"), Thresholds::default()),
        "fine"
    );
    assert_eq!(
        look(&format!("u{quiet}aaaa"), Thresholds::default()),
        "stuck"
    );
}

#[test]
fn answers_of_a_batch_are_paired_with_their_own_calls() {
    let calls: Vec<ActionEvent> = (0..4).map(|_| action("a", "")).collect();
    let answers: Vec<Event> = calls
        .iter()
        .rev()
        .map(|call| observed(call, "out"))
        .collect();
    let calls: Vec<Event> = calls.into_iter().map(Event::Action).collect();
    let events: Vec<&Event> = calls.iter().chain(&answers).collect();
    assert_eq!(progress(&events, Thresholds::default()), Progress::Stuck);
}

#[test]
fn the_nudge_names_tool_count_and_error() {
    let events = script("uAAA");
    let events: Vec<&Event> = events.iter().collect();
    let Progress::Nudge(text) = progress(&events, Thresholds::default()) else {
        panic!("a nudge expected");
    };
    assert!(
        text.contains("`terminal`") && text.contains("3 times") && text.contains("error 3"),
        "{text}"
    );
}

#[test]
fn calls_that_could_not_be_read_are_told_apart_by_their_text() {
    let unreadable = |arguments: &str| {
        let mut call = action("", "");
        call.action = None;
        arguments.clone_into(&mut call.tool_call.arguments);
        call
    };
    let look = |arguments: [&str; 4]| {
        let events: Vec<Event> = arguments
            .into_iter()
            .flat_map(|text| {
                let call = unreadable(text);
                let error = failed(&call, "bad");
                [Event::Action(call), error]
            })
            .collect();
        let events: Vec<&Event> = events.iter().collect();
        progress(&events, Thresholds::default())
    };
    assert_eq!(look(["x"; 4]), Progress::Stuck);
    assert_eq!(look(["1", "2", "3", "4"]), Progress::Fine);
}
