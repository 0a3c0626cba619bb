//! What the routes work with: plain values that know no HTTP.

pub(crate) mod activity;
pub(crate) mod conversations;
pub(crate) mod git;
pub(crate) mod llm_catalog;
pub(crate) mod mcp_test;
pub(crate) mod skills;
pub(crate) mod tools;
pub(crate) mod vscode;
