//! Listening, and ending in good order and in less than a second.

use std::net::SocketAddr;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use anyhow::Context;
use tokio::net::TcpListener;
use tokio::time::{Instant, timeout_at};
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;

use crate::app::App;
use crate::cli;
use crate::config::Config;
use crate::connection;
use crate::dormant::Dormant;
use crate::http::Door;
use crate::lanes::Lanes;

/// All that has to be done at the end is done by then.
const STOP_TIME: Duration = Duration::from_millis(900);
/// The part of it that is left for requests that are being answered.
const LAST_ANSWERS: Duration = Duration::from_millis(100);
/// How often it is looked whether someone has asked something, before a server counts as unwatched.
const UNWATCHED_TICKS: u32 = 20;

/// A server that listens.
#[derive(Debug)]
pub struct Server {
    /// Where it listens.
    pub address: SocketAddr,
    app: Arc<OnceLock<Arc<App>>>,
    door: Door,
    dormant: Option<Arc<Dormant>>,
    stop: CancellationToken,
    task: AbortOnDropHandle<()>,
    /// Dropped at the very end: what was begun by a request may go on after it.
    lanes: Arc<Lanes>,
}

impl Server {
    /// Starts all services and listens; port 0 takes a free one. With `deferred_init` services start when they are
    /// asked for.
    pub async fn start(mut config: Config, host: &str, port: u16) -> anyhow::Result<Self> {
        let listener = TcpListener::bind((host.trim_matches(['[', ']']), port))
            .await
            .with_context(|| format!("listening on {host}:{port}"))?;
        let address = listener.local_addr()?;
        let url = cli::internal_url(host, address.port());
        config.announce(&url);
        let app = Arc::new(OnceLock::new());
        let (door, dormant) = if config.deferred_init {
            let dormant = Dormant::new(config, Arc::clone(&app));
            (dormant.open_door(), Some(dormant))
        } else {
            let running = app.get_or_init({
                let started = App::start(config).await?;
                || started
            });
            (Door::new(running.front()?), None)
        };
        let stop = CancellationToken::new();
        let lanes = Arc::new(Lanes::start().context("threads for requests")?);
        let serving = {
            let door = door.clone();
            connection::serve(listener, Arc::clone(&lanes), stop.clone(), move |request| {
                let door = door.clone();
                async move { door.answer(request).await }
            })
        };
        Ok(Self {
            address,
            app,
            door,
            dormant,
            stop,
            task: AbortOnDropHandle::new(tokio::spawn(serving)),
            lanes,
        })
    }

    /// What it holds; none while it waits to be set up.
    pub fn app(&self) -> Option<&Arc<App>> {
        self.app.get()
    }

    /// How many tasks there are on its threads, its clients' connections included. A conversation that does nothing has none.
    pub fn tasks(&self) -> usize {
        let agents = self
            .app
            .get()
            .map(|app| app.conversations.tasks_of_agents());
        self.lanes.tasks() + agents.unwrap_or_default()
    }

    /// Resolves when nobody has asked anything for so long. Time in which the process is frozen does not count.
    pub async fn unwatched(&self, limit: Duration) {
        let tick = (limit / UNWATCHED_TICKS).max(Duration::from_millis(10));
        let (mut asked, mut idle) = (self.door.asked(), Duration::ZERO);
        while idle < limit {
            tokio::time::sleep(tick).await;
            let now = self.door.asked();
            idle = if now == asked {
                idle + tick
            } else {
                Duration::ZERO
            };
            asked = now;
        }
    }

    /// Takes no more requests, ends everything, and waits for the end, but not longer than a second. Containers may take
    /// some seconds more.
    pub async fn stop(self) -> anyhow::Result<()> {
        let deadline = Instant::now() + STOP_TIME;
        self.stop.cancel();
        let services = async {
            if let Some(dormant) = &self.dormant {
                dormant.stop().await;
            }
            if let Some(app) = self.app.get() {
                app.stop().await;
            }
        };
        if timeout_at(deadline - LAST_ANSWERS, services).await.is_err() {
            tracing::warn!("not everything ended in time");
        }
        if let Some(app) = self.app.get() {
            app.conversations.remove_sandboxes().await;
        }
        // Requests that are still under way are cut off with the task.
        match timeout_at(deadline, self.task).await {
            Ok(served) => served.context("serving"),
            Err(_) => Ok(()),
        }
    }
}

/// Serves until `stop` resolves, or until nobody has asked anything for as long as `unwatched`.
pub async fn serve(
    config: Config,
    host: &str,
    port: u16,
    unwatched: Option<Duration>,
    stop: impl Future<Output = ()>,
) -> anyhow::Result<()> {
    let is_deferred = config.deferred_init;
    let server = Server::start(config, host, port).await?;
    tracing::info!("listening on http://{}", server.address);
    crate::memory::shrink_after_start();
    if is_deferred {
        tracing::info!("waiting for POST /api/init");
    }
    let abandoned = async {
        match unwatched {
            Some(limit) => server.unwatched(limit).await,
            None => std::future::pending().await,
        }
    };
    tokio::select! {
        () = stop => tracing::info!("stopping"),
        () = abandoned => tracing::info!("stopping: nobody asks for anything any more"),
    }
    server.stop().await
}
