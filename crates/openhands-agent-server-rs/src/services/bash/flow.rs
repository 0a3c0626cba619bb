//! Large output on its way to who waits for it, while the command still prints. The text comes first in such an answer, and what is known
//! only at the end, such as the exit code, after it.

use std::io;

use futures_util::stream::{self, Stream};
use tokio::sync::mpsc;

use super::joined::{Joined, Stored};
use super::parts::Part;

/// Begins to take outputs, in the background: a client that reads slowly holds up no command.
pub(super) fn begin(
    joined: Joined,
    outputs: mpsc::Receiver<Stored>,
) -> impl Stream<Item = io::Result<Part>> + Send + 'static {
    let (sender, parts) = mpsc::unbounded_channel();
    tokio::spawn(async move {
        if let Err(error) = gather(joined, outputs, &sender).await {
            // The client sees an answer that breaks off.
            let _ = sender.send(Err(error));
        }
    });
    stream::unfold(parts, async |mut parts| {
        parts.recv().await.map(|part| (part, parts))
    })
}

async fn gather(
    mut joined: Joined,
    mut outputs: mpsc::Receiver<Stored>,
    parts: &mpsc::UnboundedSender<io::Result<Part>>,
) -> io::Result<()> {
    let mut text = vec![Part::frame(r#"{"stdout":""#)];
    loop {
        text.append(&mut joined.take_stdout());
        for part in text.drain(..) {
            if parts.send(Ok(part)).is_err() {
                return Ok(());
            }
        }
        let stored = tokio::select! {
            stored = outputs.recv() => stored,
            // The client has gone. The command goes on without it.
            () = parts.closed() => return Ok(()),
        };
        let Some(stored) = stored else {
            break;
        };
        joined = joined.push(stored).await?;
    }
    let rest = joined.into_rest()?;
    for part in [Part::frame("\"")].into_iter().chain(rest) {
        let _ = parts.send(Ok(part));
    }
    Ok(())
}

#[cfg(test)]
#[path = "flow_tests.rs"]
mod tests;
