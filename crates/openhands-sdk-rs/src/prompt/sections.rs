//! The sections of the static text, and their order. The words are in the files of `text/`.

use serde_json::Value;

use crate::prompt::family::{Family, Variant};
use crate::prompt::inputs::PromptInput;

/// Between sections.
pub(crate) const GAP: &str = "\n\n";

/// The built-in prompt. Those sections that say who the agent is and how it works give way to a persona.
pub(crate) fn default_prompt(input: &PromptInput<'_>) -> String {
    let own = input.persona().is_none();
    let mut text: Vec<String> = Vec::new();
    let mut add = |is_wanted: bool, tag: &str, body: &str| {
        if is_wanted {
            text.extend(section(tag, body));
        }
    };
    add(own, "SOUL", soul(input));
    add(own, "ROLE", include_str!("text/role.md"));
    add(true, "MEMORY", &memory(input));
    add(own, "EFFICIENCY", include_str!("text/efficiency.md"));
    add(
        own,
        "FILE_SYSTEM_GUIDELINES",
        include_str!("text/file_system.md"),
    );
    add(own, "CODE_QUALITY", include_str!("text/code_quality.md"));
    add(
        own,
        "VERSION_CONTROL",
        include_str!("text/version_control.md"),
    );
    add(own, "PULL_REQUESTS", include_str!("text/pull_requests.md"));
    add(
        own,
        "PROBLEM_SOLVING_WORKFLOW",
        include_str!("text/workflow.md"),
    );
    add(
        own,
        "SELF_DOCUMENTATION",
        include_str!("text/self_documentation.md"),
    );
    add(
        !input.agent.security_policy_filename.is_empty(),
        "SECURITY",
        policy(input),
    );
    add(
        input.flag("llm_security_analyzer", true),
        "SECURITY_RISK_ASSESSMENT",
        &risk(input),
    );
    let guidance = tool_guidance(input);
    let mut rest: Vec<String> = Vec::new();
    let mut add = |is_wanted: bool, tag: &str, body: &str| {
        if is_wanted {
            rest.extend(section(tag, body));
        }
    };
    add(
        true,
        "EXTERNAL_SERVICES",
        include_str!("text/external_services.md"),
    );
    add(
        own,
        "ENVIRONMENT_SETUP",
        include_str!("text/environment_setup.md"),
    );
    add(
        own,
        "TROUBLESHOOTING",
        include_str!("text/troubleshooting.md"),
    );
    add(
        true,
        "PROCESS_MANAGEMENT",
        include_str!("text/process_management.md"),
    );
    add(true, "IMPORTANT", important(input));
    let persona = input.persona().map(|persona| persona.trim().to_owned());
    let all: Vec<String> = persona
        .into_iter()
        .chain(text)
        .chain(guidance)
        .chain(rest)
        .collect();
    all.join(GAP)
}

/// The built-in prompt of an agent that plans.
pub(crate) fn planning_prompt(input: &PromptInput<'_>) -> String {
    let structure = input
        .setting("plan_structure")
        .and_then(Value::as_str)
        .unwrap_or_default();
    let plan = include_str!("text/planning.md").replace("{plan_structure}", structure.trim());
    let persona = input.persona().map(|persona| persona.trim().to_owned());
    let all: Vec<String> = persona
        .into_iter()
        .chain([plan.trim().to_owned()])
        .collect();
    all.join(GAP)
}

/// What the tools themselves have to say, in a fixed order.
pub(crate) fn tool_guidance(input: &PromptInput<'_>) -> Vec<String> {
    let mut guidance = Vec::new();
    if input.has_tool("task_tracker") {
        guidance.extend(section(
            "TASK_MANAGEMENT",
            include_str!("text/task_tracker.md"),
        ));
    }
    if input.tools.iter().any(|tool| tool.starts_with("browser_")) {
        guidance.extend(section(
            "BROWSER_TOOLS",
            include_str!("text/browser_tools.md"),
        ));
    }
    guidance
}

/// A section, unless there is nothing in it.
pub(crate) fn section(tag: &str, body: &str) -> Option<String> {
    let body = body.trim();
    (!body.is_empty()).then(|| format!("<{tag}>\n{body}\n</{tag}>"))
}

/// Who the agent is: the user's words, or ours.
pub(crate) fn soul<'a>(input: &PromptInput<'a>) -> &'a str {
    let set = input
        .agent
        .system_prompt_kwargs
        .0
        .get("soul_content")
        .and_then(Value::as_str);
    let theirs = set.or(input.soul).filter(|soul| !soul.trim().is_empty());
    theirs.unwrap_or(include_str!("text/soul.md")).trim()
}

fn memory(input: &PromptInput<'_>) -> String {
    if input.has_memory() {
        include_str!("text/memory_two_tier.md").replace("{user_memory}", input.user_memory)
    } else {
        include_str!("text/memory_agents_md.md").to_owned()
    }
}

fn policy<'a>(input: &PromptInput<'a>) -> &'a str {
    let own = input.files.policy.as_deref();
    own.unwrap_or(include_str!("text/security_policy.md"))
}

fn risk(input: &PromptInput<'_>) -> String {
    let tiers = if input.flag("cli_mode", true) {
        include_str!("text/risk_cli.md")
    } else {
        include_str!("text/risk_sandbox.md")
    };
    let parts = [
        include_str!("text/risk_intro.md"),
        tiers,
        include_str!("text/risk_rules.md"),
    ];
    parts.map(str::trim).join("\n")
}

fn important(input: &PromptInput<'_>) -> &'static str {
    match (input.family(), input.variant()) {
        (Some(Family::Claude), _) => include_str!("text/important_claude.md"),
        (Some(Family::Gemini), _) => include_str!("text/important_gemini.md"),
        (Some(Family::Gpt), Some(Variant::Gpt5)) => include_str!("text/important_gpt5.md"),
        (Some(Family::Gpt), Some(Variant::Gpt5Codex)) => {
            include_str!("text/important_gpt5_codex.md")
        }
        (Some(Family::Llama | Family::Mistral | Family::DeepSeek | Family::Qwen), _) => {
            include_str!("text/important_open.md")
        }
        (Some(Family::Gpt) | None, _) => "",
    }
}
