//! What the routes work with: plain values that know no HTTP.

pub(crate) mod activity;
pub(crate) mod conversations;
pub(crate) mod git;
pub(crate) mod launch;
pub(crate) mod llm_check;
pub(crate) mod models;
pub(crate) mod saved_models;
pub(crate) mod settings;
pub(crate) mod vscode;
