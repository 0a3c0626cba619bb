//! WebSockets.

use crate::http::Routes;

/// The routes of all sockets.
pub(crate) fn routes() -> Routes {
    Routes::new()
}
