//! Tools that a server of the Model Context Protocol offers.

use super::observation::observation;
use crate::json::JsonObject;
use crate::wire::wire;

wire! {
    /// Arguments for a tool of a server.
    pub struct McpToolAction ["kind" = "MCPToolAction"] (default) {
        data: JsonObject = JsonObject::new(),
    }
}

observation! {
    /// What a tool of a server answered.
    pub struct McpToolObservation ["kind" = "MCPToolObservation"] {
        tool_name: String,
    }
}
