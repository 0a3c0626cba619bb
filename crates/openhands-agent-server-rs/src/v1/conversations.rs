//! Conversations.

use crate::http::Routes;

pub(crate) fn routes() -> Routes {
    Routes::new()
}
