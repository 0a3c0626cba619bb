use super::*;
use openhands_protocol::JsonObject;
use openhands_protocol::agent::{Agent, AgentContext};
use openhands_protocol::secrets::SecretRegistry;
use openhands_protocol::skills::{KeywordTrigger, PathTrigger, Skill};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

#[allow(clippy::needless_pass_by_value)] // callers hand in `json!` values
fn agent(fields: Value) -> Agent {
    let mut body = json!({"kind": "Agent", "llm": {"model": "anthropic/claude-sonnet-4-5"}});
    let members = body.as_object_mut().unwrap();
    members.extend(fields.as_object().unwrap().clone());
    serde_json::from_value(body).unwrap()
}

fn input<'a>(agent: &'a Agent, files: &'a PromptFiles) -> PromptInput<'a> {
    PromptInput {
        agent,
        files,
        tools: &[],
        soul: None,
        user_memory: "~/.openhands/memory/",
        skills: &[],
        memory: None,
        secrets: &[],
        now: None,
    }
}

fn static_of(fields: Value) -> String {
    system(&input(&agent(fields), &PromptFiles::default()))
        .unwrap()
        .static_text
}

/// The names of the sections, in order.
fn sections(text: &str) -> Vec<&str> {
    let lines = text.lines();
    lines
        .filter_map(|line| line.strip_prefix('<')?.strip_suffix('>'))
        .filter(|tag| !tag.starts_with('/'))
        .collect()
}

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

const ALL: [&str; 17] = [
    "SOUL",
    "ROLE",
    "MEMORY",
    "EFFICIENCY",
    "FILE_SYSTEM_GUIDELINES",
    "CODE_QUALITY",
    "VERSION_CONTROL",
    "PULL_REQUESTS",
    "PROBLEM_SOLVING_WORKFLOW",
    "SELF_DOCUMENTATION",
    "SECURITY",
    "SECURITY_RISK_ASSESSMENT",
    "EXTERNAL_SERVICES",
    "ENVIRONMENT_SETUP",
    "TROUBLESHOOTING",
    "PROCESS_MANAGEMENT",
    "IMPORTANT",
];

#[test]
fn the_sections_stand_in_their_order() {
    let text = static_of(json!({}));
    assert_eq!(sections(&text), ALL);
    assert!(
        (12_000..=16_000).contains(&text.len()),
        "{} bytes",
        text.len()
    );
    assert!(!text.contains("{user_memory}") && !text.contains("\n\n\n"));
    for tag in sections(&text) {
        assert_eq!(text.matches(&format!("</{tag}>")).count(), 1, "{tag}");
    }
}

#[test]
fn a_persona_replaces_who_the_agent_is_and_nothing_else() {
    let text = static_of(json!({"persona": " You are a reviewer.\n"}));
    assert!(text.starts_with("You are a reviewer.\n\n<MEMORY>"));
    assert_eq!(
        sections(&text),
        [
            "MEMORY",
            "SECURITY",
            "SECURITY_RISK_ASSESSMENT",
            "EXTERNAL_SERVICES",
            "PROCESS_MANAGEMENT",
            "IMPORTANT"
        ]
    );
    assert_eq!(sections(&static_of(json!({"persona": "  "}))), ALL);
}

#[test]
fn settings_turn_sections_on_and_off() {
    let quiet = static_of(json!({
        "security_policy_filename": "", "system_prompt_kwargs": {"llm_security_analyzer": false},
        "llm": {"model": "openai/gpt-4o"},
    }));
    assert!(
        ["<SECURITY>", "<SECURITY_RISK_ASSESSMENT>", "<IMPORTANT>"]
            .iter()
            .all(|tag| !quiet.contains(tag))
    );
    let terminal = static_of(json!({}));
    let sandbox = static_of(json!({"system_prompt_kwargs": {"cli_mode": false}}));
    assert!(terminal.contains("`sudo`") && !sandbox.contains("`sudo`"));
    assert!(sandbox.contains("reaches out of the sandbox"));
    let memory = static_of(json!({"agent_context": {"load_memory": true}}));
    assert!(
        memory.contains("`~/.openhands/memory/`") && !terminal.contains("~/.openhands/memory/")
    );
}

