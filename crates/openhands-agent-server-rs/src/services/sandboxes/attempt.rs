//! One try to make a container. It can be given up before it has ended.

use tokio_util::sync::{CancellationToken, DropGuard};

#[derive(Debug, Default)]
pub(super) struct Attempt {
    given_up: CancellationToken,
    ended: CancellationToken,
}

impl Attempt {
    /// Nobody wants the container any more.
    pub(super) fn give_up(&self) {
        self.given_up.cancel();
    }

    pub(super) fn is_given_up(&self) -> bool {
        self.given_up.is_cancelled()
    }

    /// Resolves when it is given up.
    pub(super) async fn given_up(&self) {
        self.given_up.cancelled().await;
    }

    /// Resolves when there is a container, or nothing is left of it.
    pub(super) async fn ended(&self) {
        self.ended.cancelled().await;
    }

    /// It has ended when the guard is dropped, however that comes.
    pub(super) fn end_with(&self) -> DropGuard {
        self.ended.clone().drop_guard()
    }
}
