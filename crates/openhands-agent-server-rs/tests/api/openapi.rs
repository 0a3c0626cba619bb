//! The description of the API: what it says is what the reference's says, but for what is listed here.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::harness::World;

/// The reference's description, as its server gives it.
const REFERENCE: &str = include_str!("../fixtures/openapi-1.58.json");

/// Differences that are meant, and why.
const ALLOWED: &[(&str, &[&str])] = &[
    (
        "ours: an MCP server can run where the tools of its conversation do",
        &["MCPServer.sandbox", "MCPServerPatch.sandbox"],
    ),
    (
        "it comes later; what is served of it until then is not documented",
        &[
            "DELETE /api/canvas-extensions/installed/{extension_name}",
            "DELETE /api/canvas-extensions/installed/{extension_name}/backend/data",
            "DELETE /api/meta-profiles/{name}",
            "DELETE /api/plugins/installed/{plugin_name}",
            "DELETE /api/skills/installed/{skill_name}",
            "DELETE /app-backends/{extension_name}/session",
            "GET /api/canvas-extensions/installed",
            "GET /api/canvas-extensions/installed/{extension_name}",
            "GET /api/canvas-extensions/installed/{extension_name}/backend",
            "GET /api/canvas-extensions/installed/{extension_name}/backend/logs",
            "GET /api/canvas-extensions/installed/{extension_name}/bundle",
            "GET /api/canvas-extensions/installed/{extension_name}/icon",
            "GET /api/llm/subscription/openai/models",
            "GET /api/llm/subscription/openai/status",
            "GET /api/mcp/oauth/status/{job_id}",
            "GET /api/meta-profiles",
            "GET /api/meta-profiles/{name}",
            "GET /api/plugins/installed",
            "GET /api/plugins/installed/{plugin_name}",
            "GET /api/plugins/marketplace",
            "GET /api/skills/installed",
            "GET /api/skills/installed/{skill_name}",
            "GET /api/skills/marketplace",
            "GET /v1/models",
            "PATCH /api/canvas-extensions/installed/{extension_name}",
            "PATCH /api/plugins/installed/{plugin_name}",
            "PATCH /api/skills/installed/{skill_name}",
            "POST /api/acp/models",
            "POST /api/canvas-extensions/install",
            "POST /api/canvas-extensions/installed/{extension_name}/backend/prepare",
            "POST /api/canvas-extensions/installed/{extension_name}/backend/start",
            "POST /api/canvas-extensions/installed/{extension_name}/backend/stop",
            "POST /api/llm/subscription/openai/device/poll",
            "POST /api/llm/subscription/openai/device/start",
            "POST /api/llm/subscription/openai/logout",
            "POST /api/mcp/oauth/callback/{job_id}",
            "POST /api/mcp/oauth/start",
            "POST /api/meta-profiles/{name}",
            "POST /api/meta-profiles/{name}/activate",
            "POST /api/plugins",
            "POST /api/plugins/fetch",
            "POST /api/plugins/install",
            "POST /api/plugins/installed/{plugin_name}/refresh",
            "POST /api/skills/install",
            "POST /api/skills/installed/{skill_name}/refresh",
            "POST /app-backends/{extension_name}/session",
            "POST /v1/chat/completions",
            "POST /v1/responses",
        ],
    ),
    (
        "its key is not the session key, and its handler looks for it",
        &["POST /api/init security"],
    ),
    (
        "an older version of a saved agent is taken too, so the handler checks it",
        &[
            "MaterializeAgentProfileRequest.profile",
            "ACPAgentProfile",
            "OpenHandsAgentProfile",
            "LLMSummarizingCondenserSettings",
            "NoOpCondenserSettings",
            "ProfileVerificationSettings",
        ],
    ),
    (
        "there is a type for each transport",
        &[
            "MCPTestRequest.server",
            "_RemoteMCPServerSpec",
            "_StdioMCPServerSpec",
        ],
    ),
    (
        "a plain text is taken as well, and said so",
        &["UpdateSecretsRequest.secrets"],
    ),
    (
        "any text is taken, and a point in time is one",
        &["AgentContext.current_datetime"],
    ),
    (
        "a hook that is no command needs none",
        &["HookDefinition.command"],
    ),
    (
        "the reference writes it and ignores it when it is sent",
        &["LLM.is_subscription", "LLM.schema_version"],
    ),
    (
        "newer words are passed on, and said so",
        &["LLM.reasoning_effort"],
    ),
    (
        "what is no sign-in by OAuth is told by another tag",
        &["MCPOAuthAuthentication.type"],
    ),
    (
        "null stands for the built-in patterns",
        &[
            "PatternSecurityAnalyzer.high_patterns",
            "PatternSecurityAnalyzer.injection_high_patterns",
            "PatternSecurityAnalyzer.injection_medium_patterns",
            "PatternSecurityAnalyzer.medium_patterns",
        ],
    ),
    (
        "the reference takes null too, without saying so",
        &[
            "StartConversationRequest.agent",
            "POST /api/conversations/{conversation_id}/fork body",
        ],
    ),
    (
        "an unknown source is refused, not looked for in vain",
        &[
            "GET /api/conversations/{conversation_id}/events/count query:source",
            "GET /api/conversations/{conversation_id}/events/search query:source",
        ],
    ),
    (
        "the usual answer is 201; 200 says that the conversation was there",
        &["POST /api/conversations status"],
    ),
];

