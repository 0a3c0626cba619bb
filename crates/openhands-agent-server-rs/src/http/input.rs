//! How input becomes a typed value, and what is said when it does not fit.

use std::collections::VecDeque;

use axum::extract::Request;
use axum::http::request::Parts;
use openhands_protocol::Reading;
use openhands_protocol::schema::{Described, Schema};
use openhands_protocol::server::ValidationError;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::http::arguments::{Argument, Place};
use crate::http::path::Parameters;
use crate::http::{ApiError, Operation, body, query, validate};

/// Reads a value that came in `place` (`body`, `query` or `path`).
pub(crate) fn read<T: Described + DeserializeOwned>(
    place: &str,
    value: Value,
) -> Result<T, ApiError> {
    let value = validate::check(place, T::schema(), value).map_err(ApiError::invalid)?;
    typed(place, value)
}

/// Parameters that were checked, for their readers.
#[derive(Debug, Clone, Default)]
struct Checked {
    /// Those of the path, once for each reader, in their order: each has names of its own in mind.
    paths: VecDeque<Value>,
    query: Option<Value>,
    parameters: Parameters,
}

/// Reads the parameters of the path.
pub(crate) fn checked_path<T: Described + DeserializeOwned>(
    parts: &mut Parts,
) -> Result<T, ApiError> {
    let Some(checked) = parts.extensions.get_mut::<Checked>() else {
        return Err(ApiError::internal("path parameters outside of a route"));
    };
    match checked.paths.pop_front() {
        Some(value) => typed("path", value),
        None => read("path", checked.parameters.members()?),
    }
}

/// The parameters of the path as they are.
pub(crate) fn parameters(parts: &Parts) -> Parameters {
    let checked = parts.extensions.get::<Checked>();
    checked
        .map(|checked| checked.parameters.clone())
        .unwrap_or_default()
}

/// Reads the query, if it was checked.
pub(crate) fn checked_query<T: DeserializeOwned>(parts: &mut Parts) -> Option<Result<T, ApiError>> {
    let value = parts.extensions.get_mut::<Checked>()?.query.take()?;
    Some(typed("query", value))
}

/// Reads a value that was checked. What fits the schema and not the type, such as a number out of range, is
/// the caller's mistake all the same.
fn typed<T: DeserializeOwned>(place: &str, value: Value) -> Result<T, ApiError> {
    Reading::lenient().from_value(value).map_err(|error| {
        ApiError::unprocessable(json!([{
            "type": "value_error",
            "loc": [place],
            "msg": format!("Value error, {error}"),
            "input": null,
            "ctx": {"error": error.to_string()},
        }]))
    })
}

/// Refuses a request whose parameters do not fit, and says what is wrong with its body too. The body is left
/// alone otherwise: its reader checks it.
pub(crate) async fn check_parameters(
    operation: &Operation,
    parameters: Parameters,
    mut request: Request,
) -> Result<Request, ApiError> {
    let mut errors = Vec::new();
    let mut checked = Checked {
        parameters,
        ..Checked::default()
    };
    for Argument { place, schema } in &operation.arguments {
        match place {
            Place::Path => {
                let members = checked.parameters.members()?;
                match validate::check("path", schema(), members) {
                    Ok(value) => checked.paths.push_back(value),
                    Err(problems) => errors.extend(problems),
                }
            }
            Place::Query => {
                let members = query::members(request.uri(), schema());
                match validate::check("query", schema(), members) {
                    Ok(value) => checked.query = Some(value),
                    Err(problems) => errors.extend(problems),
                }
            }
            Place::Body | Place::OptionalBody | Place::Form => {}
        }
    }
    if errors.is_empty() {
        if checked.query.is_some() || checked.parameters != Parameters::default() {
            request.extensions_mut().insert(checked);
        }
        return Ok(request);
    }
    let body = operation
        .arguments
        .iter()
        .find(|argument| matches!(argument.place, Place::Body | Place::OptionalBody));
    if let Some(Argument { place, schema }) = body {
        // In a box: requests that are right would carry room for it along.
        match Box::pin(body::json_body(request)).await? {
            Some(value) => errors.extend(problems("body", schema(), value)),
            None if *place == Place::Body => errors.push(body::missing()),
            None => {}
        }
    }
    Err(ApiError::invalid(errors))
}

fn problems(place: &str, schema: &'static Schema, value: Value) -> Vec<ValidationError> {
    validate::check(place, schema, value)
        .err()
        .unwrap_or_default()
}
