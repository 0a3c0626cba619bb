//! Programs that run at certain points of a conversation.

use crate::text::words;
use crate::wire::wire;

words! {
    /// What a hook is.
    pub open enum HookType {
        Command = "command",
        Prompt = "prompt",
        Agent = "agent",
    }
}

wire! {
    /// One hook.
    pub struct HookDefinition (default) {
        kind as "type": HookType = HookType::Command,
        name: Option<String> = None,
        command: String = String::new(),
        prompt: Option<String> = None,
        system_prompt: Option<String> = None,
        tools: Vec<String> = Vec::new(),
        timeout: i64 = 60,
        max_iterations: i64 = 3,
        is_async as "async" or "async_": bool = false,
    }

    /// Hooks for the tools that a pattern names.
    pub struct HookMatcher (default) {
        matcher: String = "*".to_owned(),
        hooks: Vec<HookDefinition> = Vec::new(),
    }

    /// All hooks, by the point at which they run.
    pub struct HookConfig (default, closed) {
        pre_tool_use: Vec<HookMatcher> = Vec::new(),
        post_tool_use: Vec<HookMatcher> = Vec::new(),
        user_prompt_submit: Vec<HookMatcher> = Vec::new(),
        session_start: Vec<HookMatcher> = Vec::new(),
        session_end: Vec<HookMatcher> = Vec::new(),
        stop: Vec<HookMatcher> = Vec::new(),
    }

    /// Whose hooks to load.
    pub struct HooksRequest (default) {
        project_dir: Option<String> = None,
    }

    /// The hooks of a project.
    pub struct HooksResponse (default) {
        hook_config: Option<HookConfig> = None,
    }
}
