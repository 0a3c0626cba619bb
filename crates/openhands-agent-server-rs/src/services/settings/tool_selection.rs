//! Which tools an agent is to have: the standard set, older switches, and several names for one tool.

use openhands_protocol::tool::Tool;
use serde_json::{Map, Value, json};

/// The tools that every agent of the standard set has.
const STANDARD: [&str; 3] = ["terminal", "file_editor", "task_tracker"];
/// The browser, where one can run.
pub(crate) const BROWSER: &str = "browser_tool_set";
/// Sub-agents.
const SUB_AGENTS: &str = "task_tool_set";
const SWITCH_LLM: &str = "switch_llm";
/// Tools that start sub-agents.
const DELEGATING: [&str; 3] = [SUB_AGENTS, "workflow_tool_set", "workflow"];
/// Switches of older versions that are part of the selection today.
pub(crate) const RETIRED_SWITCHES: [&str; 2] = ["enable_sub_agents", "enable_switch_llm_tool"];

/// Built-in tools: the class by which an agent names them, and the name that the model uses.
const BUILT_IN: [(&str, &str); 6] = [
    ("FinishTool", "finish"),
    ("ThinkTool", "think"),
    ("InvokeSkillTool", "invoke_skill"),
    ("SwitchLLMTool", SWITCH_LLM),
    ("VisionInspectTool", "inspect_image_with_vision"),
    (ROUTER, "route_task_to_model"),
];
/// The built-in that chooses a model for a task; the only one that takes parameters.
pub(crate) const ROUTER: &str = "ClassifyAndSwitchLLMTool";
/// The built-ins that every agent has.
const ALWAYS: [&str; 2] = ["FinishTool", "ThinkTool"];
/// A parameter that any tool takes.
const RESPONSE_SCHEMA: &str = "response_schema";

/// The class of the built-in tool of this name or class.
pub(crate) fn built_in(name: &str) -> Option<&'static str> {
    BUILT_IN
        .iter()
        .find(|(class, tool)| *class == name || *tool == name)
        .map(|(class, _)| *class)
}

/// One name for a tool that has two.
fn canonical(name: &str) -> &str {
    BUILT_IN
        .iter()
        .find(|(class, _)| *class == name)
        .map_or(name, |(_, tool)| *tool)
}

/// One entry for each tool: the first, or the first with parameters.
pub(crate) fn merge_duplicates(tools: Vec<Tool>) -> Vec<Tool> {
    let mut merged: Vec<Tool> = Vec::with_capacity(tools.len());
    for mut tool in tools {
        let name = canonical(&tool.name).to_owned();
        tool.name = name;
        match merged.iter_mut().find(|kept| kept.name == tool.name) {
            None => merged.push(tool),
            Some(kept) if kept.params.is_empty() && !tool.params.is_empty() => *kept = tool,
            Some(_) => {}
        }
    }
    merged
}

/// Refuses parameters for a built-in tool that takes none.
pub(crate) fn check_parameters(tools: &[Tool]) -> Result<(), String> {
    let refused = tools.iter().find(|tool| {
        built_in(&tool.name).is_some_and(|class| class != ROUTER)
            && tool.params.keys().any(|name| name != RESPONSE_SCHEMA)
    });
    match refused {
        Some(tool) => Err(format!("Tool '{}' does not accept parameters", tool.name)),
        None => Ok(()),
    }
}

/// The tools that an agent starts with: the selection, or the standard set; without a browser that cannot run.
pub(crate) fn for_launch(selection: Option<&[Tool]>, has_browser: bool) -> Vec<Tool> {
    match selection {
        Some(tools) => tools
            .iter()
            .filter(|tool| has_browser || tool.name != BROWSER)
            .cloned()
            .collect(),
        None => STANDARD
            .into_iter()
            .chain(has_browser.then_some(BROWSER))
            .chain([SWITCH_LLM])
            .map(Tool::new)
            .collect(),
    }
}

/// Tools as an agent lists them: its own, and the classes of built-in ones.
pub(crate) fn split(tools: Vec<Tool>) -> (Vec<Tool>, Vec<String>) {
    let mut own = Vec::new();
    let mut classes: Vec<String> = ALWAYS.map(str::to_owned).into();
    for mut tool in merge_duplicates(tools) {
        let Some(class) = built_in(&tool.name) else {
            own.push(tool);
            continue;
        };
        let is_listed = classes.iter().any(|listed| listed == class);
        if !tool.params.is_empty() {
            class.clone_into(&mut tool.name);
            own.push(tool);
            classes.retain(|listed| listed != class);
        } else if !is_listed {
            classes.push(class.to_owned());
        }
    }
    (own, classes)
}

/// Lets sub-agents use no tool that the selection leaves out.
pub(crate) fn scope_sub_agents(tools: &mut [Tool]) {
    for tool in tools {
        if DELEGATING.contains(&tool.name.as_str()) {
            tool.params
                .insert("sub_agent_scope".to_owned(), json!({"tools": true}));
        }
    }
}

/// Forgets the switches of older versions.
pub(crate) fn drop_switches(settings: &mut Map<String, Value>) {
    for switch in RETIRED_SWITCHES {
        settings.shift_remove(switch);
    }
}

/// Makes a selection of tools of the switches of older versions. The error is a sentence for the client.
pub(crate) fn fold_switches(settings: &mut Map<String, Value>) -> Result<(), String> {
    let has_sub_agents = take_switch(settings, "enable_sub_agents", false)?;
    let can_switch_llm = take_switch(settings, "enable_switch_llm_tool", true)?;
    let mut tools = match settings.get("tools") {
        // An empty list was how the standard set was written once.
        None | Some(Value::Null) => None,
        Some(Value::Array(tools)) if tools.is_empty() => None,
        Some(Value::Array(tools)) => Some(tools.clone()),
        Some(_) => return Ok(()),
    };
    if tools.is_none() && !has_sub_agents && can_switch_llm {
        settings.insert("tools".to_owned(), Value::Null);
        return Ok(());
    }
    // The standard set without one of its tools can only be said by naming the others.
    let list = tools.get_or_insert_with(|| {
        STANDARD
            .into_iter()
            .chain([BROWSER])
            .chain(has_sub_agents.then_some(SUB_AGENTS))
            .map(|name| json!({"name": name, "params": {}}))
            .collect()
    });
    let is_switch = |tool: &Value| {
        let name = tool.get("name").and_then(Value::as_str);
        name.is_some_and(|name| canonical(name) == SWITCH_LLM)
    };
    if !can_switch_llm {
        list.retain(|tool| !is_switch(tool));
    } else if !list.iter().any(is_switch) {
        list.push(json!({"name": SWITCH_LLM, "params": {}}));
    }
    settings.insert("tools".to_owned(), tools.into());
    Ok(())
}

fn take_switch(
    settings: &mut Map<String, Value>,
    name: &str,
    default: bool,
) -> Result<bool, String> {
    match settings.shift_remove(name) {
        None => Ok(default),
        Some(Value::Bool(on)) => Ok(on),
        Some(_) => Err(format!("{name} must be true or false")),
    }
}

#[cfg(test)]
#[path = "tool_selection_tests.rs"]
mod tests;
