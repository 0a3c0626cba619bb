//! What all groups of metrics share: both servers, the model, how much to measure.

use std::time::Duration;

use indicatif::ProgressBar;

use anyhow::Context as _;
use futures_util::future::try_join_all;
use tokio::runtime::Handle;

use crate::figures::Figure;
use crate::model::{Model, Turn};
use crate::servers::{Home, Launch, Server, Side};
use crate::talk::Talk;

/// Conversations that are made at the same time: those of Python wait for tmux most of the time.
pub(crate) const WARMED_AT_ONCE: usize = 8;
/// After this a server has done what is left to do when clients have gone: it saves, and gives memory back.
const AT_REST: Duration = Duration::from_millis(400);

/// The servers that are compared; Python's is missing when only ours is measured.
#[derive(Debug)]
pub(crate) struct Launches {
    pub(crate) ours: Launch,
    pub(crate) python: Option<Launch>,
}

impl Launches {
    pub(crate) fn each(&self) -> impl Iterator<Item = &Launch> {
        self.python.iter().chain(std::iter::once(&self.ours))
    }
}

/// A run of the benchmark.
#[derive(Debug)]
pub(crate) struct Bench {
    quick: bool,
    pub(crate) launches: Launches,
    pub(crate) model: Model,
    /// Threads for many clients at once.
    pub(crate) crowd: Handle,
    bar: ProgressBar,
    servers: Vec<Server>,
    /// Conversations with a live terminal, which groups share: those of Python take most of a second to make.
    talks: Vec<(Side, Talk)>,
}

impl Bench {
    pub(crate) fn new(
        launches: Launches,
        quick: bool,
        crowd: Handle,
        bar: ProgressBar,
    ) -> anyhow::Result<Self> {
        Ok(Self {
            quick,
            launches,
            model: Model::start()?,
            crowd,
            bar,
            servers: Vec::new(),
            talks: Vec::new(),
        })
    }

    /// Less in a quick run.
    pub(crate) fn pick<T>(&self, quick: T, full: T) -> T {
        if self.quick { quick } else { full }
    }

    /// Says what is being measured: in the bar, or line by line where there is no terminal to draw it on.
    pub(crate) fn tell(&self, what: &Figure) {
        if self.bar.is_hidden() {
            eprintln!("{:>4} s  {}", self.bar.elapsed().as_secs(), what.name);
        }
        self.bar.set_message(what.name.clone());
    }

    /// Starts both servers on empty directories. This warms the caches of the machine and is not counted.
    pub(crate) async fn start(&mut self) -> anyhow::Result<()> {
        for launch in self.launches.each() {
            let server = Server::start(launch, Home::new()?).await?;
            self.servers.push(server);
        }
        Ok(())
    }

    /// The running servers, Python's first.
    pub(crate) fn servers(&self) -> &[Server] {
        &self.servers
    }

    pub(crate) fn sides(&self) -> Vec<Side> {
        self.servers.iter().map(|server| server.side).collect()
    }

    pub(crate) fn server(&self, side: Side) -> anyhow::Result<&Server> {
        self.servers
            .iter()
            .find(|server| server.side == side)
            .context("this server does not run")
    }

    /// Stops one server and what was shared of it: its directory, for another start.
    pub(crate) async fn stop(&mut self, side: Side) -> anyhow::Result<(Duration, Home)> {
        self.talks.retain(|(of, _)| *of != side);
        let at = self
            .servers
            .iter()
            .position(|server| server.side == side)
            .context("this server does not run")?;
        self.servers.remove(at).stop().await
    }

    /// Starts it again on its directory.
    pub(crate) async fn restart(&mut self, side: Side, home: Home) -> anyhow::Result<&Server> {
        let launch = self
            .launches
            .each()
            .find(|launch| launch.side() == side)
            .context("no such server")?;
        let server = Server::start(launch, home).await?;
        self.servers.push(server);
        self.server(side)
    }

    /// Sees to it that so many conversations with a live terminal are there.
    pub(crate) async fn warm_talks(&mut self, side: Side, count: usize) -> anyhow::Result<()> {
        let there = self.talks.iter().filter(|(of, _)| *of == side).count();
        let mut missing = count.saturating_sub(there);
        while missing > 0 {
            let server = self.server(side)?;
            let some = missing.min(WARMED_AT_ONCE);
            let made = try_join_all((0..some).map(async |_| {
                let mut talk = Talk::create(server, &self.model).await?;
                talk.run(Turn::Terminal("true".to_owned()), 1).await?;
                anyhow::Ok((side, talk))
            }))
            .await?;
            self.talks.extend(made);
            missing -= some;
        }
        Ok(())
    }

    /// Leaves all of them alone until the server is at rest. What the connection of a client costs is no part of a conversation.
    pub(crate) async fn leave_talks(&mut self, side: Side) {
        for (_, talk) in self.talks.iter_mut().filter(|(of, _)| *of == side) {
            talk.hang_up();
        }
        tokio::time::sleep(AT_REST).await;
    }

    /// Takes so many of them; they are given back with [`Self::give_back`].
    pub(crate) async fn take_talks(
        &mut self,
        side: Side,
        count: usize,
    ) -> anyhow::Result<Vec<Talk>> {
        self.warm_talks(side, count).await?;
        let (of_side, others): (Vec<_>, Vec<_>) = std::mem::take(&mut self.talks)
            .into_iter()
            .partition(|(of, _)| *of == side);
        let mut of_side = of_side.into_iter();
        let taken = of_side.by_ref().take(count).map(|(_, talk)| talk).collect();
        self.talks = others.into_iter().chain(of_side).collect();
        Ok(taken)
    }

    /// Gives them back. Ours are deleted, and others are made when they are needed, which takes milliseconds: what is measured is so much
    /// work for ours that its conversations would soon be thirty times as long as those of Python.
    pub(crate) async fn give_back(&mut self, side: Side, talks: Vec<Talk>) -> anyhow::Result<()> {
        for mut talk in talks {
            match side {
                Side::Ours => talk.delete().await?,
                Side::Python => self.talks.push((side, talk)),
            }
        }
        Ok(())
    }
}
