//! What the routes work with: plain values that know no HTTP.

pub(crate) mod activity;
pub(crate) mod bash;
pub(crate) mod conversations;
pub(crate) mod files;
pub(crate) mod git;
pub(crate) mod launch;
pub(crate) mod llm_catalog;
pub(crate) mod llm_check;
pub(crate) mod mcp_test;
pub(crate) mod models;
pub(crate) mod sandboxes;
pub(crate) mod saved_models;
pub(crate) mod settings;
pub(crate) mod skills;
pub(crate) mod tools;
pub(crate) mod vscode;
pub(crate) mod webhooks;
pub(crate) mod workspaces;
