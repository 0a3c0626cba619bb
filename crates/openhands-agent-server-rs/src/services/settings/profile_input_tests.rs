use openhands_protocol::agent::AgentProfile;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use super::{Refusal, request, stored};

fn members(value: Value) -> serde_json::Map<String, Value> {
    let Value::Object(members) = value else {
        panic!("an object");
    };
    members
}

fn tools(profile: &AgentProfile) -> Option<Vec<String>> {
    let AgentProfile::OpenHands(profile) = profile else {
        panic!("{profile:?}");
    };
    let tools = profile.tools.as_ref()?;
    Some(tools.iter().map(|tool| tool.name.clone()).collect())
}

#[test]
fn older_files_come_into_todays_shape() {
    let first = json!({"schema_version": 1, "name": "default", "llm_profile_ref": "p", "skills": [{"name": "x"}],
        "tools": [], "enable_sub_agents": false});
    let profile = stored(members(first)).unwrap();
    assert_eq!(tools(&profile), None);
    let second = json!({"schema_version": 2, "name": "a", "llm_profile_ref": "p", "enable_sub_agents": true,
        "tools": [{"name": "grep"}]});
    let profile = stored(members(second)).unwrap();
    assert_eq!(tools(&profile).unwrap(), ["grep", "switch_llm"]);
    let third = json!({"schema_version": 3, "name": "a", "llm_profile_ref": "p", "enable_sub_agents": true});
    assert_eq!(tools(&stored(members(third)).unwrap()), None);
    assert!(
        stored(members(
            json!({"schema_version": 5, "llm_profile_ref": "p"})
        ))
        .is_err()
    );
    assert!(stored(members(json!({"name": "no model"}))).is_err());
}

#[test]
fn the_name_is_that_of_the_path_and_tools_are_named_once() {
    let sent = json!({"name": "other", "llm_profile_ref": "p", "tools": [
        {"name": "FinishTool"}, {"name": "finish", "params": {"response_schema": {}}}, {"name": "grep"}]});
    let profile = request(members(sent), "mine").unwrap();
    assert_eq!(tools(&profile).unwrap(), ["finish", "grep"]);
    let AgentProfile::OpenHands(profile) = profile else {
        panic!("{profile:?}");
    };
    assert_eq!(profile.name, "mine");
    assert_eq!(profile.schema_version, 4);
}

#[test]
fn a_version_that_nobody_knows_is_refused_as_a_whole() {
    for version in [json!(0), json!(5), json!("4"), json!(true)] {
        let sent = json!({"llm_profile_ref": "p", "schema_version": version});
        assert_eq!(request(members(sent), "a"), Err(Refusal::Version));
    }
}
