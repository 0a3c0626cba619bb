//! All that a system prompt is made of.

use openhands_protocol::agent::Agent;
use openhands_protocol::skills::Skill;
use serde_json::Value;

use crate::prompt::dynamic::SecretInfo;
use crate::prompt::family::{Family, Variant};
use crate::prompt::files::PromptFiles;

/// All that a system prompt is made of.
#[derive(Debug, Clone, Copy)]
pub struct PromptInput<'a> {
    /// The agent: its own texts, its model, its settings for the prompt.
    pub agent: &'a Agent,
    /// What was read for it.
    pub files: &'a PromptFiles,
    /// The names of the tools that the model will see.
    pub tools: &'a [String],
    /// The text of SOUL.md, if there is one.
    pub soul: Option<&'a str>,
    /// How the model should call the directory of the user's memory, such as `~/.openhands/memory/`.
    pub user_memory: &'a str,
    /// The skills of the conversation.
    pub skills: &'a [Skill],
    /// What was remembered from earlier conversations.
    pub memory: Option<&'a str>,
    /// The secrets that commands can use.
    pub secrets: &'a [SecretInfo],
    /// The date and time; cut to the minute.
    pub now: Option<&'a str>,
}

impl PromptInput<'_> {
    /// A setting for the prompt.
    pub(crate) fn setting(&self, name: &str) -> Option<&Value> {
        self.agent.system_prompt_kwargs.0.get(name)
    }

    /// A setting that is on or off.
    pub(crate) fn flag(&self, name: &str, default: bool) -> bool {
        self.setting(name).map_or(default, is_true)
    }

    /// Who the agent is, if it says so itself.
    pub(crate) fn persona(&self) -> Option<&str> {
        let set = self.setting("persona").and_then(Value::as_str);
        self.agent
            .persona
            .as_deref()
            .or(set)
            .filter(|persona| !persona.trim().is_empty())
    }

    /// Whether the agent keeps a memory of its own.
    pub(crate) fn has_memory(&self) -> bool {
        let loads = self
            .agent
            .agent_context
            .as_ref()
            .is_some_and(|context| context.load_memory);
        self.flag("memory_enabled", loads)
    }

    /// Whether a tool is there.
    pub(crate) fn has_tool(&self, name: &str) -> bool {
        self.tools.iter().any(|tool| tool == name)
    }

    /// The family of the model, unless a setting says otherwise.
    pub(crate) fn family(&self) -> Option<Family> {
        if let Some(name) = self.setting("model_family").and_then(Value::as_str) {
            return Family::named(name);
        }
        let llm = &self.agent.llm;
        let canonical = llm.model_canonical_name.as_deref();
        Family::of(&llm.model).or_else(|| Family::of(canonical?))
    }

    /// The variant of the model within its family, unless a setting says otherwise.
    pub(crate) fn variant(&self) -> Option<Variant> {
        if let Some(name) = self.setting("model_variant").and_then(Value::as_str) {
            return Variant::named(name);
        }
        let llm = &self.agent.llm;
        let canonical = llm.model_canonical_name.as_deref();
        let canonical = canonical.filter(|name| !name.trim().is_empty());
        Variant::of(self.family()?, canonical.unwrap_or(&llm.model))
    }
}

/// Whether a value counts as true: anything but null, false, zero and what is empty.
fn is_true(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(flag) => *flag,
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::String(text) => !text.is_empty(),
        Value::Array(items) => !items.is_empty(),
        Value::Object(members) => !members.is_empty(),
    }
}
