use super::*;
use openhands_protocol::message::Role;
use openhands_protocol::skills::{KeywordTrigger, PathTrigger, SkillTrigger, TaskTrigger};
use openhands_protocol::tool::{FileEditorAction, GrepAction, ReadFileAction, TerminalAction};
use pretty_assertions::assert_eq;
use serde_json::json;

fn skills() -> Vec<Skill> {
    let skill = |name: &str, trigger: SkillTrigger| Skill {
        name: name.to_owned(),
        content: format!("Text of {name}."),
        trigger: Some(trigger),
        ..Skill::default()
    };
    let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
    vec![
        skill(
            "deploy",
            KeywordTrigger {
                keywords: words(&["deploy", "ship it"]),
                ..KeywordTrigger::default()
            }
            .into(),
        ),
        Skill {
            source: Some("/s/task.md".to_owned()),
            ..skill(
                "task",
                TaskTrigger {
                    triggers: words(&["/task"]),
                    ..TaskTrigger::default()
                }
                .into(),
            )
        },
        Skill {
            source: Some("/s/python.md".to_owned()),
            ..skill(
                "python",
                PathTrigger {
                    paths: words(&["*.py"]),
                    ..PathTrigger::default()
                }
                .into(),
            )
        },
        skill(
            "server",
            PathTrigger {
                paths: words(&["server/**"]),
                ..PathTrigger::default()
            }
            .into(),
        ),
        Skill {
            name: "always".to_owned(),
            content: "deploy".to_owned(),
            ..Skill::default()
        },
    ]
}

fn message(text: &str) -> Message {
    Message::text(Role::User, text)
}

#[test]
fn a_word_brings_its_skill_once() {
    let skills = skills();
    let first = for_message(&skills, &message("Please SHIP IT with /task."), &[], None).unwrap();
    assert_eq!(first.names, ["deploy", "task"]);
    assert_eq!(
        first.text,
        "<EXTRA_INFO>\nThe message mentions \"ship it\", so this skill was added. Use it where it helps with the request; \
leave it aside where it does not.\n\nText of deploy.\n</EXTRA_INFO>\n\
<EXTRA_INFO>\nThe message mentions \"/task\", so this skill was added. Use it where it helps with the request; leave it \
aside where it does not.\nSkill location: /s/task.md\n(Relative paths in the skill start from the directory of that \
file.)\n\nText of task.\n</EXTRA_INFO>"
    );
    let again = for_message(&skills, &message("ship it, /task"), &first.names, None);
    assert_eq!(again, None);
    assert_eq!(
        for_message(&skills, &message("deployment of server/a.py"), &[], None),
        None
    );
}

#[test]
fn the_suffix_comes_last_and_always() {
    let skills = skills();
    let alone = for_message(&skills, &message("hello"), &[], Some("  Be brief. \n")).unwrap();
    assert_eq!(
        alone,
        Activation {
            text: "Be brief.".to_owned(),
            names: vec![]
        }
    );
    let both = for_message(&skills, &message("deploy"), &[], Some("Be brief.")).unwrap();
    assert!(both.text.ends_with("</EXTRA_INFO>\nBe brief."));
    let wordless = Message {
        role: Role::User,
        content: vec![Content::image("data:")],
        ..Message::default()
    };
    assert_eq!(
        for_message(&skills, &wordless, &[], Some("x"))
            .unwrap()
            .text,
        "x"
    );
    assert_eq!(for_message(&skills, &wordless, &[], Some("  ")), None);
}

#[test]
fn words_are_found_in_every_part_of_a_message() {
    let parts = Message {
        content: vec![
            Content::text("one"),
            Content::image("x"),
            Content::text("deploy"),
        ],
        ..message("")
    };
    assert_eq!(
        for_message(&skills(), &parts, &[], None).unwrap().names,
        ["deploy"]
    );
}

#[test]
fn a_touched_path_brings_its_rules_once() {
    let skills = skills();
    let rules = for_path(&skills, "server/a.py", &[]).unwrap();
    assert_eq!(rules.names, ["python", "server"]);
    assert_eq!(
        rules.text,
        "<EXTRA_INFO>\nYou touched a file that matches \"*.py\". This rule is for such files: keep to it whenever you work \
on them.\nRule location: /s/python.md\n\nText of python.\n</EXTRA_INFO>\n\
<EXTRA_INFO>\nYou touched a file that matches \"server/**\". This rule is for such files: keep to it whenever you work \
on them.\n\nText of server.\n</EXTRA_INFO>"
    );
    assert_eq!(for_path(&skills, "server/b.py", &rules.names), None);
    assert_eq!(
        for_path(&skills, "server/b.rs", &["python".to_owned()])
            .unwrap()
            .names,
        ["server"]
    );
    assert_eq!(for_path(&skills, "deploy", &[]), None);
}

#[test]
fn paths_are_relative_to_the_workspace_or_nothing() {
    let edit = |path: &str| -> Action {
        FileEditorAction {
            path: path.to_owned(),
            ..FileEditorAction::default()
        }
        .into()
    };
    let roots = [Path::new("/ws"), Path::new("/real/ws")];
    for (path, expected) in [
        ("/ws/src/a.py", Some("src/a.py")),
        ("/real/ws/a.py", Some("a.py")),
        ("/ws/./src/../a.py", Some("a.py")),
        ("src/a.py", Some("src/a.py")),
        ("./a.py", Some("a.py")),
        ("/ws/../etc/passwd", None),
        ("../a.py", None),
        ("/wsx/a.py", None),
        ("", None),
    ] {
        assert_eq!(
            touched_path(&edit(path), &roots).as_deref(),
            expected,
            "{path:?}"
        );
    }
}

#[test]
fn the_tools_name_paths_in_their_own_ways() {
    let roots = [Path::new("/ws")];
    let touched = |action: Action| touched_path(&action, &roots);
    let read = ReadFileAction {
        file_path: "/ws/a".to_owned(),
        ..ReadFileAction::default()
    };
    assert_eq!(touched(read.into()).as_deref(), Some("a"));
    let grep = GrepAction {
        path: Some("/ws/b".to_owned()),
        ..GrepAction::default()
    };
    assert_eq!(touched(grep.into()).as_deref(), Some("b"));
    assert_eq!(touched(GrepAction::default().into()), None);
    let arguments = json!({"path": "c"}).as_object().unwrap().clone();
    assert_eq!(
        touched(Action::client("open", arguments)).as_deref(),
        Some("c")
    );
    assert_eq!(touched(TerminalAction::default().into()), None);
}
