use super::*;
use openhands_protocol::message::Content;
use openhands_runtime::LocalWorkspace;
use pretty_assertions::assert_eq;

fn agentskill(name: &str, content: &str) -> Skill {
    Skill {
        name: name.to_owned(),
        content: content.to_owned(),
        is_agentskills_format: true,
        ..Skill::default()
    }
}

fn call(name: &str) -> InvokeSkillAction {
    InvokeSkillAction {
        name: name.to_owned(),
        ..InvokeSkillAction::default()
    }
}

fn text(invocation: &Invocation) -> &str {
    let [Content::Text(text)] = invocation.observation.content.as_slice() else {
        panic!("one text is expected: {invocation:?}");
    };
    &text.text
}

async fn invoked(skills: &[Skill], name: &str, root: &Path) -> Invocation {
    let workspace = LocalWorkspace::new(root, &[("PATH".to_owned(), "/usr/bin:/bin".to_owned())]);
    invoke(skills, &call(name), &workspace, &CancellationToken::new())
        .await
        .unwrap()
}

#[test]
fn the_definition_is_read_only_and_locks_one_skill() {
    let tool = InvokeSkillTool::new();
    let hints = tool.spec().annotations.clone().unwrap();
    assert!(
        hints.read_only_hint
            && hints.idempotent_hint
            && !hints.destructive_hint
            && !hints.open_world_hint
    );
    assert_eq!(
        (tool.spec().kind.as_str(), tool.spec().name.as_str()),
        ("InvokeSkillTool", "invoke_skill")
    );
    let arguments = json!({"name": " pdf "});
    let action = tool.decode(arguments.as_object().unwrap()).unwrap();
    assert_eq!(action, call(" pdf ").into());
    assert_eq!(tool.locks(&action), Locks::key("skill:pdf"));
    assert!(tool.decode(json!({}).as_object().unwrap()).is_err());
    assert!(
        tool.decode(json!({"name": "a", "more": 1}).as_object().unwrap())
            .is_err()
    );
}

#[test]
fn the_tool_is_needed_for_skills_that_the_model_may_load() {
    let hidden = Skill {
        disable_model_invocation: true,
        ..agentskill("b", "")
    };
    let legacy = Skill {
        is_agentskills_format: false,
        ..agentskill("c", "")
    };
    assert!(is_needed(&[legacy.clone(), agentskill("a", "")]));
    assert!(!is_needed(&[hidden, legacy]));
}

#[tokio::test]
async fn a_skill_is_rendered_with_its_place() {
    let root = tempfile::tempdir().unwrap();
    let directory = root.path().join(".agents/skills/pdf");
    std::fs::create_dir_all(&directory).unwrap();
    std::fs::write(directory.join("SKILL.md"), "").unwrap();
    let skill = Skill {
        source: Some(directory.join("SKILL.md").display().to_string()),
        ..agentskill("pdf", "Today: !`echo monday`")
    };
    let invocation = invoked(&[skill], " pdf ", root.path()).await;
    assert_eq!(invocation.invoked.as_deref(), Some("pdf"));
    assert_eq!(invocation.observation.skill_name, "pdf");
    assert!(!invocation.observation.is_error);
    assert_eq!(
        text(&invocation),
        "Today: monday\n\n---\nThis skill is located at `.agents/skills/pdf`. Files that it names (in `scripts/`, \
`references/` or `assets/`, for example) are in that directory."
    );
}

#[tokio::test]
async fn a_skill_elsewhere_is_named_in_full_and_one_that_is_gone_not_at_all() {
    let root = tempfile::tempdir().unwrap();
    let other = tempfile::tempdir().unwrap();
    let source = other.path().join("SKILL.md");
    let skill = Skill {
        source: Some(source.display().to_string()),
        ..agentskill("a", "Text")
    };
    let gone = invoked(std::slice::from_ref(&skill), "a", root.path()).await;
    assert_eq!(text(&gone), "Text");
    std::fs::write(&source, "").unwrap();
    let there = invoked(&[skill], "a", root.path()).await;
    assert!(text(&there).contains(&format!("located at `{}`.", other.path().display())));
}

#[tokio::test]
async fn errors_name_what_there_is() {
    let root = tempfile::tempdir().unwrap();
    let skills = [
        agentskill("zip", ""),
        agentskill("pdf", ""),
        Skill {
            disable_model_invocation: true,
            ..agentskill("rule", "")
        },
    ];
    let unknown = invoked(&skills, "x", root.path()).await;
    assert_eq!(
        text(&unknown),
        "Unknown skill 'x'. Available skills: pdf, zip."
    );
    assert!(unknown.observation.is_error && unknown.invoked.is_none());
    let none = invoked(&[], "x", root.path()).await;
    assert_eq!(text(&none), "Unknown skill 'x'. Available skills: <none>.");
    let rule = invoked(&skills, "rule", root.path()).await;
    assert_eq!(
        text(&rule),
        "Skill 'rule' cannot be invoked directly. It can only be activated by trigger matching."
    );
    assert!(rule.observation.is_error && rule.invoked.is_none());
}
