//! What came of the hooks of one moment, for the loop that asked them.

use openhands_protocol::event::{EventHeader, HookExecutionEvent, MessageEvent, Source};
use openhands_protocol::hooks::{HookDefinition, HookType};
use openhands_protocol::message::TextContent;

use crate::hooks::evaluate::HookUsage;
use crate::hooks::input::HookInput;
use crate::hooks::verdict::Verdict;
use crate::secrets::Masker;

/// How much of a text an event keeps.
const MAX_LOG_CHARS: usize = 50_000;
/// At the end of a text of which the rest is not kept.
const CUT: &str = "\n<TRUNCATED>";
/// How much of a prompt names a hook that has no name.
const LABEL_CHARS: usize = 20;

/// What the hooks of one moment said.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct HookOutcome {
    /// One for each hook that ran, to be stored before the event that the hooks were asked about.
    pub events: Vec<HookExecutionEvent>,
    /// Why the step may not go on; only of moments that hooks can forbid.
    pub blocked: Option<String>,
    /// Text for the model; only of moments that can have some.
    pub context: Option<String>,
    /// What was used of models.
    pub usage: Vec<HookUsage>,
    /// The caller cancelled before all hooks had run: nothing may be concluded from the rest.
    pub cancelled: bool,
}

impl HookOutcome {
    /// Whether the step may go on.
    pub fn allows(&self) -> bool {
        self.blocked.is_none() && !self.cancelled
    }

    /// Adds the context to the message that the hooks were asked about.
    pub fn add_context_to(&self, message: &mut MessageEvent) {
        if let Some(context) = &self.context {
            message.extended_content.push(TextContent::new(context));
        }
    }

    /// What the agent is told that may not stop.
    pub fn stop_feedback(&self) -> Option<&str> {
        let blocked = self.blocked.as_deref()?;
        Some(self.context.as_deref().unwrap_or(blocked))
    }
}

/// How a hook is called in the log: its command, or its name, or how its prompt begins.
pub(super) fn label(hook: &HookDefinition) -> String {
    if !hook.command.is_empty() {
        return hook.command.clone();
    }
    let kind = hook.kind.as_str();
    let prompt = match hook.kind {
        HookType::Prompt => hook.prompt.as_deref(),
        HookType::Agent => hook.system_prompt.as_deref(),
        HookType::Command | HookType::Other(_) => None,
    };
    let prompt = prompt.filter(|prompt| !prompt.is_empty());
    let name = match &hook.name {
        Some(name) => name.clone(),
        None => prompt.map_or_else(
            || kind.to_owned(),
            |prompt| prompt.chars().take(LABEL_CHARS).collect(),
        ),
    };
    format!("{kind}-hook:{name}")
}

/// Hides the values of secrets in all that a hook said.
pub(super) fn mask(verdict: &mut Verdict, masker: &Masker) {
    masker.mask_string(&mut verdict.stdout);
    masker.mask_string(&mut verdict.stderr);
    let texts = [
        &mut verdict.reason,
        &mut verdict.additional_context,
        &mut verdict.error,
    ];
    for text in texts.into_iter().flatten() {
        masker.mask_string(text);
    }
}

/// The event for the log. The verdict is masked already.
pub(super) fn event(
    hook: &HookDefinition,
    input: &HookInput,
    verdict: &Verdict,
    masker: &Masker,
) -> HookExecutionEvent {
    let mut kept_input = input.about.kept_input.clone();
    if let Some(kept) = &mut kept_input {
        masker.mask_members(kept);
    }
    HookExecutionEvent {
        header: EventHeader::now(Source::Hook),
        hook_event_type: input.event_type,
        hook_command: label(hook),
        tool_name: input.tool_name.clone(),
        success: verdict.success,
        blocked: verdict.blocked,
        exit_code: verdict.exit_code,
        stdout: cut(&verdict.stdout),
        stderr: cut(&verdict.stderr),
        reason: verdict.reason.as_deref().map(cut),
        additional_context: verdict.additional_context.as_deref().map(cut),
        error: verdict.error.as_deref().map(cut),
        action_id: input.about.action.clone(),
        message_id: input.about.message.clone(),
        hook_input: kept_input,
        extra: openhands_protocol::Extra::EMPTY,
    }
}

fn cut(text: &str) -> String {
    if text.chars().nth(MAX_LOG_CHARS).is_none() {
        return text.to_owned();
    }
    let kept = text.chars().take(MAX_LOG_CHARS - CUT.len());
    kept.chain(CUT.chars()).collect()
}
