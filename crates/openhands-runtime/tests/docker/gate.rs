//! A way to the engine on which some requests can be held up or refused.

use std::sync::Arc;

use tempfile::TempDir;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::watch;
use tokio_util::task::AbortOnDropHandle;

/// What happens to the requests that the gate is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Does {
    Pass,
    /// They wait until the gate passes them again. Also those whose sender goes away: they are on their way.
    Hold,
    /// They are answered with 500.
    Refuse,
}

pub(crate) struct Gate {
    directory: TempDir,
    does: watch::Sender<Does>,
    met: Arc<watch::Sender<usize>>,
    cut: watch::Sender<()>,
    _task: AbortOnDropHandle<()>,
}

impl Gate {
    /// A gate for requests whose first line contains some words. It passes them at first.
    pub(crate) fn open(words: &'static str) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let listener = UnixListener::bind(directory.path().join("docker.sock")).unwrap();
        let (does, seen) = watch::channel(Does::Pass);
        let (cut, is_cut) = watch::channel(());
        let met = Arc::new(watch::Sender::new(0));
        let counted = Arc::clone(&met);
        let task = tokio::spawn(async move {
            let mut connections = tokio::task::JoinSet::new();
            loop {
                let (here, _) = listener.accept().await.unwrap();
                let (seen, counted) = (seen.clone(), Arc::clone(&counted));
                let mut is_cut = is_cut.clone();
                is_cut.mark_unchanged();
                connections.spawn(async move {
                    tokio::select! {
                        biased;
                        _ = is_cut.changed() => {}
                        _ = pass(here, words, seen, &counted) => {}
                    }
                });
            }
        });
        Self {
            directory,
            does,
            met,
            cut,
            _task: AbortOnDropHandle::new(task),
        }
    }

    /// Where the engine is then.
    pub(crate) fn address(&self) -> String {
        let socket = self.directory.path().join("docker.sock");
        format!("unix://{}", socket.display())
    }

    pub(crate) fn set(&self, does: Does) {
        self.does.send_replace(does);
    }

    /// Forgets all that is under way.
    pub(crate) fn cut(&self) {
        self.cut.send_replace(());
    }

    /// Resolves when so many requests were held up or refused.
    pub(crate) async fn met(&self, count: usize) {
        let mut met = self.met.subscribe();
        met.wait_for(|met| *met >= count).await.unwrap();
    }
}

async fn pass(
    here: UnixStream,
    words: &str,
    mut does: watch::Receiver<Does>,
    met: &watch::Sender<usize>,
) -> std::io::Result<()> {
    let engine = std::env::var("DOCKER_HOST").unwrap_or_default();
    let engine = engine
        .strip_prefix("unix://")
        .unwrap_or("/var/run/docker.sock");
    let (mut from_engine, mut to_engine) = UnixStream::connect(engine).await?.into_split();
    let (mut from_here, mut to_here) = here.into_split();
    let inward = async {
        let mut piece = vec![0; 64 << 10];
        loop {
            let count = from_here.read(&mut piece).await?;
            let piece = piece.get(..count).unwrap_or_default();
            if piece.is_empty() {
                return to_engine.shutdown().await.map(|()| false);
            }
            let line = piece
                .split(|byte| *byte == b'\r')
                .next()
                .unwrap_or_default();
            let is_met = String::from_utf8_lossy(line).contains(words);
            let now = *does.borrow();
            if is_met && now != Does::Pass {
                met.send_modify(|met| *met += 1);
                if now == Does::Refuse {
                    return Ok::<bool, std::io::Error>(true);
                }
                let _ = does.wait_for(|does| *does == Does::Pass).await;
            }
            to_engine.write_all(piece).await?;
        }
    };
    let is_refused = {
        let outward = tokio::io::copy(&mut from_engine, &mut to_here);
        tokio::pin!(inward, outward);
        tokio::select! {
            // The other direction may still have something to say.
            ended = &mut inward => {
                let is_refused = ended?;
                if !is_refused {
                    outward.await?;
                }
                is_refused
            }
            ended = &mut outward => {
                ended?;
                false
            }
        }
    };
    if is_refused {
        let answer = "HTTP/1.1 500 Internal Server Error\r\ncontent-type: application/json\r\ncontent-length: 23\r\nconnection: close\r\n\r\n{\"message\":\"not today\"}";
        to_here.write_all(answer.as_bytes()).await?;
    }
    Ok(())
}
