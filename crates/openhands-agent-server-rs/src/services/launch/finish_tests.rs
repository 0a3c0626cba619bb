use openhands_protocol::agent::{Agent, AgentContext};
use openhands_protocol::conversation::AgentLaunchAdditions;
use openhands_protocol::llm::Llm;
use openhands_protocol::skills::Skill;
use pretty_assertions::assert_eq;

use super::{finish, now_in_zone_of};

fn agent(context: Option<AgentContext>) -> Agent {
    Agent {
        agent_context: context,
        ..Agent::new(Llm::default(), [])
    }
}

#[test]
fn now_is_told_in_the_zone_of_the_time_before() {
    for (time, end) in [
        ("2026-11-15T19:09:24.477089Z", "Z"),
        ("2020-01-01T00:00:00+00:00", "Z"),
        ("2020-01-01T00:00:00.5+02:00", "+02:00"),
        ("2020-01-01 00:00:00-03:30", "-03:30"),
    ] {
        let now = now_in_zone_of(time).unwrap();
        assert!(now.ends_with(end), "{time} -> {now}");
        let fraction = now.split('.').nth(1).unwrap();
        assert_eq!(fraction.len(), 6 + end.len(), "{now}");
    }
    assert!(now_in_zone_of("2020-01-01T00:00:00").is_some());
    for text in ["Monday", "", "2020-01-01"] {
        assert_eq!(now_in_zone_of(text), None, "{text}");
    }
}

#[test]
fn an_agent_without_context_gets_one_only_for_what_is_added() {
    assert_eq!(finish(agent(None), None, false).agent_context, None);
    let with_memory = finish(agent(None), None, true).agent_context.unwrap();
    assert!(with_memory.load_memory);
    assert_eq!(with_memory.current_datetime, None);
}

#[test]
fn own_skills_and_what_must_not_be_win_over_additions() {
    let skill = |name: &str, content: &str| Skill {
        name: name.to_owned(),
        content: content.to_owned(),
        ..Skill::default()
    };
    let context = AgentContext {
        skills: vec![skill("a", "own")],
        disabled_skills: vec!["b".to_owned()],
        system_message_suffix: Some(" first \n".to_owned()),
        ..AgentContext::default()
    };
    let additions = AgentLaunchAdditions {
        skills: Some(vec![
            skill("a", "x"),
            skill("b", "x"),
            skill("c", "x"),
            skill("c", "y"),
        ]),
        system_message_suffix_append: Some("\nsecond".to_owned()),
        ..AgentLaunchAdditions::default()
    };
    let context = finish(agent(Some(context)), Some(&additions), false)
        .agent_context
        .unwrap();
    assert_eq!(context.skills, [skill("a", "own"), skill("c", "x")]);
    assert_eq!(
        context.system_message_suffix.as_deref(),
        Some("first\n\nsecond")
    );
}
