use super::*;
use crate::skills::frontmatter::split;
use pretty_assertions::assert_eq;
use proptest::prelude::*;
use serde_json::json;

fn composed(yaml: &str) -> Result<Composed, SkillError> {
    let text = format!("---\n{yaml}\n---\nDo it.");
    let document = split(&text)?;
    let parts = Parts {
        name: "one".to_owned(),
        content: document.body.to_owned(),
        source: "/s/one.md".to_owned(),
        ..Parts::default()
    };
    compose(parts, &document.head)
}

fn skill(yaml: &str) -> Skill {
    composed(yaml).unwrap().skill
}

#[test]
fn paths_win_over_inputs_and_these_over_triggers() {
    let trigger = |yaml| serde_json::to_value(skill(yaml).trigger).unwrap();
    assert_eq!(trigger(""), json!(null));
    assert_eq!(trigger("triggers: []"), json!(null));
    assert_eq!(
        trigger("triggers: [a, 404]"),
        json!({"type": "keyword", "keywords": ["a", "404"]})
    );
    assert_eq!(
        trigger("triggers: [a]\ninputs: []"),
        json!({"type": "task", "triggers": ["a", "/one"]})
    );
    assert_eq!(
        trigger("triggers: [/one]\ninputs: []"),
        json!({"type": "task", "triggers": ["/one"]})
    );
    assert_eq!(
        trigger("paths: ' src/** , *.py,,'"),
        json!({"type": "path", "paths": ["src/**", "*.py"]})
    );
    assert_eq!(
        trigger("paths: [a, ' b ', '']"),
        json!({"type": "path", "paths": ["a", "b"]})
    );
    assert_eq!(
        trigger("paths: ' , '\ntriggers: [a]"),
        json!({"type": "keyword", "keywords": ["a"]})
    );
}

#[test]
fn a_rule_says_what_it_ignores_and_is_not_offered() {
    let rule = composed("paths: '*.py'\ntriggers: [a]\ninputs: []").unwrap();
    assert!(rule.skill.disable_model_invocation);
    assert!(rule.skill.inputs.is_empty());
    assert!(rule.ignored.unwrap().contains("'triggers' and 'inputs'"));
    assert_eq!(composed("paths: '*.py'").unwrap().ignored, None);
}

#[test]
fn all_fields_are_taken() {
    let skill = skill(
        "description: What it does\nlicense: MIT\ncompatibility: needs git\nmetadata: {version: 1.5, draft: true, none: , deep: {a: 1}}\n\
         allowed-tools: Bash Read\ndisable-model-invocation: true",
    );
    assert_eq!(skill.description.as_deref(), Some("What it does"));
    assert_eq!(skill.license.as_deref(), Some("MIT"));
    assert_eq!(skill.compatibility.as_deref(), Some("needs git"));
    assert_eq!(
        serde_json::to_value(&skill.metadata).unwrap(),
        json!({"version": "1.5", "draft": "True", "none": "None", "deep": "{\"a\":1}"})
    );
    assert_eq!(
        skill.allowed_tools,
        Some(vec!["Bash".to_owned(), "Read".to_owned()])
    );
    assert!(skill.disable_model_invocation);
    assert_eq!(skill.source.as_deref(), Some("/s/one.md"));
    assert_eq!(skill.version, "1.0.0");
}

#[test]
fn both_spellings_of_a_field_are_known() {
    let skill = skill("allowed_tools: [a, b]\ndisable_model_invocation: 'yes'");
    assert_eq!(
        skill.allowed_tools,
        Some(vec!["a".to_owned(), "b".to_owned()])
    );
    assert!(skill.disable_model_invocation);
}

#[test]
fn wrong_types_are_named() {
    for (yaml, field) in [
        ("triggers: git", "triggers"),
        ("triggers:", "triggers"),
        ("triggers: [[a]]", "triggers"),
        ("triggers: [yes]", "triggers"),
        ("paths: 3", "paths"),
        ("paths: {a: b}", "paths"),
        ("inputs:", "inputs"),
        ("inputs: [{name: a}]", "inputs"),
        ("metadata: words", "metadata"),
        ("allowed-tools: 3", "allowed-tools"),
        (
            "disable-model-invocation: perhaps",
            "disable-model-invocation",
        ),
        ("description: [a]", "description"),
    ] {
        let error = composed(yaml).unwrap_err().to_string();
        assert!(
            error.starts_with(&format!("'{field}' must be ")),
            "{yaml:?}: {error}"
        );
    }
}

#[test]
fn a_task_with_blanks_asks_for_them_once() {
    let with = |content: &str, inputs: Vec<InputMetadata>| {
        let task = Skill {
            content: content.to_owned(),
            trigger: Some(TaskTrigger::default().into()),
            inputs,
            ..Skill::default()
        };
        let settled = settle(task);
        assert_eq!(settle(settled.clone()), settled);
        settled.content
    };
    let asks = |content: &str| format!("{content}{ASK_FOR_VALUES}");
    assert_eq!(with("Do ${TARGET}", vec![]), asks("Do ${TARGET}"));
    assert_eq!(with("Do it", vec![InputMetadata::default()]), asks("Do it"));
    for plain in [
        "Do it",
        "Do $TARGET",
        "Do ${1}",
        "Do ${}",
        "Do ${a b}",
        "Do ${open",
        "",
    ] {
        assert_eq!(with(plain, vec![]), plain);
    }
    assert_eq!(with("${a b} ${_x1}", vec![]), asks("${a b} ${_x1}"));
}

#[test]
fn only_tasks_ask() {
    let knowledge = Skill {
        content: "Do ${TARGET}".to_owned(),
        ..Skill::default()
    };
    assert_eq!(settle(knowledge.clone()), knowledge);
}

#[test]
fn a_long_description_is_cut_and_says_where_the_rest_is() {
    let long = Skill {
        description: Some("é".repeat(2_000)),
        source: Some("/s/SKILL.md".to_owned()),
        ..Skill::default()
    };
    let description = settle(long).description.unwrap();
    assert_eq!(description.chars().count(), 1024);
    assert!(description.contains("<response clipped>") && description.contains("/s/SKILL.md"));
    let exact = Skill {
        description: Some("x".repeat(1024)),
        ..Skill::default()
    };
    assert_eq!(settle(exact.clone()), exact);
}

proptest! {
    #[test]
    fn no_head_panics(yaml in "(name|triggers|paths|inputs|metadata|description|allowed-tools|disable-model-invocation|mcp_tools): [\\[\\]{}a-z0-9:, \"'\\-]{0,40}\n?") {
        if let Ok(composed) = composed(&yaml) {
            prop_assert_eq!(settle(composed.skill.clone()), composed.skill);
        }
    }
}
