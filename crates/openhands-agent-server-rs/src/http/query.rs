//! Query parameters.

use axum::extract::FromRequestParts;
use axum::http::Uri;
use axum::http::request::Parts;
use openhands_protocol::schema::{Described, Schema};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::http::{ApiError, input};

/// The query, as an object type whose fields are its parameters. Unknown ones are ignored.
#[derive(Debug)]
pub(crate) struct Query<T>(pub(crate) T);

impl<T: Described + DeserializeOwned, S: Send + Sync> FromRequestParts<S> for Query<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ApiError> {
        if let Some(read) = input::checked_query(parts) {
            return read.map(Self);
        }
        input::read("query", members(&parts.uri, T::schema())).map(Self)
    }
}

/// The known parameters: all values of a list, the last one of what is no list.
pub(crate) fn members(uri: &Uri, schema: &'static Schema) -> Value {
    let Schema::Object(object) = schema else {
        return Value::Object(Map::new());
    };
    let mut members = Map::new();
    for (name, value) in pairs(uri.query().unwrap_or_default()) {
        let Some(field) = object.members().find(|field| field.name == name) else {
            continue;
        };
        let value = Value::String(value);
        if !matches!(field.shape().inner(), Schema::List(_)) {
            members.insert(name, value);
        } else if let Some(Value::Array(values)) = members.get_mut(&name) {
            values.push(value);
        } else {
            members.insert(name, Value::Array(vec![value]));
        }
    }
    Value::Object(members)
}

/// The parameters of a query, in order.
pub(crate) fn pairs(query: &str) -> Vec<(String, String)> {
    if query.is_empty() {
        return Vec::new();
    }
    let uri = format!("/?{query}").parse::<axum::http::Uri>();
    uri.ok()
        .and_then(|uri| axum::extract::Query::<Vec<(String, String)>>::try_from_uri(&uri).ok())
        .map(|query| query.0)
        .unwrap_or_default()
}

/// The value of a parameter; the last one counts.
pub(crate) fn find<'a>(query: &'a [(String, String)], name: &str) -> Option<&'a str> {
    let found = query.iter().rev().find(|(key, _)| key == name)?;
    Some(&found.1)
}