#[test]
fn models_are_told_what_they_need_to_hear() {
    let important = |model: &str| {
        let text = static_of(json!({"llm": {"model": model}}));
        text.split_once("<IMPORTANT>\n")
            .map(|(_, rest)| rest.lines().next().unwrap().to_owned())
    };
    assert!(
        important("anthropic/claude-opus-4")
            .unwrap()
            .contains("exactly")
    );
    assert!(
        important("gemini/gemini-3-pro")
            .unwrap()
            .contains("Answer questions")
    );
    assert!(
        important("openai/gpt-5.1")
            .unwrap()
            .contains("Before each call")
    );
    assert!(important("openai/gpt-5.1-codex").unwrap().contains("brief"));
    assert!(
        important("openrouter/qwen/qwen3-coder")
            .unwrap()
            .contains("tool interface")
    );
    assert_eq!(important("openai/gpt-4o"), None);
    assert_eq!(important("my-model"), None);
    let forced = static_of(
        json!({"llm": {"model": "x"}, "system_prompt_kwargs": {"model_family": "google_gemini"}}),
    );
    assert!(forced.contains("<IMPORTANT>"));
    let canonical =
        static_of(json!({"llm": {"model": "proxy/x", "model_canonical_name": "openai/gpt-5"}}));
    assert!(canonical.contains("Before each call"));
}

#[test]
fn families_are_told_by_name() {
    for (model, family) in [
        ("openai/o3-mini", Some(Family::Gpt)),
        ("Bedrock/Anthropic.CLAUDE-3", Some(Family::Claude)),
        ("meta/llama-4", Some(Family::Llama)),
        ("mistral-large", Some(Family::Mistral)),
        ("deepseek-chat", Some(Family::DeepSeek)),
        ("kimi-k2", None),
        ("", None),
    ] {
        assert_eq!(Family::of(model), family, "{model}");
        assert!(family.is_none_or(|family| Family::named(family.name()) == Some(family)));
    }
}

#[test]
fn the_soul_is_the_users_if_there_is_one() {
    let agent = agent(json!({}));
    let files = PromptFiles::default();
    let with_soul = PromptInput {
        soul: Some("I am Ada.\n"),
        ..input(&agent, &files)
    };
    assert!(
        system(&with_soul)
            .unwrap()
            .static_text
            .starts_with("<SOUL>\nI am Ada.\n</SOUL>\n\n<ROLE>")
    );
    let empty = PromptInput {
        soul: Some(" \n"),
        ..input(&agent, &files)
    };
    assert!(
        system(&empty)
            .unwrap()
            .static_text
            .starts_with("<SOUL>\nYou are OpenHands,")
    );
    let set = static_of(json!({"system_prompt_kwargs": {"soul_content": "I am set."}}));
    assert!(set.starts_with("<SOUL>\nI am set.\n</SOUL>"));
}

#[test]
fn tools_bring_their_guidance() {
    let agent = agent(json!({}));
    let files = PromptFiles::default();
    let tools = names(&[
        "browser_navigate",
        "browser_click",
        "terminal",
        "task_tracker",
    ]);
    let text = system(&PromptInput {
        tools: &tools,
        ..input(&agent, &files)
    })
    .unwrap()
    .static_text;
    let found = sections(&text);
    let risk = found
        .iter()
        .position(|tag| *tag == "SECURITY_RISK_ASSESSMENT")
        .unwrap();
    assert_eq!(
        &found[risk..risk + 4],
        [
            "SECURITY_RISK_ASSESSMENT",
            "TASK_MANAGEMENT",
            "BROWSER_TOOLS",
            "EXTERNAL_SERVICES"
        ]
    );
}

#[test]
fn an_inline_prompt_is_the_static_text() {
    let own = agent(json!({"system_prompt": "Only this."}));
    let files = PromptFiles::default();
    assert_eq!(
        system(&input(&own, &files)).unwrap().static_text,
        "Only this."
    );
    let tools = names(&["browser_navigate"]);
    let text = system(&PromptInput {
        tools: &tools,
        ..input(&own, &files)
    })
    .unwrap()
    .static_text;
    assert!(text.starts_with("Only this.\n\n<BROWSER_TOOLS>"));
    let both = agent(json!({"system_prompt": "x", "system_prompt_filename": "/p.j2"}));
    let error = system(&input(&both, &files)).unwrap_err().to_string();
    assert_eq!(
        error,
        "Cannot set both 'system_prompt' and a non-default 'system_prompt_filename'. Use one or the other."
    );
}

