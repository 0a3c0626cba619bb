use super::*;
use crate::subagents::agent::plain;
use openhands_protocol::llm::Llm;
use pretty_assertions::assert_eq;

fn params(value: Value) -> JsonObject {
    match value {
        Value::Object(fields) => JsonObject(fields),
        _ => JsonObject::new(),
    }
}

fn parent() -> Agent {
    plain(
        Llm::default(),
        vec![Tool::new("TerminalTool"), Tool::new("task_tool_set")],
    )
}

fn wanting(tools: &[&str]) -> AgentDefinition {
    AgentDefinition {
        tools: tools.iter().map(ToString::to_string).collect(),
        ..AgentDefinition::default()
    }
}

#[test]
fn without_limits_nothing_is_missing() {
    let missing = Scope::default().missing(&parent(), &wanting(&["grep", "glob"]));
    assert_eq!(missing, Vec::<String>::new());
}

#[test]
fn what_the_parent_lacks_is_missing_whatever_it_is_called() {
    let scope = Scope { tools: true };
    let wanted = wanting(&["terminal", "grep", "task_tracker", "FinishTool", "GlobTool"]);
    assert_eq!(scope.missing(&parent(), &wanted), ["glob", "grep"]);
}

#[test]
fn limits_are_passed_on_to_tools_that_start_sub_agents() {
    let mut tools = vec![Tool::new("terminal"), Tool::new("TaskToolSet")];
    Scope { tools: true }.narrow(&mut tools);
    assert_eq!(tools[0], Tool::new("terminal"));
    assert_eq!(
        Scope::of("task", &tools[1].params),
        Ok(Scope { tools: true })
    );
}

#[test]
fn parameters_are_read_and_nonsense_is_refused() {
    let read = |value| Scope::of("task", &params(value));
    assert_eq!(read(json!({})), Ok(Scope::default()));
    assert_eq!(
        read(json!({"sub_agent_scope": {"tools": true, "mcp_servers": true}})),
        Ok(Scope { tools: true })
    );
    for bad in [json!({"files": true}), json!({"tools": "yes"}), json!(3)] {
        assert!(read(json!({"sub_agent_scope": bad})).is_err(), "{bad}");
    }
}
