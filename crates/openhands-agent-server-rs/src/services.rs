//! What the routes work with: plain values that know no HTTP.

pub(crate) mod activity;
pub(crate) mod bash;
pub(crate) mod conversations;
pub(crate) mod files;
pub(crate) mod git;
pub(crate) mod vscode;