#[test]
fn a_planner_has_its_own_prompt() {
    let text = static_of(json!({
        "system_prompt_filename": "system_prompt_planning.j2", "system_prompt_kwargs": {"plan_structure": "1. OBJECTIVE"},
    }));
    assert!(text.starts_with("You are OpenHands, planning."));
    assert!(text.contains("<PLAN_STRUCTURE>\n1. OBJECTIVE\n</PLAN_STRUCTURE>"));
    assert!(!text.contains("<SECURITY>"));
}

fn rich_context() -> (Agent, Vec<Skill>) {
    let agent = agent(json!({"agent_context": {"system_message_suffix": " Suffix. \n"}}));
    let named = |name: &str| Skill {
        name: name.to_owned(),
        content: format!("Text of {name}\n"),
        ..Skill::default()
    };
    let skills = vec![
        named("agents"),
        named("claude"),
        named("gemini"),
        Skill {
            is_agentskills_format: true,
            description: Some("PDFs".to_owned()),
            ..named("pdf")
        },
        Skill {
            is_agentskills_format: true,
            disable_model_invocation: true,
            ..named("hidden")
        },
        Skill {
            trigger: Some(KeywordTrigger::default().into()),
            ..named("git")
        },
        crate::skills::settle(Skill {
            trigger: Some(PathTrigger::default().into()),
            ..named("rule")
        }),
    ];
    (agent, skills)
}

#[test]
fn the_dynamic_text_has_its_order_and_ends_with_the_time() {
    let (agent, skills) = rich_context();
    let files = PromptFiles::default();
    let secrets = [
        SecretInfo {
            name: "API_KEY".to_owned(),
            description: Some("for the API".to_owned()),
        },
        SecretInfo {
            name: "TOKEN".to_owned(),
            description: None,
        },
    ];
    let tools = names(&["invoke_skill"]);
    let full = PromptInput {
        tools: &tools,
        skills: &skills,
        memory: Some("# User memory\nfact"),
        secrets: &secrets,
        now: Some("2026-11-16T01:17:22.5+00:00"),
        ..input(&agent, &files)
    };
    let text = system(&full).unwrap().dynamic.unwrap();
    assert_eq!(
        sections(&text),
        [
            "REPO_CONTEXT",
            "UNTRUSTED_CONTENT",
            "MEMORY_CONTEXT",
            "UNTRUSTED_CONTENT",
            "SKILLS",
            "available_skills",
            "CUSTOM_SECRETS",
            "CURRENT_DATETIME"
        ]
    );
    assert!(text.contains("</SKILLS>\n\nSuffix.\n\n<CUSTOM_SECRETS>"));
    assert!(text.contains("\n* **$API_KEY** - for the API\n* **$TOKEN**\n</CUSTOM_SECRETS>"));
    assert!(text.ends_with("<CURRENT_DATETIME>\nIt is now 2026-11-16T01:17.\n</CURRENT_DATETIME>"));
    assert!(text.contains("[BEGIN context from [agents]]\nText of agents\n[END context]\n\n[BEGIN context from [claude]]"));
    assert!(text.contains("<name>pdf</name>") && text.contains("<name>git</name>"));
    for absent in [
        "Text of gemini",
        "<name>hidden</name>",
        "<name>rule</name>",
        "Text of rule",
        "Text of pdf",
    ] {
        assert!(!text.contains(absent), "{absent}");
    }
    assert!(text.contains("invoke_skill(name=\"<name>\")"));
}

#[test]
fn instruction_files_of_vendors_are_for_their_models() {
    let (mut agent, skills) = rich_context();
    let files = PromptFiles::default();
    let mut shown = |model: &str| {
        agent.llm.model = model.to_owned();
        let text = system(&PromptInput {
            skills: &skills,
            ..input(&agent, &files)
        })
        .unwrap()
        .dynamic
        .unwrap();
        (
            text.contains("Text of claude"),
            text.contains("Text of gemini"),
        )
    };
    assert_eq!(shown("anthropic/claude-opus-4"), (true, false));
    assert_eq!(shown("gemini/gemini-3-pro"), (false, true));
    assert_eq!(shown("openai/gpt-5"), (false, false));
    assert_eq!(shown("proxy/unknown"), (true, true));
}

