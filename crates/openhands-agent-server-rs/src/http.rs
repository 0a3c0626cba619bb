//! HTTP as this API speaks it: routes with their documentation, typed input, answers, errors, and who may come in.

mod access;
mod body;
mod cors;
mod door;
mod error;
mod front;
mod input;
mod path;
pub(crate) mod paths;
mod query;
mod refused;
mod reply;
mod routes;

pub(crate) use access::{Access, KEY_HEADER, WORKSPACE_COOKIE, is_key};
pub(crate) use body::{Body, MaybeBody};
pub use door::Door;
pub(crate) use error::ApiError;
pub use front::Front;
pub(crate) use path::Path;
pub(crate) use query::Query;
pub(crate) use reply::Reply;
pub use routes::Operation;
pub(crate) use routes::{Matched, Routes};
