use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use super::{Origin, agent_settings};

fn migrated(origin: Origin, settings: Value) -> Result<Value, String> {
    let Value::Object(settings) = settings else {
        panic!("an object");
    };
    agent_settings(settings, origin).map(Value::Object)
}

fn stored(settings: Value) -> Value {
    migrated(Origin::Stored, settings).unwrap()
}

#[test]
fn the_oldest_settings_come_into_todays_shape() {
    assert_eq!(
        stored(json!({
            "agent_kind": "llm",
            "llm": {"model": "litellm_proxy/gpt-5.6", "base_url": "https://llm-proxy.app.all-hands.dev/v1/", "modify_params": true},
            "verification": {"confirmation_mode": true, "security_analyzer": "llm", "critic_enabled": true},
            "enable_switch_llm_tool": true,
            "tools": []
        })),
        json!({
            "agent_kind": "openhands",
            "llm": {"model": "openhands/gpt-5.6"},
            "verification": {"critic_enabled": true},
            "tools": null,
            "schema_version": 9
        })
    );
    assert_eq!(stored(json!({}))["agent_kind"], "openhands");
}

#[test]
fn an_external_agent_loses_its_model() {
    assert_eq!(
        stored(
            json!({"schema_version": 5, "agent_kind": "acp", "llm": {"model": "x"}, "enable_sub_agents": true})
        ),
        json!({"schema_version": 9, "agent_kind": "acp"})
    );
}

/// The texts are the reference's.
#[test]
fn what_cannot_be_brought_over_is_refused() {
    let refused = |settings| migrated(Origin::Request, settings).unwrap_err();
    assert_eq!(
        refused(json!({"schema_version": 99})),
        "AgentSettings schema_version 99 is newer than supported version 9."
    );
    assert_eq!(
        refused(json!({"schema_version": "a"})),
        "AgentSettings schema_version must be an integer, got str."
    );
    assert_eq!(
        refused(json!({"schema_version": -1})),
        "AgentSettings schema_version must be non-negative."
    );
    assert_eq!(
        refused(json!({"enable_switch_llm_tool": true, "enable_sub_agents": true})),
        "Removed agent settings: enable_sub_agents, enable_switch_llm_tool"
    );
    assert_eq!(
        refused(json!({"agent_kind": "acp", "llm": {}})),
        "Removed agent settings: llm"
    );
    assert!(
        migrated(
            Origin::Request,
            json!({"schema_version": 7, "enable_sub_agents": true})
        )
        .is_ok()
    );
}

#[test]
fn servers_of_tools_leave_the_older_shape() {
    let settings = stored(json!({"schema_version": 4, "mcp_config": {"mcpServers": {
        "a": {"command": "x", "type": "stdio", "strange": 1},
        "b": {"url": "http://b", "type": "shttp", "auth": "tok"},
        "c": {"url": "http://c", "headers": {"authorization": "Bearer  abc", "X": "1"}},
        "d": {"url": "http://d", "headers": {"Authorization": "Basic abc"}},
        "e": {"url": "http://e", "api_key": "k"},
        "f": {"url": "http://f", "auth": "oauth", "authentication": {"client_id": "i"}, "oauth_credentials": {
            "mcp-oauth-token": {"http://f/tokens": {"value": {"access_token": "t"}}},
            "mcp-oauth-token-expiry": {"http://f/token_expiry": {"value": {"expires_at": 5.0}}}
        }},
        "sse": {"url": "https://mcp.linear.app/sse?x=1", "transport": "sse"}
    }}}));
    assert_eq!(
        settings["mcp_config"],
        json!({
            "a": {"command": "x", "transport": "stdio"},
            "b": {"url": "http://b", "auth": {"strategy": "bearer", "value": "tok"}, "transport": "http"},
            "c": {"url": "http://c", "headers": {"X": "1"}, "auth": {"strategy": "bearer", "value": "abc"}},
            "d": {"url": "http://d", "auth": {"strategy": "header", "headers": {"Authorization": "Basic abc"}}},
            "e": {"url": "http://e", "auth": {"strategy": "api_key", "value": "k"}},
            "f": {"url": "http://f", "auth": {
                "strategy": "oauth2",
                "authentication": {"client_id": "i", "type": "oauth"},
                "state": {"tokens": {"access_token": "t"}, "token_expires_at": 5.0}
            }},
            "shttp": {"url": "https://mcp.linear.app/mcp"}
        })
    );
}
