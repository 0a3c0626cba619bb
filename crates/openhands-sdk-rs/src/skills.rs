//! Skills: knowledge that is given to the model when it is wanted.
//!
//! ```text
//!   project files ─┐
//!   client's own ──┤                      ┌─► prompt: always-on texts, and the list of the others
//!   user's files ──┼─► SkillSources ──► skills ─► activate: by a word in a message, by a touched path
//!   public git ────┘      resolve()       └─► invoke: when the model asks
//! ```
//!
//! A file that is no skill is reported and skipped; it never keeps the others from loading. Project files are read
//! through the [`Workspace`](openhands_runtime::Workspace), because they are where the tools run.

pub mod activate;
mod checkout;
mod compose;
mod directory;
mod error;
mod files;
pub(crate) mod frontmatter;
mod inline_command;
pub mod invoke;
mod listing;
mod loaded;
mod marketplace;
mod mcp_servers;
mod organization;
mod plugin;
mod project;
mod public;
mod resolve;
mod resources;
mod source;
mod third_party;
pub mod trigger;
mod user;

pub use checkout::Repository;
pub use compose::settle;
pub use error::SkillError;
pub(crate) use files::text_if_there;
pub(crate) use listing::available_skills;
pub use loaded::{Loaded, Warning};
pub use marketplace::{Marketplaces, auto_loads};
pub use organization::load_organization;
pub use project::load_project;
pub use public::{DEFAULT_MARKETPLACE, DEFAULT_REPOSITORY, PublicSkills, PublicSource};
pub use resolve::SkillSources;
pub use user::{UserDirectories, load_user};
