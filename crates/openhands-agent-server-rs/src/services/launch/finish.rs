//! What is put into an agent at the moment when a conversation starts.

use jiff::Zoned;
use jiff::fmt::temporal::{DateTimeParser, PiecesOffset};
use jiff::tz::TimeZone;
use openhands_protocol::agent::{Agent, AgentContext};
use openhands_protocol::conversation::AgentLaunchAdditions;
use openhands_protocol::skills::Skill;

/// The agent with the time of the start, with memory if the user wants it, and with what the client adds.
pub(super) fn finish(
    mut agent: Agent,
    additions: Option<&AgentLaunchAdditions>,
    loads_memory: bool,
) -> Agent {
    if let Some(context) = &mut agent.agent_context
        && let Some(time) = &context.current_datetime
        && let Some(now) = now_in_zone_of(time)
    {
        context.current_datetime = Some(now);
    }
    if loads_memory {
        context_of(&mut agent).load_memory = true;
    }
    if let Some(additions) = additions {
        if let Some(text) = &additions.system_message_suffix_append {
            append_suffix(&mut agent, text);
        }
        add_skills(&mut agent, additions.skills.as_deref().unwrap_or_default());
    }
    agent
}

/// Lets the instructions of an agent end with one more text.
pub(crate) fn append_suffix(agent: &mut Agent, text: &str) {
    let text = text.trim();
    if text.is_empty() {
        return;
    }
    let suffix = &mut context_of(agent).system_message_suffix;
    let before = suffix.as_deref().map_or("", str::trim);
    *suffix = Some(if before.is_empty() {
        text.to_owned()
    } else {
        format!("{before}\n\n{text}")
    });
}

/// The agent's own skills and what it must not have win over what a client adds.
fn add_skills(agent: &mut Agent, skills: &[Skill]) {
    for skill in skills {
        let context = context_of(agent);
        let is_taken = context.skills.iter().any(|own| own.name == skill.name)
            || context.disabled_skills.contains(&skill.name);
        if !is_taken {
            context.skills.push(skill.clone());
        }
    }
}

fn context_of(agent: &mut Agent) -> &mut AgentContext {
    agent.agent_context.get_or_insert_default()
}

/// Now, in the time zone of another time; none if that is no time.
fn now_in_zone_of(time: &str) -> Option<String> {
    static PARSER: DateTimeParser = DateTimeParser::new();
    let pieces = PARSER.parse_pieces(time.trim()).ok()?;
    pieces.time()?;
    let zone = match pieces.offset() {
        Some(PiecesOffset::Zulu) => TimeZone::UTC,
        Some(PiecesOffset::Numeric(offset)) => TimeZone::fixed(offset.offset()),
        Some(_) | None => TimeZone::system(),
    };
    let now = Zoned::now().with_time_zone(zone);
    let form = if now.offset().is_zero() {
        "%Y-%m-%dT%H:%M:%S%.6fZ"
    } else {
        "%Y-%m-%dT%H:%M:%S%.6f%:z"
    };
    Some(now.strftime(form).to_string())
}

#[cfg(test)]
#[path = "finish_tests.rs"]
mod tests;
