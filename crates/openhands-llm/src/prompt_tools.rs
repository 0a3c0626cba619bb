//! Tool calls written as text, for models that have no native ones.
//!
//! A call is written `<function=NAME>`, then one `<parameter=KEY>VALUE</parameter>` per argument, then
//! `</function>`. Tools are described in the system prompt; results come back as the user's text.

mod decode;
mod encode;
mod listen;
mod model;

pub use model::PromptToolsModel;
