//! What a request may say about a server to try out: one shape for programs, one for addresses.

use indexmap::IndexMap;
use serde_json::{Map, Value};

use crate::mcp::McpAuth;
use crate::mcp::server::one_authorization;
use crate::schema::{Described, Field, ObjectSchema, Rules, Schema, Telling, UnionSchema};

/// Both shapes, told apart by `type`.
pub(super) fn test_server() -> &'static Schema {
    static UNION: UnionSchema = UnionSchema {
        name: "McpTestServer",
        docs: &["A server to try out."],
        tag: "type",
        variants: &[
            || const { &Schema::Object(&STDIO) },
            || const { &Schema::Object(&HTTP) },
            || const { &Schema::Object(&SHTTP) },
            || const { &Schema::Object(&STREAMABLE_HTTP) },
            || const { &Schema::Object(&SSE) },
        ],
        default: Some(|members| {
            let is_program = members.contains_key("command");
            match members.get("transport").and_then(Value::as_str) {
                Some("stdio") => Some("stdio"),
                Some("shttp") => Some("shttp"),
                Some("streamable-http") => Some("streamable-http"),
                Some("sse") => Some("sse"),
                Some("http") => Some("http"),
                Some(_) => None,
                None => Some(if is_program { "stdio" } else { "http" }),
            }
        }),
        prefix: None,
        telling: Telling::Tag {
            found_using: "'type'",
        },
    };
    static SCHEMA: Schema = Schema::Union(&UNION);
    &SCHEMA
}

/// How sign-in is described in a request is no part of the server itself.
pub(super) fn no_stray_authentication(members: &Map<String, Value>) -> Result<(), String> {
    let server = members.get("server").and_then(Value::as_object);
    if server.is_some_and(|server| server.contains_key("authentication")) {
        return Err("OAuth authentication metadata belongs under auth.authentication.".to_owned());
    }
    Ok(())
}

const NOT_EMPTY: Rules = Rules::NONE.min_length(1);

const fn field(name: &'static str, schema: fn() -> &'static Schema) -> Field {
    Field {
        name,
        alias: None,
        docs: &[],
        schema,
        default: Some(|| Value::Null),
        rules: None,
    }
}

const fn required(name: &'static str) -> Field {
    Field {
        default: None,
        rules: Some(&NOT_EMPTY),
        ..field(name, String::schema)
    }
}

const STDIO: ObjectSchema = ObjectSchema {
    name: "McpTestProgram",
    docs: &["A server that is a program."],
    header: &[],
    fields: &[
        required("command"),
        field("args", <Vec<String>>::schema),
        field("env", <IndexMap<String, String>>::schema),
        field("cwd", <Option<String>>::schema),
    ],
    tag: Some(("type", "stdio")),
    closed: false,
    embedded: false,
    before: None,
    after: None,
};

/// A server at an address, by its transport.
const fn remote(name: &'static str, transport: &'static str) -> ObjectSchema {
    ObjectSchema {
        name,
        docs: &["A server at an address."],
        header: &[],
        fields: REMOTE,
        tag: Some(("type", transport)),
        closed: false,
        embedded: false,
        before: None,
        after: Some(one_authorization),
    }
}

const REMOTE: &[Field] = &[
    required("url"),
    field("headers", <IndexMap<String, String>>::schema),
    field("auth", <Option<McpAuth>>::schema),
    field("timeout", <Option<f64>>::schema),
    field("sse_read_timeout", <Option<f64>>::schema),
    field("keep_alive", <Option<bool>>::schema),
];

const HTTP: ObjectSchema = remote("McpTestHttp", "http");
const SHTTP: ObjectSchema = remote("McpTestShttp", "shttp");
const STREAMABLE_HTTP: ObjectSchema = remote("McpTestStreamableHttp", "streamable-http");
const SSE: ObjectSchema = remote("McpTestSse", "sse");
