//! The system prompt: what the model is told before anything else.
//!
//! It has two parts. The **static** text depends on the agent alone, so that providers can keep it in their caches
//! from one conversation to the next. The **dynamic** text has what differs: the repository, memory, skills, secrets
//! and, last of all, the time. Both are pure functions of [`PromptInput`]; [`PromptFiles::read`] does the only reading.

mod dynamic;
mod family;
mod files;
mod inputs;
mod sections;
mod template;

pub use dynamic::{SecretInfo, secret_infos, to_the_minute};
pub use family::{Family, Variant};
pub use files::{PromptError, PromptFiles, read_soul};
pub use inputs::PromptInput;

/// The name of the file that stands for the built-in prompt.
pub const DEFAULT_PROMPT: &str = "system_prompt.j2";
/// The name of the file that stands for the built-in prompt of a planning agent.
pub const PLANNING_PROMPT: &str = "system_prompt_planning.j2";
/// The name of the file that stands for the built-in security policy.
pub const DEFAULT_POLICY: &str = "security_policy.j2";

/// The system prompt in its two parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SystemPrompt {
    /// The same for every conversation of an agent.
    pub static_text: String,
    /// What differs; none if there is nothing of the kind.
    pub dynamic: Option<String>,
}

/// Writes the system prompt. The same input gives the same bytes.
pub fn system(input: &PromptInput<'_>) -> Result<SystemPrompt, PromptError> {
    Ok(SystemPrompt {
        static_text: static_text(input)?,
        dynamic: dynamic::text(input),
    })
}

fn static_text(input: &PromptInput<'_>) -> Result<String, PromptError> {
    let agent = input.agent;
    if let Some(own) = &agent.system_prompt {
        if agent.system_prompt_filename != DEFAULT_PROMPT {
            return Err(PromptError::Both);
        }
        let mut parts = vec![own.clone()];
        parts.extend(sections::tool_guidance(input));
        return Ok(parts.join("\n\n"));
    }
    match agent.system_prompt_filename.as_str() {
        DEFAULT_PROMPT => Ok(sections::default_prompt(input)),
        PLANNING_PROMPT => Ok(sections::planning_prompt(input)),
        _ => template::render(input),
    }
}

#[cfg(test)]
#[path = "prompt_tests.rs"]
mod tests;
