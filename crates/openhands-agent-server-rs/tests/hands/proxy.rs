//! A connection that can be cut.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

/// Passes bytes on to a server until it is told to cut all connections.
pub(crate) struct Proxy {
    pub(crate) url: String,
    cuts: watch::Sender<u32>,
    connections: Arc<AtomicUsize>,
    _accepting: tokio_util::task::AbortOnDropHandle<()>,
}

impl Proxy {
    pub(crate) async fn to(server: std::net::SocketAddr) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let cuts = watch::Sender::new(0);
        let connections = Arc::new(AtomicUsize::new(0));
        let accepting = tokio::spawn({
            let (cuts, connections) = (cuts.clone(), Arc::clone(&connections));
            async move {
                while let Ok((mut near, _)) = listener.accept().await {
                    connections.fetch_add(1, Ordering::SeqCst);
                    let mut cut = cuts.subscribe();
                    tokio::spawn(async move {
                        let Ok(mut far) = TcpStream::connect(server).await else {
                            return;
                        };
                        tokio::select! {
                            _ = tokio::io::copy_bidirectional(&mut near, &mut far) => {}
                            _ = cut.changed() => {}
                        }
                    });
                }
            }
        });
        Self {
            url,
            cuts,
            connections,
            _accepting: tokio_util::task::AbortOnDropHandle::new(accepting),
        }
    }

    /// Cuts all connections; new ones are taken.
    pub(crate) fn cut(&self) {
        self.cuts.send_modify(|cuts| *cuts += 1);
    }

    /// How many connections there have been.
    pub(crate) fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }
}