#[test]
fn nothing_to_say_is_nothing_said() {
    let files = PromptFiles::default();
    let (with, without) = (agent(json!({"agent_context": {}})), agent(json!({})));
    assert_eq!(system(&input(&with, &files)).unwrap().dynamic, None);
    let late = PromptInput {
        now: Some("2026-11-16T01:17"),
        ..input(&without, &files)
    };
    assert_eq!(system(&late).unwrap().dynamic, None);
    let secrets = [SecretInfo {
        name: "A".to_owned(),
        description: None,
    }];
    let text = system(&PromptInput {
        secrets: &secrets,
        ..late
    })
    .unwrap()
    .dynamic
    .unwrap();
    assert_eq!(sections(&text), ["CUSTOM_SECRETS", "CURRENT_DATETIME"]);
}

#[test]
fn the_static_text_does_not_move_with_the_conversation() {
    let (agent, skills) = rich_context();
    let files = PromptFiles::default();
    let plain = input(&agent, &files);
    let secrets = [SecretInfo {
        name: "A".to_owned(),
        description: None,
    }];
    let rich = PromptInput {
        skills: &skills,
        memory: Some("fact"),
        secrets: &secrets,
        now: Some("2026-11-16T01:17:22"),
        ..plain
    };
    let (plain, rich_text) = (system(&plain).unwrap(), system(&rich).unwrap());
    assert_eq!(plain.static_text, rich_text.static_text);
    assert_eq!(system(&rich).unwrap(), rich_text);
    let later = PromptInput {
        now: Some("2026-11-16T01:17:59"),
        ..rich
    };
    assert_eq!(system(&later).unwrap(), rich_text);
    let next = system(&PromptInput {
        now: Some("2026-11-16T01:18:00"),
        ..rich
    })
    .unwrap()
    .dynamic
    .unwrap();
    let before = rich_text.dynamic.unwrap();
    let shared = before
        .bytes()
        .zip(next.bytes())
        .take_while(|(one, other)| one == other)
        .count();
    assert!(before.len() - shared < 30, "only the end differs");
}

#[test]
fn times_are_cut_to_the_minute() {
    for (now, cut) in [
        ("2026-11-16T01:17:22.123456+00:00", "2026-11-16T01:17"),
        ("2026-11-16 01:17:22Z", "2026-11-16 01:17"),
        ("2026-11-16T01:17", "2026-11-16T01:17"),
        ("Monday", "Monday"),
        ("2026-11-16", "2026-11-16"),
        ("", ""),
        ("ünï-cö-déTxx:yy zz", "ünï-cö-déTxx:yy zz"),
    ] {
        assert_eq!(to_the_minute(now), cut);
    }
}

#[test]
fn secrets_of_the_conversation_win() {
    let context: AgentContext = serde_json::from_value(json!({"secrets": {
        "A": "plain", "B": {"kind": "StaticSecret", "value": "x", "description": "old"},
    }}))
    .unwrap();
    let registry: SecretRegistry = serde_json::from_value(json!({"secret_sources": {
        "B": {"kind": "LookupSecret", "url": "http://x", "description": "new"}, "C": {"kind": "StaticSecret"},
    }}))
    .unwrap();
    let infos = secret_infos(Some(&context), &registry);
    let pairs: Vec<(&str, Option<&str>)> = infos
        .iter()
        .map(|info| (info.name.as_str(), info.description.as_deref()))
        .collect();
    assert_eq!(pairs, [("A", None), ("B", Some("new")), ("C", None)]);
    assert_eq!(secret_infos(None, &SecretRegistry::default()), []);
}

async fn from_file(agent: &Agent) -> Result<SystemPrompt, PromptError> {
    let files = PromptFiles::read(agent).await?;
    system(&input(agent, &files))
}

