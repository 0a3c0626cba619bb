//! WebSockets: who may open one, what is sent on it, and what a client may say.
//!
//! Each socket reads the log of its conversation at its own pace. One that is slow or dead delays nobody: it is simply
//! behind, and is closed when it takes nothing for too long.

pub(crate) mod auth;
mod bash;
mod client_frame;
pub(crate) mod connection;
mod events;
mod output;
mod session;

use crate::http::Routes;

/// The routes of all sockets.
pub(crate) fn routes() -> Routes {
    Routes::new()
        .get("/sockets/events/{conversation_id}", events::open)
        .says("Events of a conversation as they happen")
        .hidden()
        .get("/sockets/bash-events", bash::open)
        .says("Commands beside the agent and their output, as they happen")
        .hidden()
        .get("/sockets/session/{conversation_id}", session::open)
        .says("Events of a conversation with their numbers, and what is being written")
        .hidden()
        .get("/sockets/output/{conversation_id}", output::open)
        .says("What running tools print")
        .hidden()
}
