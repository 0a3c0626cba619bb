use super::*;
use openhands_protocol::Form;
use pretty_assertions::assert_eq;
use serde_json::json;

#[test]
fn a_file_says_all_that_a_definition_has() {
    let text = r#"---
name: reviewer
description: Reviews <example>please review</example> and <EXAMPLE>
 look at this </EXAMPLE>
model: strong
color: red
tools: [terminal, file_editor]
skills: pdf, docx
permission_mode: Always_Confirm
max_iteration_per_run: "5"
max_budget_per_run: 1
mcp_servers:
  fetch: {command: uvx, args: [mcp-server-fetch]}
hooks:
  stop: [{hooks: [{command: "true"}]}]
condenser: none
extra_key: v
---

You review.
"#;
    let definition = read_definition(text, "file").unwrap();
    let written = Form::SOCKET.to_value(&definition).unwrap();
    let expected = json!({
        "name": "reviewer",
        "description": "Reviews <example>please review</example> and <EXAMPLE> look at this </EXAMPLE>",
        "model": "strong",
        "color": "red",
        "tools": ["terminal", "file_editor"],
        "skills": ["pdf", "docx"],
        "system_prompt": "You review.",
        "source": null,
        "level": null,
        "when_to_use_examples": ["please review", "look at this"],
        "permission_mode": "always_confirm",
        "max_iteration_per_run": 5,
        "max_budget_per_run": 1.0,
        "mcp_config": {"fetch": {"command": "uvx", "args": ["mcp-server-fetch"], "enabled": true}},
        "profile_store_dir": null,
        "condenser": {"kind": "NoOpCondenser"},
        "metadata": {"extra_key": "v"},
    });
    for (key, value) in expected.as_object().unwrap() {
        assert_eq!(&written[key], value, "{key}");
    }
    assert_eq!(definition.hooks.unwrap().stop.len(), 1);
}

#[test]
fn a_file_without_a_head_is_a_prompt() {
    let definition = read_definition("Just do it.\n", "doer").unwrap();
    let expected = AgentDefinition {
        name: "doer".to_owned(),
        system_prompt: "Just do it.".to_owned(),
        ..AgentDefinition::default()
    };
    assert_eq!(definition, expected);
}

#[test]
fn a_head_that_is_never_closed_is_a_prompt() {
    let definition = read_definition("---\nname: x\n", "doer").unwrap();
    assert_eq!(
        (definition.name.as_str(), definition.system_prompt.as_str()),
        ("doer", "---\nname: x")
    );
}

#[test]
fn values_that_cannot_be_are_refused() {
    for (line, key) in [
        ("permission_mode: maybe", "permission_mode"),
        ("max_iteration_per_run: 0", "max_iteration_per_run"),
        ("max_iteration_per_run: many", "max_iteration_per_run"),
        ("max_budget_per_run: -1", "max_budget_per_run"),
        ("mcp_config: [a]", "mcp_config"),
        ("profile_store_dir: [a]", "profile_store_dir"),
        ("condenser: sometimes", "condenser"),
        ("condenser: 3", "condenser"),
        ("hooks: {nonsense: []}", "hooks"),
    ] {
        let error = read_definition(&format!("---\n{line}\n---\nx"), "x").unwrap_err();
        let DefinitionError::Value { key: named, .. } = &error else {
            panic!("{line}: {error}");
        };
        assert_eq!(*named, key, "{line}");
    }
    let error = read_definition("---\na: [\n---\nx", "x").unwrap_err();
    assert!(matches!(error, DefinitionError::FrontMatter(_)), "{error}");
}

#[test]
fn all_words_for_condensers_are_understood() {
    let condenser = |word: &str| {
        read_definition(&format!("---\ncondenser: {word}\n---\nx"), "x")
            .unwrap()
            .condenser
    };
    for word in ["default", "inherit", "true", "null", "''"] {
        assert_eq!(condenser(word), None, "{word}");
    }
    for word in ["none", "off", "'no'", "false", "Disabled"] {
        assert!(
            matches!(condenser(word), Some(Condenser::NoOp(_))),
            "{word}"
        );
    }
    let own = condenser("{kind: LLMSummarizingCondenser, llm: {model: m}, max_size: 30}");
    assert!(matches!(own, Some(Condenser::LlmSummarizing(own)) if own.max_size == 30));
}
