//! HTTP as this API speaks it: routes with their documentation, typed input, answers, errors, and who may come in.

mod access;
mod arguments;
mod body;
mod cors;
mod dispatch;
mod door;
mod error;
mod form;
mod front;
mod input;
mod json_error;
mod path;
pub(crate) mod paths;
mod query;
mod refused;
mod reply;
mod routes;
mod validate;

pub(crate) use access::{Access, KEY_HEADER, WORKSPACE_COOKIE, check as check_access, is_key};
pub(crate) use arguments::Input;
pub use arguments::{Argument, Place};
pub(crate) use body::{Body, MaybeBody};
pub(crate) use dispatch::{Dispatch, WrongRoute};
pub use door::Door;
pub(crate) use error::ApiError;
pub(crate) use form::{Form, FormError};
pub(crate) use front::Behind;
pub use front::Front;
pub(crate) use json_error::json_error;
pub(crate) use path::{Parameters, Path};
pub(crate) use query::{Query, find, pairs};
pub(crate) use reply::{Json, Reply};
pub use routes::Operation;
pub(crate) use routes::Routes;
#[allow(unused_imports, reason = "for handlers with rules of their own")]
pub(crate) use validate::{check_part, value_error};
