//! A tool call as the model wrote it.

use crate::ids::ToolCallId;
use crate::text::words;
use crate::wire::wire;

words! {
    /// Which API the call came over.
    pub open enum ToolCallOrigin {
        Completion = "completion",
        Responses = "responses",
    }
}

wire! {
    /// Name and argument text of a call.
    pub struct MessageToolCall (default) {
        id: ToolCallId,
        responses_item_id: Option<String> = None,
        name: String,
        /// JSON text, exactly as the model wrote it.
        arguments: String,
        origin: ToolCallOrigin,
    }
}
