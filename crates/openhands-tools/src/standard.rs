//! The tools that come with the project, under their registered names.
//!
//! Adding one is one line here and one folder beside it.

use crate::browser::tool as browser;
use crate::gemini::{edit, list_directory, read_file, write_file};
use crate::registry::Registry;
use crate::search::{glob_tool, grep_tool};
use crate::{file_editor, ipython, patch, planning, task_tracker, terminal};

impl Registry {
    /// Every tool of this crate.
    pub fn standard() -> Self {
        let mut registry = Self::empty();
        registry.register(terminal::NAME, terminal::registration());
        registry.register(file_editor::NAME, file_editor::registration());
        registry.register(planning::NAME, planning::registration());
        registry.register(task_tracker::NAME, task_tracker::registration());
        registry.register(read_file::NAME, read_file::registration());
        registry.register(write_file::NAME, write_file::registration());
        registry.register(edit::NAME, edit::registration());
        registry.register(list_directory::NAME, list_directory::registration());
        registry.register(patch::NAME, patch::registration());
        registry.register(glob_tool::NAME, glob_tool::registration());
        registry.register(grep_tool::NAME, grep_tool::registration());
        registry.register(ipython::NAME, ipython::registration());
        registry.register(browser::NAME, browser::registration());
        registry
    }
}

#[cfg(test)]
#[path = "standard_tests.rs"]
mod tests;
