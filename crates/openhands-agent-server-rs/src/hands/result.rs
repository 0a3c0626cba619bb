//! What a call is answered, in the protocol's form.

use std::sync::Arc;

use openhands_protocol::message::Content;
use openhands_protocol::tool::Observation;
use openhands_sdk_rs::runtime::hands::{ERROR_KEY, FORM, Fault};
use rmcp::model::{CallToolResult, ContentBlock, MetaObject};
use serde::Serialize;
use serde_json::{Map, Value};

/// An observation: the whole of it as structured content. Clients that do not know observations get its parts for the
/// model as well.
pub(super) fn observed(observation: &Observation, with_parts: bool) -> CallToolResult {
    let structured = match FORM.to_value(observation) {
        Ok(structured) => structured,
        Err(error) => {
            return fault(
                Fault::Failed,
                format!("the observation cannot be written: {error}"),
            );
        }
    };
    let parts = if with_parts {
        observation.content().iter().flat_map(blocks).collect()
    } else {
        Vec::new()
    };
    let mut result = CallToolResult::success(parts);
    result.is_error = Some(observation.is_error());
    result.structured_content = Some(structured);
    result
}

/// A call without an observation.
pub(super) fn fault(fault: Fault, text: impl Into<String>) -> CallToolResult {
    let mut result = CallToolResult::error(vec![ContentBlock::text(text)]);
    let mut meta = Map::new();
    if let Ok(kind) = serde_json::to_value(fault) {
        meta.insert(ERROR_KEY.to_owned(), kind);
    }
    result.meta = Some(MetaObject(meta));
    result
}

/// What a reserved tool answers.
pub(super) fn plain(answer: &impl Serialize) -> CallToolResult {
    match serde_json::to_value(answer) {
        Ok(answer) => {
            let mut result = CallToolResult::success(Vec::new());
            result.structured_content = Some(answer);
            result
        }
        Err(error) => fault(
            Fault::Failed,
            format!("the answer cannot be written: {error}"),
        ),
    }
}

/// A part for the model as a block. An image that is only named by its address is a text.
fn blocks(part: &Content) -> Vec<ContentBlock> {
    match part {
        Content::Text(text) => vec![ContentBlock::text(&text.text)],
        Content::Image(image) => image.image_urls.iter().map(|url| picture(url)).collect(),
        Content::Unknown(_) => Vec::new(),
    }
}

fn picture(url: &str) -> ContentBlock {
    url.strip_prefix("data:")
        .and_then(|rest| rest.split_once(";base64,"))
        .map_or_else(
            || ContentBlock::text(url),
            |(kind, data)| ContentBlock::image(data, kind),
        )
}

/// About how many bytes it takes to keep an answer.
pub(super) fn size(result: &CallToolResult) -> usize {
    let blocks = result.content.iter().map(|block| match block {
        ContentBlock::Text(text) => text.text.len(),
        ContentBlock::Image(image) => image.data.len(),
        // No tool of ours answers with anything else.
        _ => 0,
    });
    256 + blocks.sum::<usize>() + result.structured_content.as_ref().map_or(0, value_size)
}

fn value_size(value: &Value) -> usize {
    const NODE: usize = size_of::<Value>();
    NODE + match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
        Value::String(text) => text.len(),
        Value::Array(items) => items.iter().map(value_size).sum(),
        Value::Object(members) => members
            .iter()
            .map(|(name, member)| name.len() + value_size(member))
            .sum(),
    }
}

/// A kept answer, for one more who asked.
pub(super) fn copy(answer: &Arc<CallToolResult>) -> CallToolResult {
    CallToolResult::clone(answer)
}