#[tokio::test]
async fn an_own_template_is_rendered() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("mine.j2");
    std::fs::write(
        &path,
        "\n{% if cli_mode %}CLI {% endif %}{{ soul_content | refine }} {{ model_family }} {{ missing }}<b>\n{% include 'part.md' %}\n{% for item in list %}{{ loop.index }}{{ item }} {% endfor %}\n",
    )
    .unwrap();
    std::fs::write(directory.path().join("part.md"), "Part of {{ model_name }}").unwrap();
    let agent = agent(json!({
        "system_prompt_filename": path,
        "system_prompt_kwargs": {"cli_mode": true, "soul_content": "Soul & co", "list": ["a", "b"]},
    }));
    let text = from_file(&agent).await.unwrap().static_text;
    assert_eq!(
        text,
        "CLI Soul & co anthropic_claude <b>\nPart of anthropic/claude-sonnet-4-5\n1a 2b"
    );
}

#[tokio::test]
async fn an_own_policy_is_taken_as_it_is() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("policy.md");
    std::fs::write(&path, "Never {{ guess }}.").unwrap();
    let own = agent(json!({"security_policy_filename": path}));
    let text = from_file(&own).await.unwrap().static_text;
    assert!(text.contains("<SECURITY>\nNever {{ guess }}.\n</SECURITY>"));
    std::fs::write(&path, "").unwrap();
    assert!(
        !from_file(&own)
            .await
            .unwrap()
            .static_text
            .contains("<SECURITY>")
    );
}

#[tokio::test]
async fn the_soul_is_read_from_its_file() {
    let directory = tempfile::tempdir().unwrap();
    assert_eq!(read_soul(directory.path()).await, None);
    for (content, soul) in [
        (&b"\nI am Ada.\n"[..], Some("I am Ada.")),
        (b" \n", None),
        (&[0xff], None),
    ] {
        std::fs::write(directory.path().join("SOUL.md"), content).unwrap();
        assert_eq!(read_soul(directory.path()).await.as_deref(), soul);
    }
}

#[tokio::test]
async fn files_that_cannot_be_used_are_named() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name).display().to_string();
    std::fs::write(at("bad.j2"), "{% if %}").unwrap();
    std::fs::write(
        at("endless.j2"),
        "{% for a in range(90000) %}{% for b in range(90000) %}{{ a }}{% endfor %}{% endfor %}",
    )
    .unwrap();
    std::fs::write(at("includes.j2"), "{% include 'none.j2' %}").unwrap();
    std::fs::write(at("binary.j2"), [0xff]).unwrap();
    let problem = async |field: &str, value: String| {
        let agent = agent(json!({field: value}));
        from_file(&agent).await.unwrap_err().to_string()
    };
    let prompt = "system_prompt_filename";
    assert_eq!(
        problem(prompt, at("none.j2")).await,
        format!("Prompt file {} not found", at("none.j2"))
    );
    assert_eq!(
        problem(prompt, at("")).await,
        format!("Prompt file {} not found", at(""))
    );
    let relative = problem(prompt, "mine.j2".to_owned()).await;
    assert!(
        relative.starts_with("Prompt file mine.j2 not found: ") && relative.contains("absolute")
    );
    assert!(
        problem(prompt, at("bad.j2"))
            .await
            .starts_with("prompt file bad.j2: ")
    );
    assert!(problem(prompt, at("endless.j2")).await.contains("fuel"));
    assert!(problem(prompt, at("includes.j2")).await.contains("none.j2"));
    assert!(
        problem(prompt, at("binary.j2"))
            .await
            .starts_with("cannot read prompt file ")
    );
    assert!(
        problem("security_policy_filename", at("none.md"))
            .await
            .ends_with("not found")
    );
    assert!(
        problem("security_policy_filename", "p.md".to_owned())
            .await
            .contains("absolute")
    );
}

#[test]
fn settings_that_are_empty_are_off() {
    for (value, is_on) in [
        (json!(null), false),
        (json!(false), false),
        (json!(0), false),
        (json!(""), false),
        (json!([]), false),
        (json!({}), false),
        (json!(1), true),
        (json!("no"), true),
    ] {
        let mut agent = agent(json!({}));
        agent.system_prompt_kwargs = JsonObject(
            json!({"llm_security_analyzer": value})
                .as_object()
                .unwrap()
                .clone(),
        );
        let files = PromptFiles::default();
        let text = system(&input(&agent, &files)).unwrap().static_text;
        assert_eq!(
            text.contains("<SECURITY_RISK_ASSESSMENT>"),
            is_on,
            "{value}"
        );
    }
}
