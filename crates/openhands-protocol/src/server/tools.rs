//! Which tools a server has.

use crate::wire::wire;

wire! {
    /// A tool.
    pub struct ToolCatalogEntry (default) {
        name: String,
        user_selectable: bool = true,
        usable: bool = true,
        description: String = String::new(),
        in_default_set: bool = false,
    }

    /// All tools.
    pub struct ToolCatalogResponse (default) {
        tools: Vec<ToolCatalogEntry>,
    }
}
