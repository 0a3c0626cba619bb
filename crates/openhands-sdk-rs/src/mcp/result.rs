//! From a tool's result to an observation.

use openhands_protocol::message::Content;
use openhands_protocol::tool::McpToolObservation;
use serde_json::Value;

/// The observation of a result; none if it is no result.
///
/// Texts and images are for the model. Other blocks, and the structured form that stands beside them, are not.
pub(super) fn observation(tool: &str, result: &Value) -> Option<McpToolObservation> {
    let members = result.as_object()?;
    let blocks = match members.get("content") {
        None => [].iter(),
        Some(content) => content.as_array()?.iter(),
    };
    let mut content = vec![Content::text(format!("[Tool '{tool}' executed.]"))];
    for block in blocks {
        if let Some(part) = part(block) {
            content.push(part);
        } else {
            let kind = block.get("type").and_then(Value::as_str).unwrap_or("?");
            tracing::warn!(tool, kind, "a part of an MCP tool's result is left out");
        }
    }
    Some(McpToolObservation {
        content,
        is_error: members
            .get("isError")
            .and_then(Value::as_bool)
            .unwrap_or(false),
        tool_name: tool.to_owned(),
        ..McpToolObservation::default()
    })
}

fn part(block: &Value) -> Option<Content> {
    let text = |member: &str| block.get(member).and_then(Value::as_str);
    match text("type")? {
        "text" => text("text").map(Content::text),
        "image" => Some(Content::image(format!(
            "data:{};base64,{}",
            text("mimeType")?,
            text("data")?
        ))),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;
    use serde_json::json;

    #[test]
    fn texts_and_images_are_for_the_model() {
        let result = json!({
            "content": [
                {"type": "text", "text": "one", "annotations": {"priority": 1}},
                {"type": "image", "data": "AAAA", "mimeType": "image/png"},
                {"type": "audio", "data": "AAAA", "mimeType": "audio/wav"},
                {"type": "resource", "resource": {"uri": "x:y", "text": "z"}},
                {"type": "resource_link", "uri": "x:y", "name": "z"},
                {"type": "of tomorrow"},
                {"type": "text", "text": "two"},
            ],
            "structuredContent": {"x": 1},
            "isError": true,
        });
        assert_eq!(
            serde_json::to_value(observation("t", &result).unwrap()).unwrap(),
            json!({
                "content": [
                    {"cache_prompt": false, "type": "text", "text": "[Tool 't' executed.]"},
                    {"cache_prompt": false, "type": "text", "text": "one"},
                    {"cache_prompt": false, "type": "image", "image_urls": ["data:image/png;base64,AAAA"]},
                    {"cache_prompt": false, "type": "text", "text": "two"},
                ],
                "is_error": true,
                "tool_name": "t",
                "kind": "MCPToolObservation",
            })
        );
    }

    #[test]
    fn what_is_no_result_is_none() {
        assert!(observation("t", &json!("x")).is_none());
        assert!(observation("t", &json!({"content": "x"})).is_none());
        assert_eq!(observation("t", &json!({})).unwrap().content.len(), 1);
    }
}
