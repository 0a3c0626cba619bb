//! A hook ran.

use crate::event::Source;
use crate::ids::EventId;
use crate::json::JsonObject;
use crate::text::words;
use crate::wire::wire;

words! {
    /// When a hook runs.
    pub enum HookEventType {
        PreToolUse = "PreToolUse",
        PostToolUse = "PostToolUse",
        UserPromptSubmit = "UserPromptSubmit",
        SessionStart = "SessionStart",
        SessionEnd = "SessionEnd",
        Stop = "Stop",
    }
}

wire! {
    /// What a hook did. It precedes the event that it is about.
    pub struct HookExecutionEvent ["kind" = "HookExecutionEvent"] event [header: Some(Source::Hook)] {
        hook_event_type: HookEventType,
        hook_command: String,
        tool_name: Option<String> = None,
        success: bool,
        blocked: bool = false,
        exit_code: i32,
        stdout: String = String::new(),
        stderr: String = String::new(),
        reason: Option<String> = None,
        additional_context: Option<String> = None,
        error: Option<String> = None,
        action_id: Option<EventId> = None,
        message_id: Option<EventId> = None,
        /// What the hook got on its standard input.
        hook_input: Option<JsonObject> = None,
    }
}
