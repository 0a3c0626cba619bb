//! From a message to all who follow the conversation.

use std::time::{Duration, Instant};

use anyhow::Context as _;
use futures_util::future::try_join_all;
use tokio::sync::mpsc::{self, UnboundedReceiver};
use tokio::task::JoinSet;

use crate::bench::Bench;
use crate::figures::{Figure, Target, in_milliseconds, number};
use crate::limits;
use crate::servers::{Server, Side};
use crate::sockets::Listener;
use crate::talk::Talk;

/// Python refuses the fiftieth of a conversation.
const MOST: usize = 49;
/// How many messages are sent for the limit in each round.
const LIMIT_MESSAGES: u32 = 200;
const ARRIVAL_LIMIT: Duration = Duration::from_mins(1);

pub(crate) async fn measure(bench: &mut Bench) -> anyhow::Result<Vec<Figure>> {
    let mut figures = Vec::new();
    for subscribers in [1, 20, MOST] {
        figures.extend(one_conversation(bench, subscribers).await?);
    }
    figures.push(thousand(bench).await?);
    Ok(figures)
}

async fn one_conversation(bench: &Bench, subscribers: usize) -> anyhow::Result<[Figure; 2]> {
    let mut latency = Figure::milliseconds(format!("message to each of {subscribers} subscribers"))
        .target(Target::Times(10.0));
    let mut cpu = Figure::milliseconds(format!("processor time of it, {subscribers} subscribers"))
        .limited_by("as many sends by one thread")
        .target(Target::Times(30.0));
    bench.tell(&latency);
    let mut audiences = Vec::new();
    for server in bench.servers() {
        audiences.push((server, Audience::gather(bench, server, subscribers).await?));
    }
    for round in 0..=bench.pick(2, 5) {
        for (server, audience) in &mut audiences {
            // The clock of the processor is coarse, and ours is soon done with one.
            let count = server.side.pick(1000, 50);
            let before = server.processor_time()?;
            for _ in 0..count {
                for took in audience.tell().await? {
                    if round > 0 {
                        latency.add_time(server.side, took);
                    }
                }
            }
            let used = server.processor_time()?.saturating_sub(before);
            if round > 0 {
                cpu.add(server.side, in_milliseconds(used) / number(count));
            }
        }
        cpu.add_limit(in_milliseconds(
            limits::sends(subscribers, LIMIT_MESSAGES).await?,
        ));
    }
    for (_, audience) in audiences {
        audience.leave().await?;
    }
    Ok([latency, cpu])
}

/// Ours alone: 1,000 subscribers of 20 conversations, a message to each of these at once.
async fn thousand(bench: &Bench) -> anyhow::Result<Figure> {
    let mut figure = Figure::milliseconds(
        "20 messages at once to each of 1,000 subscribers of 20 conversations",
    );
    bench.tell(&figure);
    let server = bench.server(Side::Ours)?;
    let mut audiences = Vec::new();
    for _ in 0..20 {
        audiences.push(Audience::gather(bench, server, 50).await?);
    }
    for round in 0..=bench.pick(10, 50) {
        for took in try_join_all(audiences.iter_mut().map(Audience::tell))
            .await?
            .into_iter()
            .flatten()
        {
            if round > 0 {
                figure.add_time(Side::Ours, took);
            }
        }
    }
    for audience in audiences {
        audience.leave().await?;
    }
    Ok(figure)
}

/// A conversation and those who follow it.
#[derive(Debug)]
struct Audience {
    talk: Talk,
    arrivals: UnboundedReceiver<Instant>,
    size: usize,
    /// Where the subscribers listen. They leave with the audience: what is measured next is without them.
    listening: JoinSet<()>,
}

impl Audience {
    async fn gather(bench: &Bench, server: &Server, size: usize) -> anyhow::Result<Self> {
        let mut talk = Talk::create(server, &bench.model).await?;
        // The first message makes the agent, which is not what is measured.
        talk.say("hello", false).await?;
        let (sender, arrivals) = mpsc::unbounded_channel();
        let mut listening = JoinSet::new();
        for _ in 0..size {
            let listener = Listener::events(server, &talk.id).await?;
            listener.report_messages(sender.clone(), &mut listening);
        }
        Ok(Self {
            talk,
            arrivals,
            size,
            listening,
        })
    }

    /// All leave, and the conversation is deleted: with its thousands of messages it would be in the memory of what is measured next.
    async fn leave(mut self) -> anyhow::Result<()> {
        self.listening.shutdown().await;
        self.talk.delete().await
    }

    /// Posts a message: when each subscriber had it.
    async fn tell(&mut self) -> anyhow::Result<Vec<Duration>> {
        let message = self.talk.message("hello", false);
        let posted = Instant::now();
        self.talk.post(message).await?;
        let mut times = Vec::with_capacity(self.size);
        for _ in 0..self.size {
            let arrived = tokio::time::timeout(ARRIVAL_LIMIT, self.arrivals.recv())
                .await
                .context("a subscriber was not told")?
                .context("the subscribers are gone")?;
            times.push(arrived.saturating_duration_since(posted));
        }
        Ok(times)
    }
}