/// A description of an API.
struct Api(Value);

impl Api {
    fn components(&self) -> &Value {
        &self.0["components"]["schemas"]
    }

    fn operations(&self) -> BTreeMap<String, &Value> {
        let mut operations = BTreeMap::new();
        for (path, methods) in self.0["paths"].as_object().unwrap() {
            for (method, operation) in methods.as_object().unwrap() {
                operations.insert(format!("{} {path}", method.to_uppercase()), operation);
            }
        }
        operations
    }

    /// A schema in a few words that do not depend on how it is written down.
    fn words(&self, schema: &Value) -> String {
        let ways: Vec<String> = self.ways(schema).into_iter().collect();
        ways.join(" | ")
    }

    /// What a value may be.
    fn ways(&self, schema: &Value) -> BTreeSet<String> {
        if let Some(reference) = schema["$ref"].as_str() {
            let name = reference.rsplit('/').next().unwrap();
            let target = &self.components()[name];
            return match target.get("properties") {
                Some(_) => BTreeSet::from([plain(name)]),
                None => self.ways(target),
            };
        }
        for several in ["anyOf", "oneOf"] {
            if let Some(parts) = schema[several].as_array() {
                return parts.iter().flat_map(|part| self.ways(part)).collect();
            }
        }
        if let Some(word) = schema.get("const") {
            return BTreeSet::from([word.to_string()]);
        }
        if let Some(words) = schema["enum"].as_array() {
            return words.iter().map(Value::to_string).collect();
        }
        let shape = match schema["type"].as_str() {
            Some("array") if schema.get("prefixItems").is_some() => "tuple".to_owned(),
            Some("array") => format!("[{}]", self.words(&schema["items"])),
            Some("object") => match &schema["additionalProperties"] {
                Value::Object(_) => format!("{{{}}}", self.words(&schema["additionalProperties"])),
                _ => "{any}".to_owned(),
            },
            Some(simple) => simple.to_owned(),
            None => "any".to_owned(),
        };
        BTreeSet::from([shape + &limits(schema)])
    }

    /// Members of a type, each in a few words.
    fn members(&self, name: &str) -> BTreeMap<String, String> {
        let schema = &self.components()[name];
        let mut members = BTreeMap::new();
        for (member, value) in schema["properties"].as_object().into_iter().flatten() {
            let required = schema["required"]
                .as_array()
                .is_some_and(|names| names.iter().any(|name| name == member));
            let words = self.words(value);
            members.insert(
                member.clone(),
                format!("{words}{}", if required { " *" } else { "" }),
            );
        }
        let closed = schema["additionalProperties"] == Value::Bool(false);
        members.insert("(closed)".to_owned(), closed.to_string());
        members
    }

