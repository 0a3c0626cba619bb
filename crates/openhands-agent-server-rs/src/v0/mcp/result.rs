//! A server's answer to a call, in the form that is passed on.

use rmcp::model::{CallToolResponse, CallToolResult, ContentBlock, ErrorData, ServerResult};
use serde::Deserialize as _;
use serde_json::Value;

/// The result of a call. Blocks of kinds that the library does not know are passed on as texts of their JSON.
pub(super) fn of_call(answer: ServerResult) -> Result<CallToolResponse, ErrorData> {
    match answer {
        ServerResult::CallToolResult(result) => Ok(result.into()),
        ServerResult::EmptyResult(_) => Ok(CallToolResult::success(Vec::new()).into()),
        ServerResult::CustomResult(result) => read_anyway(result.0)
            .map(Into::into)
            .ok_or_else(|| unexpected("a result")),
        _ => Err(unexpected("a result")),
    }
}

/// A server answered, but with something else.
pub(super) fn unexpected(what: &str) -> ErrorData {
    ErrorData::internal_error(
        format!("the MCP server answered with something else than {what}"),
        None,
    )
}

fn read_anyway(mut result: Value) -> Option<CallToolResult> {
    let blocks = result.get_mut("content")?.as_array_mut()?;
    for block in blocks {
        if ContentBlock::deserialize(&*block).is_err() {
            *block = serde_json::to_value(ContentBlock::text(block.to_string())).ok()?;
        }
    }
    serde_json::from_value(result).ok()
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;
    use rmcp::model::CustomResult;
    use serde_json::json;

    use super::*;

    fn passed_on(value: Value) -> Option<Value> {
        let answer = of_call(ServerResult::CustomResult(CustomResult::new(value))).ok()?;
        match answer {
            CallToolResponse::Complete(result) => serde_json::to_value(result).ok(),
            _ => None,
        }
    }

    #[test]
    fn kinds_of_blocks_that_nobody_knows_are_texts() {
        let result = json!({
            "content": [{"type": "of tomorrow", "x": 1}, {"type": "text", "text": "known"}],
            "isError": true,
        });
        let expected = json!({
            "content": [
                {"type": "text", "text": r#"{"type":"of tomorrow","x":1}"#},
                {"type": "text", "text": "known"},
            ],
            "isError": true,
        });
        assert_eq!(passed_on(result), Some(expected));
        assert_eq!(passed_on(json!({"content": 5})), None);
        assert_eq!(passed_on(json!("x")), None);
    }
}
