//! Many agents at work at once: their steps, the memory of the server, and what a printed line waits for meanwhile.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};
use futures_util::future::try_join_all;

use crate::bench::Bench;
use crate::figures::{Figure, Target, in_milliseconds, number};
use crate::model::Turn;
use crate::processes;
use crate::servers::Side;
use crate::stream;
use crate::talk::{Talk, intervals};

const START_LIMIT: Duration = Duration::from_mins(2);
/// Between two looks at the memory; each costs the server nothing but a lock for a moment.
const SAMPLE: Duration = Duration::from_millis(100);

pub(crate) async fn measure(bench: &mut Bench) -> anyhow::Result<Vec<Figure>> {
    let mut figures = Vec::new();
    for count in [1, 8] {
        let mut rate = rate_of(count);
        let mut step = step_of(count);
        bench.tell(&rate);
        for round in 0..bench.pick(1, 3) {
            for side in sides(bench, round) {
                let window = side.pick(bench.pick(1_000, 3_000), bench.pick(1_500, 10_000));
                at_once(bench, side, count, window, &mut rate, &mut step, None).await?;
            }
        }
        figures.extend([rate, step]);
    }
    figures.extend(crowd(bench).await?);
    Ok(figures)
}

/// The order of the sides turns from round to round.
fn sides(bench: &Bench, round: usize) -> Vec<Side> {
    let mut sides = bench.sides();
    if round % 2 == 1 {
        sides.reverse();
    }
    sides
}

fn rate_of(count: usize) -> Figure {
    Figure::rate(format!("steps of {count} conversations at once"), "/s")
}

fn step_of(count: usize) -> Figure {
    Figure::milliseconds(format!("a step of {count} at once"))
}

/// 32 at once, with a look at the memory; and while they go on, lines are printed elsewhere.
async fn crowd(bench: &mut Bench) -> anyhow::Result<Vec<Figure>> {
    let mut rate = rate_of(32).target(Target::Times(75.0));
    let mut step = step_of(32).target(Target::TailBelow(100.0));
    let mut memory = Figure::megabytes("memory of all processes at its peak, 32 at once")
        .target(Target::Below(150.0));
    let mut line = Figure::milliseconds("printed line to socket while 32 conversations run")
        .target(Target::Below(2.0))
        .target(Target::TailBelow(5.0));
    bench.tell(&rate);
    for round in 0..bench.pick(1, 3) {
        for side in sides(bench, round) {
            bench.warm_talks(side, 32).await?;
            let sampler = Sampler::start(bench.server(side)?.mark().to_owned());
            let window = side.pick(bench.pick(1_500, 5_000), bench.pick(2_000, 15_000));
            let lines = Some(&mut line);
            at_once(bench, side, 32, window, &mut rate, &mut step, lines).await?;
            memory.add(side, number(sampler.stop()?) / 1e6);
        }
    }
    Ok(vec![rate, step, memory, line])
}

/// Steps of several conversations within some time; after that, while they go on, what a printed line waits for.
async fn at_once(
    bench: &mut Bench,
    side: Side,
    count: usize,
    window: u64,
    rate: &mut Figure,
    step: &mut Figure,
    line: Option<&mut Figure>,
) -> anyhow::Result<()> {
    let mut talks = bench.take_talks(side, count).await?;
    begin(&mut talks).await?;
    let window = Duration::from_millis(window);
    let from = Instant::now();
    tokio::time::sleep(window).await;
    let arrivals: Vec<Vec<Instant>> = talks.iter().map(|talk| talk.script.arrivals()).collect();
    if let Some(line) = line {
        let count = side.pick(100, bench.pick(3, 20));
        line.add_times(side, &stream::lines(bench.server(side)?, count).await?);
    }
    end(&mut talks).await?;
    bench.give_back(side, talks).await?;
    let mut steps = 0;
    for arrivals in arrivals {
        // A step that began before counts for the latency, as one that is not over at the end would.
        let before = arrivals.iter().filter(|at| **at < from).count();
        let counted = arrivals.get(before.max(1) - 1..).unwrap_or_default();
        let times = intervals(counted);
        steps += times.len();
        step.add_times(side, &times);
    }
    rate.add(side, number(steps) * 1e3 / in_milliseconds(window));
    Ok(())
}

/// Sets them to work, and waits until each has done a step.
async fn begin(talks: &mut [Talk]) -> anyhow::Result<()> {
    for talk in talks.iter() {
        talk.script
            .play(Some(Turn::Terminal("true".to_owned())), usize::MAX);
    }
    try_join_all(talks.iter_mut().map(|talk| talk.say("go", true))).await?;
    let began = Instant::now();
    while talks.iter().any(|talk| talk.script.arrivals().len() < 2) {
        if began.elapsed() > START_LIMIT {
            bail!("the conversations do not start");
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    Ok(())
}

/// Lets them end.
async fn end(talks: &mut [Talk]) -> anyhow::Result<()> {
    for talk in talks.iter() {
        talk.script.stop();
    }
    for talk in talks {
        talk.script.ended(START_LIMIT).await?;
        talk.rested().await?;
    }
    Ok(())
}

/// Looks at the memory of a server again and again, on a thread of its own.
#[derive(Debug)]
struct Sampler {
    stop: Arc<AtomicBool>,
    thread: JoinHandle<u64>,
}

impl Sampler {
    fn start(mark: String) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = Arc::clone(&stop);
        let thread = std::thread::spawn(move || {
            let mut peak = 0;
            while !stopped.load(Ordering::Relaxed) {
                peak = peak.max(processes::proportional_memory(&mark).unwrap_or_default());
                std::thread::sleep(SAMPLE);
            }
            peak
        });
        Self { stop, thread }
    }

    fn stop(self) -> anyhow::Result<u64> {
        self.stop.store(true, Ordering::Relaxed);
        self.thread.join().ok().context("the sampler panicked")
    }
}
