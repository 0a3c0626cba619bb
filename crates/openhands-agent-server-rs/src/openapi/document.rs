//! The description of all operations, as OpenAPI 3.1.

use openhands_protocol::schema::{Described, Field, ObjectSchema, Schema};
use openhands_protocol::server::ErrorBody;
use serde_json::{Map, Value, json};

use super::components::Components;
use super::operations::{named, path};
use crate::http::{Access, Argument, Operation, Place};
use crate::v1::server_info::API_VERSION;

/// The document for these operations.
pub(super) fn document(operations: &[Operation]) -> Value {
    let mut components = Components::default();
    let mut paths: Map<String, Value> = Map::new();
    for operation in operations.iter().filter(|operation| !operation.is_hidden) {
        let described = described(operation, &mut components);
        let methods = paths
            .entry(path(operation))
            .or_insert_with(|| Value::Object(Map::new()));
        if let Some(methods) = methods.as_object_mut() {
            methods.insert(operation.method.as_str().to_lowercase(), described);
        }
    }
    json!({
        "openapi": "3.1.0",
        "info": {"title": "OpenHands Agent Server", "version": API_VERSION},
        "paths": paths,
        "components": {
            "schemas": components.into_value(),
            "securitySchemes": {
                "APIKeyHeader": {"type": "apiKey", "in": "header", "name": "X-Session-API-Key"},
                "HTTPBearer": {"type": "http", "scheme": "bearer"},
                "APIKeyCookie": {"type": "apiKey", "in": "cookie", "name": "oh_workspace_session_key"},
            },
        },
    })
}

fn described(operation: &Operation, components: &mut Components) -> Value {
    let name = named(operation);
    let mut described = Map::new();
    let mut say = |member: &str, value: Value| described.insert(member.to_owned(), value);
    if let Some(group) = name.group {
        say("tags", json!([group]));
    }
    if !operation.summary.is_empty() {
        say("summary", operation.summary.into());
    }
    say("operationId", name.id.into());
    let parameters = parameters(operation, components);
    let has_input = !parameters.is_empty() || !operation.arguments.is_empty();
    if !parameters.is_empty() {
        say("parameters", parameters.into());
    }
    if let Some(body) = operation
        .arguments
        .iter()
        .find_map(|argument| body(argument, components))
    {
        say("requestBody", body);
    }
    say("responses", answers(operation, has_input, components));
    let security = match operation.access {
        Access::Open => None,
        Access::Key => Some(json!([{"APIKeyHeader": []}])),
        Access::KeyOrCookie => Some(json!([{"APIKeyHeader": []}, {"APIKeyCookie": []}])),
        Access::KeyOrBearer => Some(json!([{"APIKeyHeader": []}, {"HTTPBearer": []}])),
    };
    if let Some(security) = security {
        say("security", security);
    }
    described.into()
}

/// The object type of an argument in some place.
fn objects(operation: &Operation, wanted: Place) -> impl Iterator<Item = &'static ObjectSchema> {
    operation
        .arguments
        .iter()
        .filter(move |argument| argument.place == wanted)
        .filter_map(|argument| match (argument.schema)() {
            Schema::Object(object) => Some(*object),
            _ => None,
        })
}

fn parameters(operation: &Operation, components: &mut Components) -> Vec<Value> {
    let mut parameters = Vec::new();
    for name in operation.parameters() {
        let field = objects(operation, Place::Path)
            .flat_map(ObjectSchema::members)
            .find(|field| field.name == name);
        // A handler that takes the path apart itself gets a text.
        parameters.push(match field {
            Some(field) => parameter(field, "path", components),
            None => {
                json!({"name": name, "in": "path", "required": true, "schema": {"type": "string"}})
            }
        });
    }
    for field in objects(operation, Place::Query).flat_map(ObjectSchema::members) {
        parameters.push(parameter(field, "query", components));
    }
    for name in &operation.headers {
        parameters.push(json!({
            "name": name,
            "in": "header",
            "required": false,
            "schema": {"anyOf": [{"type": "string"}, {"type": "null"}]},
        }));
    }
    parameters
}

fn parameter(field: &Field, place: &str, components: &mut Components) -> Value {
    let mut schema = components.field(field);
    let description = schema
        .as_object_mut()
        .and_then(|schema| schema.shift_remove("description"));
    let mut parameter = json!({
        "name": field.name,
        "in": place,
        "required": field.is_required(),
        "schema": schema,
    });
    if let (Some(description), Some(members)) = (description, parameter.as_object_mut()) {
        members.insert("description".to_owned(), description);
    }
    parameter
}

fn body(argument: &Argument, components: &mut Components) -> Option<Value> {
    let schema = (argument.schema)();
    match argument.place {
        Place::Path | Place::Query => None,
        Place::Body => Some(json!({
            "required": true,
            "content": {"application/json": {"schema": components.schema(schema)}},
        })),
        Place::OptionalBody => Some(json!({
            "content": {"application/json": {
                "schema": {"anyOf": [components.schema(schema), {"type": "null"}]},
            }},
        })),
        Place::Form => Some(json!({
            "required": true,
            "content": {"multipart/form-data": {"schema": {
                "type": "object",
                "properties": {"file": {"type": "string", "contentMediaType": "application/octet-stream"}},
                "required": ["file"],
            }}},
        })),
    }
}

fn answers(operation: &Operation, has_input: bool, components: &mut Components) -> Value {
    let mut answers = Map::new();
    let good = match operation.answer {
        Some(schema) => json!({
            "description": "Successful Response",
            "content": {"application/json": {"schema": components.schema(schema())}},
        }),
        None => json!({"description": "Successful Response"}),
    };
    answers.insert(operation.status.to_string(), good);
    if has_input {
        answers.insert(
            "422".to_owned(),
            json!({
                "description": "Validation Error",
                "content": {"application/json": {"schema": components.schema(ErrorBody::schema())}},
            }),
        );
    }
    answers.into()
}
