//! Pieces of output for those who watch a command. Most shells are never watched: room for pieces is made when the first one asks.

use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use tokio::sync::broadcast;

/// Pieces of output a subscriber may be behind before it loses the oldest.
const PIECES: usize = 64;

/// What watchers of one shell are told. Cloning it shares them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Preview(Arc<OnceLock<broadcast::Sender<Bytes>>>);

impl Preview {
    pub(crate) fn subscribe(&self) -> broadcast::Receiver<Bytes> {
        let sender = self.0.get_or_init(|| broadcast::Sender::new(PIECES));
        sender.subscribe()
    }

    /// Tells those who watch, if there are any. One that is behind loses the oldest pieces, and is told how many.
    pub(crate) fn show(&self, bytes: &[u8]) {
        if let Some(sender) = self.0.get().filter(|sender| sender.receiver_count() > 0) {
            let _ = sender.send(Bytes::copy_from_slice(bytes));
        }
    }
}
