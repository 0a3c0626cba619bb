use openhands_protocol::tool::Tool;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use super::{
    check_parameters, fold_switches, for_launch, merge_duplicates, scope_sub_agents, split,
};

fn tools(value: Value) -> Vec<Tool> {
    serde_json::from_value(value).unwrap()
}

fn names(tools: &[Tool]) -> Vec<&str> {
    tools.iter().map(|tool| tool.name.as_str()).collect()
}

/// The reference answered a start request with these tools.
#[test]
fn one_tool_under_two_names_is_one_and_built_ins_are_listed_by_class() {
    let given = tools(json!([
        {"name": "terminal"}, {"name": "terminal", "params": {"x": 1}}, {"name": "FinishTool"},
        {"name": "browser_tool_set"}, {"name": "think"}
    ]));
    let (own, classes) = split(for_launch(Some(&given), false));
    assert_eq!(
        own,
        tools(json!([{"name": "terminal", "params": {"x": 1}}]))
    );
    assert_eq!(classes, ["FinishTool", "ThinkTool"]);

    let with_params = tools(json!([{"name": "finish", "params": {"response_schema": {}}}]));
    let (own, classes) = split(with_params);
    assert_eq!(
        own,
        tools(json!([{"name": "FinishTool", "params": {"response_schema": {}}}]))
    );
    assert_eq!(classes, ["ThinkTool"]);
}

#[test]
fn the_standard_set_has_a_browser_where_one_runs() {
    let (own, classes) = split(for_launch(None, false));
    assert_eq!(names(&own), ["terminal", "file_editor", "task_tracker"]);
    assert_eq!(classes, ["FinishTool", "ThinkTool", "SwitchLLMTool"]);
    assert_eq!(
        names(&for_launch(None, true)),
        [
            "terminal",
            "file_editor",
            "task_tracker",
            "browser_tool_set",
            "switch_llm"
        ]
    );
    assert!(for_launch(Some(&[]), true).is_empty());
}

#[test]
fn built_in_tools_take_no_parameters_but_two() {
    let refused = tools(
        json!([{"name": "terminal", "params": {"a": 1}}, {"name": "finish", "params": {"a": 1}}]),
    );
    assert_eq!(
        check_parameters(&refused),
        Err("Tool 'finish' does not accept parameters".to_owned())
    );
    let taken = tools(json!([
        {"name": "FinishTool", "params": {"response_schema": {}}},
        {"name": "ClassifyAndSwitchLLMTool", "params": {"active_meta_profile": "m"}}
    ]));
    assert_eq!(check_parameters(&taken), Ok(()));
    assert_eq!(
        names(&merge_duplicates(taken)),
        ["finish", "route_task_to_model"]
    );
}

#[test]
fn sub_agents_stay_within_a_selection() {
    let mut selected =
        tools(json!([{"name": "terminal"}, {"name": "task_tool_set", "params": {"a": 1}}]));
    scope_sub_agents(&mut selected);
    assert_eq!(
        selected,
        tools(json!([
            {"name": "terminal"},
            {"name": "task_tool_set", "params": {"a": 1, "sub_agent_scope": {"tools": true}}}
        ]))
    );
}

#[test]
fn switches_of_older_versions_become_a_selection() {
    let folded = |settings: Value| {
        let Value::Object(mut settings) = settings else {
            panic!("an object");
        };
        fold_switches(&mut settings).unwrap();
        Value::Object(settings)
    };
    assert_eq!(folded(json!({"tools": []})), json!({"tools": null}));
    assert_eq!(
        folded(json!({"enable_sub_agents": true}))["tools"],
        json!([
            {"name": "terminal", "params": {}}, {"name": "file_editor", "params": {}},
            {"name": "task_tracker", "params": {}}, {"name": "browser_tool_set", "params": {}},
            {"name": "task_tool_set", "params": {}}, {"name": "switch_llm", "params": {}}
        ])
    );
    assert_eq!(
        folded(
            json!({"tools": [{"name": "SwitchLLMTool"}, {"name": "grep"}], "enable_switch_llm_tool": false})
        ),
        json!({"tools": [{"name": "grep"}]})
    );
}
