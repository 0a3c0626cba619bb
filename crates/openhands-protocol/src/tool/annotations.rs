//! Hints about what a tool does to its surroundings.

use crate::wire::wire;

wire! {
    /// Hints about a tool, in the spelling of the Model Context Protocol.
    pub struct ToolAnnotations (default) {
        title: Option<String> = None,
        /// The tool changes nothing: it needs no risk assessment.
        read_only_hint as "readOnlyHint": bool = false,
        /// The tool may destroy something.
        destructive_hint as "destructiveHint": bool = true,
        /// A second identical call changes nothing more.
        idempotent_hint as "idempotentHint": bool = false,
        /// The tool reaches beyond the workspace.
        open_world_hint as "openWorldHint": bool = true,
    }
}
