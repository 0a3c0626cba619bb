//! The `task_tracker` tool: the agent's own list of tasks, kept with its conversation.

mod list;
mod tool;

pub use list::TaskList;
pub use tool::{TaskTrackerExecutor, TaskTrackerTool, registration};

/// The tool's name.
pub const NAME: &str = "task_tracker";
