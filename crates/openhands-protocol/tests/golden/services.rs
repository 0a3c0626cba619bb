//! The recorded calls of all other routes, and the files that they leave.

use indexmap::IndexMap;
use openhands_protocol::agent::{AgentProfile, MetaProfile};
use openhands_protocol::bash::{BashEvent, ExecuteBashRequest};
use openhands_protocol::conversation::AuthFrame;
use openhands_protocol::files::ArchiveManifest;
use openhands_protocol::llm::{Llm, ModelsResponse, ProvidersResponse, VerifiedModelsResponse};
use openhands_protocol::openai::ChatCompletionChunk;
use openhands_protocol::plugins::InstalledExtensions;
use openhands_protocol::secrets::StoredSecrets;
use openhands_protocol::settings::{AgentSettings, ConversationSettings, StoredSettings};
use openhands_protocol::workspace::StoredWorkspaces;
use openhands_protocol::{Form, Names, Nulls, Secrets};
use serde_json::Value;

use crate::compare::{exact, request};
use crate::exchange::Exchange;
use crate::recording::{items, transcripts};
use crate::{Tally, routes};

const NO_API_BODY: &str = "a listing or note, no body of the API";

#[test]
fn services_round_trip() {
    let routes = routes::all();
    let mut tally = Tally::default();
    for (file, transcript) in &transcripts("services") {
        if file == "fernet-vectors.json" {
            tally.leave_out("test vectors of the cipher");
        } else if file == "llm-catalog-full.json" {
            check_catalog(transcript, &mut tally);
        }
        for (i, step) in transcript.as_array().into_iter().flatten().enumerate() {
            let place = format!("{file}[{i}]");
            if step.get("request").is_some() {
                let exchange = exchange(place.clone(), step);
                exchange.check(&routes, &Value::Null, &mut tally);
                check_settings(&exchange, &mut tally);
            } else {
                check_other(&place, file, step, &mut tally);
            }
        }
    }
    tally.finish(
        731,
        &[
            ("a description of the API, not part of it", 2),
            ("a digest that the recorder made of an answer", 23),
            ("a listing or note, no body of the API", 12),
            ("a malformed request that the server refuses", 23),
            ("a number as text", 1),
            ("a preflight", 2),
            ("no body", 10),
            ("not JSON", 32),
            ("recorded as a placeholder", 6),
            ("test vectors of the cipher", 1),
        ],
    );
}

fn exchange(place: String, step: &Value) -> Exchange<'_> {
    let (request, response) = (&step["request"], &step["response"]);
    let body = &response["body"];
    let length: Option<usize> = response["headers"]["content-length"]
        .as_str()
        .and_then(|length| length.parse().ok());
    Exchange {
        place,
        shortened: length.is_some_and(|length| length != body.to_string().len()),
        method: request["method"].as_str().unwrap(),
        path: request["path"].as_str().unwrap(),
        request: &request["json"],
        status: response["status"].as_u64().unwrap(),
        response: body,
    }
}

/// The free-form parts of settings are our types too, where they were recorded whole.
fn check_settings(exchange: &Exchange<'_>, tally: &mut Tally) {
    let body = exchange.response;
    let redacted = Form::new(Nulls::Keep, Secrets::Plain, Names::Internal);
    for (member, check) in [
        ("agent_settings", exact::<AgentSettings>(redacted.clone())),
        (
            "resolved_settings",
            exact::<AgentSettings>(redacted.clone()),
        ),
        (
            "conversation_settings",
            exact::<ConversationSettings>(redacted.clone()),
        ),
        ("profile", exact::<AgentProfile>(redacted)),
    ] {
        if let Some(value) = body
            .get(member)
            .filter(|value| value.get("schema_version").is_some())
        {
            let whole = value
                .get("llm")
                .is_none_or(|llm| llm.get("usage_id").is_some());
            if whole && exchange.status < 300 {
                tally.check(&format!("{} {member}", exchange.place), &check, value);
            }
        }
    }
}

fn check_catalog(catalog: &Value, tally: &mut Tally) {
    for (route, body) in catalog.as_object().unwrap() {
        let check = match route.as_str() {
            "GET /api/llm/models/verified" => exact::<VerifiedModelsResponse>(Form::REST),
            "GET /api/llm/providers" => exact::<ProvidersResponse>(Form::REST),
            _ => exact::<ModelsResponse>(Form::REST),
        };
        tally.check(route, &check, body);
    }
}

fn check_other(place: &str, file: &str, step: &Value, tally: &mut Tally) {
    let mut checked = false;
    for frame in items(step, "frames").filter(|frame| frame.get("connect_error").is_none()) {
        tally.check(place, &exact::<BashEvent>(Form::REST), frame);
        checked = true;
    }
    if step["sent"].is_object() {
        tally.check(place, &request::<ExecuteBashRequest>(), &step["sent"]);
        checked = true;
    }
    for sent in
        items(step, "sent").filter_map(|sent| serde_json::from_str::<Value>(sent.as_str()?).ok())
    {
        if sent["type"] == "auth" {
            tally.check(place, &request::<AuthFrame>(), &sent);
            checked = true;
        }
    }
    for line in items(step, "raw_lines").filter_map(|line| line.as_str()?.strip_prefix("data: ")) {
        if line != "[DONE]" {
            let chunk = serde_json::from_str(line).unwrap();
            tally.check(place, &exact::<ChatCompletionChunk>(Form::REST), &chunk);
            checked = true;
        }
    }
    checked |= check_file(place, file, step, tally);
    if !checked {
        tally.leave_out(NO_API_BODY);
    }
}

/// Files on disk.
fn check_file(place: &str, file: &str, step: &Value, tally: &mut Tally) -> bool {
    let with_nulls = Form::new(Nulls::Keep, Secrets::Plain, Names::Internal);
    let without_nulls = Form::new(Nulls::Omit, Secrets::Plain, Names::Internal);
    let content = &step["content"];
    let installed = |tally: &mut Tally| {
        let check = exact::<InstalledExtensions>(with_nulls.clone());
        tally.check(place, &check, &content[".installed.json"]);
    };
    match file {
        "agent-profiles.json" => tally.check(place, &exact::<AgentProfile>(with_nulls), content),
        "bash-start-stop-search.json" => {
            tally.check(place, &exact::<BashEvent>(with_nulls), content);
        }
        "meta-profiles.json" => tally.check(place, &exact::<MetaProfile>(with_nulls), content),
        "no-secret-key.json" => {
            tally.check(place, &exact::<StoredSecrets>(with_nulls), &step["secrets"]);
        }
        "plugins.json" | "skills-installed.json" => installed(tally),
        "profiles.json" => tally.check(place, &exact::<Llm>(without_nulls), content),
        "settings-get-patch.json" => {
            tally.check(place, &exact::<StoredSettings>(with_nulls), &step["full"]);
        }
        "settings-secrets.json" => tally.check(place, &exact::<StoredSecrets>(with_nulls), content),
        "workspaces.json" => tally.check(place, &exact::<StoredWorkspaces>(with_nulls), content),
        "file-archive.json" if step.get("manifest").is_some() => {
            tally.check(
                place,
                &exact::<ArchiveManifest>(with_nulls),
                &step["manifest"],
            );
        }
        _ => return false,
    }
    true
}

#[test]
fn a_map_of_servers_leaves_out_what_has_no_value() {
    let check = exact::<IndexMap<String, openhands_protocol::mcp::McpServer>>(Form::REST);
    let body = serde_json::json!({"fs": {"command": "npx", "env": {"TOKEN": "**********"}, "enabled": true}});
    check.run(&body, &Value::Null).unwrap();
}
