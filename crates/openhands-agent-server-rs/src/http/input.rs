//! How input becomes a typed value, and what is said when it does not fit.

use openhands_protocol::Reading;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::http::ApiError;

/// Reads a value that came in `place` (`body`, `query` or `path`).
pub(crate) fn read<T: DeserializeOwned>(place: &str, value: Value) -> Result<T, ApiError> {
    Reading::strict()
        .coercing()
        .from_value(value.clone())
        .map_err(|error| refused(place, &error, &value))
}

fn refused(place: &str, error: &serde_json::Error, input: &Value) -> ApiError {
    ApiError::unprocessable(json!([{
        "type": "value_error",
        "loc": [place],
        "msg": format!("Value error, {error}"),
        "input": input,
    }]))
}
