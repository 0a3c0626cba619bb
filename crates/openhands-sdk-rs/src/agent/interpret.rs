//! What a model's answer means: a message, calls that can be made, calls that cannot.

use openhands_llm::{Completion, spaced_json};
use openhands_protocol::event::{
    ActionEvent, AgentErrorEvent, ErrorClassification, EventHeader, MessageEvent, SecurityRisk,
    Source,
};
use openhands_protocol::message::{Content, Message, MessageToolCall, TextContent};
use openhands_protocol::{EventId, Extra, ResponseId};
use openhands_tools::{Definitions, ToolDefinition};
use serde_json::{Map, Value, json};

use crate::agent::repair::{self, GrepProgram};

/// What an answer amounts to.
#[derive(Debug)]
pub(crate) enum Reply {
    /// The agent says something, and its turn is over.
    Message(Box<MessageEvent>),
    /// There is nothing in it that could be acted on.
    Empty(Box<MessageEvent>),
    /// The agent calls tools.
    Calls(Vec<PlannedCall>),
}

/// One call of an answer.
#[derive(Debug)]
pub(crate) struct PlannedCall {
    /// The call as it goes into the log.
    pub(crate) event: ActionEvent,
    /// Why it cannot be executed, if it cannot.
    pub(crate) refusal: Option<AgentErrorEvent>,
}

/// What an answer is read with.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Interpreter<'a> {
    /// The tools that can be called.
    pub(crate) definitions: &'a Definitions,
    /// What searches where the terminal is.
    pub(crate) grep: GrepProgram,
    /// Whether somebody looks at the risk that the model wrote.
    pub(crate) has_analyzer: bool,
}

/// Why a call cannot be executed.
struct Refusal {
    error: String,
    /// The arguments cannot even be shown to the model again.
    is_unreadable: bool,
}

impl Interpreter<'_> {
    /// Reads an answer. `id` is that of the event that it becomes, or of the first of them.
    pub(crate) fn read(self, answer: Completion, id: EventId) -> Reply {
        let Completion {
            mut message,
            response_id,
            ..
        } = answer;
        match message.tool_calls.take() {
            Some(calls) if !calls.is_empty() => {
                Reply::Calls(self.calls(message, calls, &response_id, id))
            }
            Some(_) | None => {
                let has_text = message
                    .content
                    .iter()
                    .any(|part| part.as_text().is_none_or(|text| !text.trim().is_empty()));
                if message.content.is_empty() {
                    // compat: an answer of nothing is stored as a message of one empty text.
                    message.content.push(Content::text(""));
                }
                let event = Box::new(message_event(message, response_id, id));
                if has_text {
                    Reply::Message(event)
                } else {
                    Reply::Empty(event)
                }
            }
        }
    }

    fn calls(
        self,
        message: Message,
        calls: Vec<MessageToolCall>,
        response_id: &ResponseId,
        first_id: EventId,
    ) -> Vec<PlannedCall> {
        let mut first = Some((message, first_id));
        calls
            .into_iter()
            .map(|call| {
                let mut planned = self.call(call, response_id);
                if let Some((message, id)) = first.take() {
                    planned.event.header.id = id;
                    planned.event.thought = thought(message.content);
                    planned.event.reasoning_content = message.reasoning_content;
                    planned.event.thinking_blocks = message.thinking_blocks;
                    planned.event.responses_reasoning_item = message.responses_reasoning_item;
                }
                planned
            })
            .collect()
    }

    fn call(self, call: MessageToolCall, response_id: &ResponseId) -> PlannedCall {
        let mut event = ActionEvent {
            header: EventHeader::now(Source::Agent),
            thought: Vec::new(),
            reasoning_content: None,
            thinking_blocks: Vec::new(),
            responses_reasoning_item: None,
            action: None,
            tool_name: call.name.clone(),
            tool_call_id: call.id.clone(),
            tool_call: call,
            llm_response_id: response_id.clone(),
            security_risk: SecurityRisk::Unknown,
            critic_result: None,
            summary: None,
            extra: Extra::default(),
        };
        let refusal = self.fill(&mut event).err().map(|refusal| {
            if refusal.is_unreadable {
                // What goes back to the model must be JSON again.
                event.tool_call.arguments = spaced_json(&json!({
                    "_openhands_malformed_tool_call": true,
                    "error": refusal.error,
                }));
            }
            AgentErrorEvent::answering(&event, refusal.error, ErrorClassification::agent_action())
        });
        PlannedCall { event, refusal }
    }

    /// Reads, repairs and validates a call, and puts the outcome into its event.
    fn fill(self, event: &mut ActionEvent) -> Result<(), Refusal> {
        let arguments = repair::parse(&event.tool_call.arguments).map_err(|error| Refusal {
            error: format!(
                "Error validating tool '{}': {error}. Arguments: unparseable JSON",
                event.tool_name
            ),
            is_unreadable: true,
        })?;
        let registered: Vec<&str> = self
            .definitions
            .iter()
            .map(|tool| tool.spec().name.as_str())
            .collect();
        let given = provided(&arguments);
        let call = repair::call(&event.tool_name, arguments, &registered, self.grep)
            .map_err(|error| invalid(&event.tool_name, &error.to_string(), &given))?;
        event.tool_name.clone_from(&call.name);
        let Some(tool) = self.definitions.get(&call.name) else {
            return Err(Refusal {
                error: format!(
                    "Tool '{}' not found. Available: {}",
                    call.name,
                    quoted(registered.iter().copied())
                ),
                is_unreadable: false,
            });
        };
        let mut arguments = repair::types(call.arguments, &tool.spec().input_schema.0);
        keep_repair(&mut event.tool_call, &call.name, &arguments);
        let given = provided(&arguments);
        let risk = self.take_risk(&mut arguments, &**tool);
        let summary = take_summary(&mut arguments, &**tool);
        let refused = |text: &str| invalid(&call.name, text, &given);
        event.security_risk = risk.map_err(|text| refused(&text))?;
        let action = tool
            .decode(&arguments)
            .map_err(|problems| refused(&problems.to_string()))?;
        event.summary = Some(summary.unwrap_or_else(|| {
            format!("{}: {}", call.name, spaced_json(&Value::Object(arguments)))
        }));
        event.action = Some(action);
        Ok(())
    }

    /// The risk that the model wrote. Nobody looks at it without an analyzer, and a tool that only reads has none.
    fn take_risk(
        self,
        arguments: &mut Map<String, Value>,
        tool: &dyn ToolDefinition,
    ) -> Result<SecurityRisk, String> {
        let written = arguments.shift_remove("security_risk");
        if !self.has_analyzer || tool.spec().is_read_only() {
            return Ok(SecurityRisk::Unknown);
        }
        match written {
            None => Ok(SecurityRisk::Unknown),
            Some(Value::String(word)) => word
                .parse()
                .map_err(|_| format!("Invalid security_risk value: {word}")),
            Some(other) => Err(format!("Invalid security_risk value: {other}")),
        }
    }
}

