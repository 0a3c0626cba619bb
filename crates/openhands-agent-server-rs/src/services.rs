//! What the routes work with: plain values that know no HTTP.

pub(crate) mod activity;
pub(crate) mod conversations;
pub(crate) mod webhooks;
