use openhands_protocol::agent::MetaProfile;
use openhands_protocol::agent::{AcpModelDiscoveryRequest, MaterializeAgentProfileRequest};
use openhands_protocol::bash::{BashEventSortOrder, ExecuteBashRequest};
use openhands_protocol::conversation::*;
use openhands_protocol::hooks::HooksRequest;
use openhands_protocol::llm::*;
use openhands_protocol::mcp::{McpServer, McpServerPatch, McpTestRequest};
use openhands_protocol::plugins::FetchPluginRequest;
use openhands_protocol::schema::{Described, Field, ObjectSchema};
use openhands_protocol::secrets::SecretCreateRequest;
use openhands_protocol::settings::SettingsUpdateRequest;
use openhands_protocol::skills::SkillsRequest;
use openhands_protocol::workspace::AddWorkspacesRequest;
use openhands_protocol::{BashEventId, ConversationId, Form, UtcTime};
use pretty_assertions::assert_eq;

use super::*;

const fn field(name: &'static str, schema: SchemaOf, rules: &'static Rules) -> Field {
    Field {
        name,
        alias: None,
        docs: &[],
        schema,
        default: Some(|| Value::Null),
        rules: Some(rules),
    }
}

const fn parameters(fields: &'static [Field]) -> ObjectSchema {
    ObjectSchema {
        name: "Parameters",
        docs: &[],
        header: &[],
        fields,
        tag: None,
        closed: false,
        embedded: false,
        before: None,
        after: None,
    }
}

const EVENTS: ObjectSchema = parameters(&[
    field(
        "command_id__eq",
        <Option<BashEventId>>::schema,
        &Rules::NONE,
    ),
    field("timestamp__gte", <Option<UtcTime>>::schema, &Rules::NONE),
    field("sort_order", BashEventSortOrder::schema, &Rules::NONE),
    field("limit", i64::schema, &Rules::NONE.gt(0.0).le(100.0)),
]);

const IDS: ObjectSchema = parameters(&[Field {
    default: None,
    ..field(
        "ids",
        <Vec<ConversationId>>::schema,
        &Rules::NONE.max_length(99),
    )
}]);

macro_rules! schemas {
    ($found:expr; $($name:ident),* $(,)?) => {
        match $found {
            $(stringify!($name) => $name::schema(),)*
            "Events" => const { &Schema::Object(&EVENTS) },
            "Ids" => const { &Schema::Object(&IDS) },
            other => panic!("no type {other}"),
        }
    };
}

fn schema(name: &str) -> &'static Schema {
    schemas!(name;
        StartConversationRequest, ExecuteBashRequest, McpTestRequest, SaveProfileRequest, McpServerPatch, McpServer,
        SettingsUpdateRequest, UpdateSecretsRequest, ProviderConnectionCreateRequest,
        ProviderConnectionUpdateRequest, SkillsRequest, UpdateConversationRequest, ForkConversationRequest,
        NavigateConversationRequest, StartGoalRequest, StartChildConversationRequest, SwitchLlmRequest,
        SwitchProfileRequest, SetConfirmationPolicyRequest, SetSecurityAnalyzerRequest, SecretCreateRequest,
        AddWorkspacesRequest, HooksRequest, MaterializeAgentProfileRequest, RenameProfileRequest,
        FetchPluginRequest, MetaProfile, AcpModelDiscoveryRequest,
    )
}

/// Recorded by `tests/fixtures/record_validation.py`.
const RECORDED: &str = include_str!("../../tests/fixtures/validation.json");

#[test]
fn says_what_the_reference_says() {
    let records: Vec<Value> = serde_json::from_str(RECORDED).unwrap();
    assert_eq!(records.len(), 166);
    let mut differences = Vec::new();
    for record in records {
        let place = record["place"].as_str().unwrap();
        let schema = schema(record["type"].as_str().unwrap());
        let found = check(place, schema, record["input"].clone());
        let errors = Form::REST
            .to_value(&found.err().unwrap_or_default())
            .unwrap();
        if errors != record["errors"] {
            differences.push(format!(
                "{}\nours   {errors}\ntheirs {}",
                record["input"], record["errors"]
            ));
        }
    }
    assert!(differences.is_empty(), "{}", differences.join("\n\n"));
}