/// The history holds the call as it was repaired; one that needed no repair stays letter for letter.
fn keep_repair(call: &mut MessageToolCall, name: &str, arguments: &Map<String, Value>) {
    if call.name != name {
        name.clone_into(&mut call.name);
    }
    let as_written: Option<Map<String, Value>> = serde_json::from_str(&call.arguments).ok();
    if as_written.as_ref() != Some(arguments) {
        call.arguments = spaced_json(&Value::Object(arguments.clone()));
    }
}

/// What the call is for, in the model's words. A tool with a `summary` of its own keeps it.
fn take_summary(arguments: &mut Map<String, Value>, tool: &dyn ToolDefinition) -> Option<String> {
    let is_own = tool
        .spec()
        .input_schema
        .0
        .get("properties")
        .and_then(|properties| properties.get("summary"))
        .is_some();
    let written = if is_own {
        arguments.get("summary").cloned()
    } else {
        arguments.shift_remove("summary")
    };
    match written {
        Some(Value::String(text)) if !text.trim().is_empty() => Some(text),
        Some(_) | None => None,
    }
}

fn invalid(tool: &str, text: &str, given: &str) -> Refusal {
    Refusal {
        error: format!("Error validating tool '{tool}': {text}. Parameters provided: {given}"),
        is_unreadable: false,
    }
}

/// The names of arguments, as a list of quoted words.
fn provided(arguments: &Map<String, Value>) -> String {
    quoted(arguments.keys().map(String::as_str))
}

fn quoted<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<String> = names.map(|name| format!("'{name}'")).collect();
    format!("[{}]", names.join(", "))
}

fn thought(content: Vec<Content>) -> Vec<TextContent> {
    content
        .into_iter()
        .filter_map(|part| match part {
            Content::Text(text) if !text.text.is_empty() => Some(text),
            Content::Text(_) | Content::Image(_) | Content::Unknown(_) => None,
        })
        .collect()
}

fn message_event(message: Message, response_id: ResponseId, id: EventId) -> MessageEvent {
    let mut event = MessageEvent::new(Source::Agent, message);
    event.header.id = id;
    event.llm_response_id = Some(response_id);
    event
}