    /// Names of the types that a schema holds, directly or not.
    fn reachable(&self, schema: &Value, found: &mut BTreeSet<String>) {
        match schema {
            Value::Object(members) => {
                if let Some(name) = members.get("$ref").and_then(Value::as_str) {
                    let name = name.rsplit('/').next().unwrap().to_owned();
                    if found.insert(name.clone()) {
                        self.reachable(&self.components()[&name], found);
                    }
                }
                for (name, value) in members {
                    if name != "discriminator" {
                        self.reachable(value, found);
                    }
                }
            }
            Value::Array(items) => items.iter().for_each(|item| self.reachable(item, found)),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
}

/// The name of a type without what the reference adds to it.
fn plain(name: &str) -> String {
    let name = name.strip_suffix("-Input").unwrap_or(name);
    name.rsplit("__").next().unwrap().to_owned()
}

/// Limits of a value. That a text is a path or a password says nothing about what is accepted.
fn limits(schema: &Value) -> String {
    let mut said = String::new();
    for limit in [
        "minimum",
        "exclusiveMinimum",
        "maximum",
        "exclusiveMaximum",
        "minLength",
        "maxLength",
        "minItems",
        "maxItems",
    ] {
        if let Some(bound) = schema[limit].as_f64() {
            said += &format!(" {limit}={bound}");
        }
    }
    if let Some(pattern) = schema["pattern"].as_str() {
        said += &format!(" pattern={pattern}");
    }
    match schema["format"].as_str() {
        Some("path" | "password") | None => {}
        Some(format) => said += &format!(" format={format}"),
    }
    said
}

/// Everything in which ours differs, by what differs.
fn differences(ours: &Api, theirs: &Api) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let mut compare = |what: String, ours: &str, theirs: &str| {
        if ours != theirs {
            found.insert(what, format!("ours {ours:?}, theirs {theirs:?}"));
        }
    };
    let (mine, known) = (ours.operations(), theirs.operations());
    let mut types = BTreeSet::new();
    for (name, operation) in &known {
        let Some(mine) = mine.get(name) else {
            compare(name.clone(), "missing", "there");
            continue;
        };
        for member in ["operationId", "tags", "security"] {
            compare(
                format!("{name} {member}"),
                &mine[member].to_string(),
                &operation[member].to_string(),
            );
        }
        let mine_by_name = parameters(ours, mine);
        let known_by_name = parameters(theirs, operation);
        for parameter in mine_by_name.keys().chain(known_by_name.keys()) {
            let words = |side: &BTreeMap<String, String>| {
                side.get(parameter)
                    .cloned()
                    .unwrap_or_else(|| "missing".to_owned())
            };
            compare(
                format!("{name} {parameter}"),
                &words(&mine_by_name),
                &words(&known_by_name),
            );
        }
        let body = |api: &Api, operation: &Value| {
            let body = &operation["requestBody"];
            let content = body["content"]
                .as_object()
                .and_then(|content| content.iter().next());
            content.map_or("none".to_owned(), |(kind, content)| {
                // Bodies made of parameters have names of their own.
                let words = match kind.as_str() {
                    "application/json" if !content["schema"].to_string().contains("/Body_") => {
                        api.words(&content["schema"])
                    }
                    _ => String::new(),
                };
                format!(
                    "{kind} {words}{}",
                    if body["required"] == Value::Bool(true) {
                        " *"
                    } else {
                        ""
                    }
                )
            })
        };
        let (my_body, known_body) = (body(ours, mine), body(theirs, operation));
        if known_body != "application/json  *" {
            compare(format!("{name} body"), &my_body, &known_body);
        }
        theirs.reachable(&operation["requestBody"], &mut types);
        theirs.reachable(&operation["parameters"], &mut types);
        let status = |operation: &Value| {
            let answers = operation["responses"].as_object().unwrap().keys();
            answers
                .filter(|status| status.starts_with('2'))
                .cloned()
                .collect::<Vec<_>>()
                .join(" ")
        };
        compare(format!("{name} status"), &status(mine), &status(operation));
    }
    for name in types.iter().filter(|name| !name.starts_with("Body_")) {
        let known = theirs.members(name);
        if known.len() == 1 {
            continue; // not an object
        }
        if ours.components().get(plain(name)).is_none() {
            compare(plain(name), "missing", "there");
            continue;
        }
        let mine = ours.members(&plain(name));
        for member in mine.keys().chain(known.keys()) {
            let words = |side: &BTreeMap<String, String>| {
                side.get(member)
                    .cloned()
                    .unwrap_or_else(|| "missing".to_owned())
            };
            compare(
                format!("{}.{member}", plain(name)),
                &words(&mine),
                &words(&known),
            );
        }
        let default = |api: &Api, name: &str, member: &str| {
            api.components()[name]["properties"][member]["default"].clone()
        };
        for member in known.keys() {
            let wanted = default(theirs, name, member);
            let have = default(ours, &plain(name), member);
            let same = wanted.is_null()
                || wanted == have
                || wanted.as_f64().is_some() && wanted.as_f64() == have.as_f64();
            if !same {
                compare(
                    format!("{}.{member} default", plain(name)),
                    &have.to_string(),
                    &wanted.to_string(),
                );
            }
        }
    }
    found
}

/// Parameters of an operation, each in a few words.
fn parameters(api: &Api, operation: &Value) -> BTreeMap<String, String> {
    let mut parameters = BTreeMap::new();
    for parameter in operation["parameters"].as_array().into_iter().flatten() {
        let words = api.words(&parameter["schema"]);
        let required = if parameter["required"] == Value::Bool(true) {
            " *"
        } else {
            ""
        };
        let default = match &parameter["schema"]["default"] {
            Value::Null => String::new(),
            default => format!(" = {default}"),
        };
        let name = format!(
            "{}:{}",
            parameter["in"].as_str().unwrap(),
            parameter["name"].as_str().unwrap()
        );
        parameters.insert(name, format!("{words}{required}{default}"));
    }
    parameters
}

async fn ours() -> Api {
    let world = World::new().await;
    let (status, document) = world.get("/openapi.json").await;
    assert_eq!(status.as_u16(), 200);
    Api(document)
}

#[tokio::test]
async fn says_what_the_reference_says_but_for_listed_differences() {
    let theirs = Api(serde_json::from_str(REFERENCE).unwrap());
    let found = differences(&ours().await, &theirs);
    let listed: BTreeSet<&str> = ALLOWED
        .iter()
        .flat_map(|(_, listed)| *listed)
        .copied()
        .collect();
    let unlisted: Vec<_> = found
        .iter()
        .filter(|(what, _)| !listed.contains(what.as_str()))
        .map(|(what, difference)| format!("{what}: {difference}"))
        .collect();
    let stale: Vec<_> = listed
        .iter()
        .filter(|listed| !found.contains_key(**listed))
        .map(|listed| format!("{listed} does not differ any more: take it off the list"))
        .collect();
    assert!(
        unlisted.is_empty() && stale.is_empty(),
        "{}",
        [unlisted, stale].concat().join("\n")
    );
}

#[tokio::test]
async fn is_whole_every_reference_leads_somewhere_and_names_are_unique() {
    let Api(document) = ours().await;
    assert_eq!(document["openapi"], "3.1.0");
    assert_eq!(document["info"]["title"], "OpenHands Agent Server");
    let text = document.to_string();
    for part in text.split("\"$ref\":\"#/components/schemas/").skip(1) {
        let name = part.split('"').next().unwrap();
        assert!(
            document["components"]["schemas"][name].is_object(),
            "{name}"
        );
    }
    let api = Api(document);
    let operations = api.operations();
    let ids: BTreeSet<_> = operations
        .values()
        .map(|operation| operation["operationId"].as_str().unwrap())
        .collect();
    assert_eq!(ids.len(), operations.len());
    for (name, operation) in &operations {
        assert!(
            operation["summary"].is_string(),
            "{name} says nothing about itself"
        );
        assert!(!name.contains("/sockets/"), "{name} is no request");
    }
}

#[tokio::test]
async fn the_page_needs_nothing_from_elsewhere() {
    let world = World::with(|config| config.session_api_keys = vec!["k".to_owned()]).await;
    for path in ["/docs", "/redoc"] {
        // Without a key: what the API is, is no secret.
        let answer = world.client.get(world.url(path)).send().await.unwrap();
        assert_eq!(answer.status().as_u16(), 200);
        assert_eq!(answer.headers()["content-type"], "text/html; charset=utf-8");
        assert!(
            answer.headers()["content-security-policy"]
                .to_str()
                .unwrap()
                .contains("connect-src 'self'")
        );
        let page = answer.text().await.unwrap();
        assert!(page.contains("openapi.json"));
        assert!(
            !page.contains("http://") && !page.contains("https://"),
            "{path} loads from elsewhere"
        );
    }
}