fn becomes(schema: &'static Schema, value: Value, expected: &Value) {
    assert_eq!(&check("body", schema, value).unwrap(), expected);
}

#[test]
fn numbers_and_booleans_may_be_given_as_text() {
    becomes(
        ExecuteBashRequest::schema(),
        json!({"command": "ls", "timeout": " 5 ", "unknown": 1}),
        &json!({"command": "ls", "timeout": 5, "unknown": 1}),
    );
    becomes(
        SaveProfileRequest::schema(),
        json!({"llm": {"model": "m", "temperature": "0.5", "num_retries": 3.0}, "include_secrets": "off"}),
        &json!({"llm": {"model": "m", "temperature": 0.5, "num_retries": 3}, "include_secrets": false}),
    );
}

#[test]
fn what_is_exact_stays_as_it_is_where_several_types_would_do() {
    let overrides = json!({"model": "m", "capability_overrides": {"a": "true", "b": true}});
    becomes(Llm::schema(), overrides.clone(), &overrides);
}

#[test]
fn a_kind_that_is_left_out_is_filled_in() {
    let request = json!({
        "workspace": {"working_dir": "/w"},
        "agent": {"llm": {"model": "m"}},
        "initial_message": {"content": [{"text": "hi"}]},
        "tags": null,
    });
    becomes(
        StartConversationRequest::schema(),
        request,
        &json!({
            "workspace": {"working_dir": "/w"},
            "agent": {"llm": {"model": "m"}, "kind": "Agent"},
            "initial_message": {"content": [{"text": "hi", "type": "text"}]},
        }),
    );
}

#[test]
fn points_in_time_are_texts_dates_or_seconds() {
    for (given, expected) in [
        ("2026-01-01", "2026-01-01"),
        ("2026-01-01T00:00", "2026-01-01T00:00"),
        ("2026-01-01 00:00:00", "2026-01-01 00:00:00"),
        ("2026-01-01T00:00:00.1234567", "2026-01-01T00:00:00.1234567"),
        ("2026-01-01T00:00:00+05:00", "2026-01-01T00:00:00+05:00"),
        ("1700000000", "2023-11-14T22:13:20.000000Z"),
        ("1700000000000", "2023-11-14T22:13:20.000000Z"),
        ("-5", "1969-12-31T23:59:55.000000Z"),
    ] {
        let query = json!({"timestamp__gte": given});
        let checked = check("query", const { &Schema::Object(&EVENTS) }, query).unwrap();
        assert_eq!(checked["timestamp__gte"], expected);
        let time: UtcTime = checked["timestamp__gte"].as_str().unwrap().parse().unwrap();
        assert!(time.timestamp().as_second() < 1_800_000_000);
    }
}

#[test]
fn a_flood_of_errors_is_cut_off() {
    let workspaces = json!({"workspaces": vec![5; 5000]});
    let errors = check("body", AddWorkspacesRequest::schema(), workspaces).unwrap_err();
    assert_eq!(errors.len(), MAX_ERRORS);
}

#[test]
fn a_part_is_placed_relative_to_itself() {
    let profile = json!({"agent_kind": "acp", "acp_prompt_timeout": 0, "name": "x", "zz": 1});
    let errors =
        check_part(openhands_protocol::agent::AgentProfile::schema(), profile).unwrap_err();
    let places: Vec<_> = errors
        .iter()
        .map(|error| json!([error.kind, error.loc]))
        .collect();
    assert_eq!(
        places,
        [
            json!(["greater_than", ["acp", "acp_prompt_timeout"]]),
            json!(["extra_forbidden", ["acp", "zz"]]),
        ]
    );
}
