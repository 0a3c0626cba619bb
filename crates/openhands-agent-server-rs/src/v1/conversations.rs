//! Conversations and their events.

mod answers;
mod branches;
mod control;
mod create;
mod events;
mod read;
mod settings;

use crate::http::Routes;

pub(crate) fn routes() -> Routes {
    Routes::new()
        .merge(create::routes())
        .merge(read::routes())
        .merge(control::routes())
        .merge(settings::routes())
        .merge(answers::routes())
        .merge(branches::routes())
        .merge(events::routes())
}
