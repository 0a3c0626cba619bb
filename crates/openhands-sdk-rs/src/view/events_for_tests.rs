//! Events for tests, with ids that can be read.

use openhands_protocol::event::{
    ActionEvent, AgentErrorEvent, Condensation, CondensationRequest, EventHeader, MessageEvent,
    ObservationEvent, SecurityRisk, Source, SystemPromptEvent,
};
use openhands_protocol::message::{
    Message, MessageToolCall, Role, TextContent, ThinkingBlock, ThinkingText,
};
use openhands_protocol::tool::{Observation, ThinkObservation};
use openhands_protocol::{Event, EventId, Extra, ResponseId, ToolCallId};

fn header(id: &str, source: Source) -> EventHeader {
    EventHeader {
        id: EventId::new(id),
        ..EventHeader::now(source)
    }
}

pub(crate) fn system(id: &str) -> Event {
    Event::SystemPrompt(SystemPromptEvent {
        header: header(id, Source::Agent),
        system_prompt: TextContent::new("You are an agent."),
        tools: Vec::new(),
        dynamic_context: None,
        extra: Extra::EMPTY,
    })
}

fn said(id: &str, source: Source, role: Role, text: &str) -> Event {
    Event::Message(MessageEvent {
        header: header(id, source),
        llm_message: Message::text(role, text),
        llm_response_id: None,
        activated_skills: Vec::new(),
        extended_content: Vec::new(),
        sender: None,
        critic_result: None,
        extra: Extra::EMPTY,
    })
}

pub(crate) fn user(id: &str, text: &str) -> Event {
    said(id, Source::User, Role::User, text)
}

pub(crate) fn agent(id: &str, text: &str) -> Event {
    said(id, Source::Agent, Role::Assistant, text)
}

pub(crate) fn action(id: &str, call: &str, response: &str, thinks: bool) -> Event {
    let thinking = ThinkingBlock::Thinking(ThinkingText {
        thinking: "hm".to_owned(),
        ..ThinkingText::default()
    });
    Event::Action(ActionEvent {
        header: header(id, Source::Agent),
        thought: Vec::new(),
        reasoning_content: None,
        thinking_blocks: thinks.then_some(thinking).into_iter().collect(),
        responses_reasoning_item: None,
        action: None,
        tool_name: "think".to_owned(),
        tool_call_id: ToolCallId::new(call),
        tool_call: MessageToolCall {
            id: ToolCallId::new(call),
            name: "think".to_owned(),
            arguments: "{}".to_owned(),
            ..MessageToolCall::default()
        },
        llm_response_id: ResponseId::new(response),
        security_risk: SecurityRisk::Unknown,
        critic_result: None,
        summary: None,
        extra: Extra::EMPTY,
    })
}

pub(crate) fn observation(id: &str, call: &str, action: &str, text: &str) -> Event {
    Event::Observation(ObservationEvent {
        header: header(id, Source::Environment),
        tool_name: "think".to_owned(),
        tool_call_id: ToolCallId::new(call),
        observation: Observation::Think(ThinkObservation::with_text(text)),
        action_id: EventId::new(action),
        extended_content: Vec::new(),
        extra: Extra::EMPTY,
    })
}

pub(crate) fn error(id: &str, call: &str, text: &str) -> Event {
    Event::AgentError(AgentErrorEvent {
        header: header(id, Source::Agent),
        tool_name: "think".to_owned(),
        tool_call_id: ToolCallId::new(call),
        error: text.to_owned(),
        classification: None,
        extra: Extra::EMPTY,
    })
}

pub(crate) fn condensation(
    id: &str,
    forgotten: &[&str],
    summary: Option<&str>,
    offset: i64,
) -> Event {
    Event::Condensation(Condensation {
        header: header(id, Source::Environment),
        forgotten_event_ids: forgotten.iter().map(|id| EventId::new(*id)).collect(),
        summary: summary.map(str::to_owned),
        summary_offset: Some(offset),
        llm_response_id: ResponseId::new("summary"),
        extra: Extra::EMPTY,
    })
}

pub(crate) fn request(id: &str) -> Event {
    Event::CondensationRequest(CondensationRequest {
        header: header(id, Source::Environment),
        extra: Extra::EMPTY,
    })
}

/// A system prompt, a user message, and `turns` pairs of action and observation.
pub(crate) fn turns(turns: usize, thinks: bool) -> Vec<Event> {
    let mut events = vec![system("s"), user("u", "go")];
    for turn in 0..turns {
        let (a, o) = (format!("a{turn}"), format!("o{turn}"));
        let (call, response) = (format!("c{turn}"), format!("r{turn}"));
        events.push(action(&a, &call, &response, thinks && turn == 0));
        events.push(observation(&o, &call, &a, &format!("answer {turn}")));
    }
    events
}
