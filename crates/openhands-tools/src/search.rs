//! Searching a workspace: `grep` for contents, `glob` for names. One engine on ripgrep's own crates, no program needed.

mod braces;
mod content_matcher;
mod glob;
pub mod glob_tool;
mod grep;
pub mod grep_tool;
mod name_pattern;
mod newest;
mod path_pattern;
mod python_regex;
mod run;
mod stop;

pub use braces::TooManyAlternatives;
pub use glob::{GlobError, glob};
pub use grep::{GrepError, GrepQuery, grep};
pub use newest::Found;
pub use python_regex::PatternError;
pub use stop::{SEARCH_LIMIT, Stop, Stopped};
