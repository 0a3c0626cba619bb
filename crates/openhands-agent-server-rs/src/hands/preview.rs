//! The output of a call while it runs: bounded, with its secrets hidden.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use openhands_sdk_rs::secrets::Masker;
use tokio::sync::{broadcast, mpsc};
use tokio::time::{Instant, sleep_until};

/// Chunks of a tool that may wait to be passed on.
pub(super) const BACKLOG: usize = 64;
/// The time between two pieces. The first is passed on at once.
const PACE: Duration = Duration::from_millis(20);
/// The most of a piece: what comes in faster is lost to the preview.
const PIECE_BYTES: usize = 32 << 10;

/// Passes output on until the tool gives no more.
pub(super) async fn pass_on(
    mut chunks: mpsc::Receiver<Bytes>,
    masker: &Masker,
    to: &broadcast::Sender<Arc<str>>,
) {
    let mut masker = masker.stream();
    let mut next = Instant::now();
    while let Some(first) = chunks.recv().await {
        sleep_until(next).await;
        next = Instant::now() + PACE;
        let mut piece = Vec::from(first);
        while let Ok(chunk) = chunks.try_recv() {
            if piece.len() + chunk.len() <= PIECE_BYTES {
                piece.extend_from_slice(&chunk);
            }
        }
        piece.truncate(PIECE_BYTES);
        send(masker.feed(&String::from_utf8_lossy(&piece)), to);
    }
    send(masker.finish(), to);
}

fn send(text: String, to: &broadcast::Sender<Arc<str>>) {
    if !text.is_empty() {
        // Nobody watches at the moment: the observation is what counts.
        let _ = to.send(text.into());
    }
}
