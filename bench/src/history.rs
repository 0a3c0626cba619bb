//! Long conversations: steps at event 100, 1,000 and 10,000, a page of the search, and the way back after a restart.
//!
//! The conversations are begun by the server itself; between two of its starts their stored logs are made longer, by
//! copies of the server's own events of a step ([`crate::growth`]). What reads them is the server as users start it.

use std::time::Instant;

use anyhow::{Context as _, ensure};
use serde_json::Value;

use crate::bench::Bench;
use crate::figures::{Figure, Target};
use crate::growth;
use crate::model::Turn;
use crate::servers::{Home, Server, Side};
use crate::talk::Talk;

const LENGTHS: [usize; 3] = [100, 1_000, 10_000];

pub(crate) async fn measure(bench: &mut Bench) -> anyhow::Result<Vec<Figure>> {
    let mut steps = LENGTHS.map(|length| {
        let figure = Figure::milliseconds(format!("agent step with file_editor at event {length}"));
        if length == 10_000 {
            figure.target(Target::Times(60.0))
        } else {
            figure
        }
    });
    let mut page = Figure::milliseconds("newest 100 of 10,000 events");
    let mut resume =
        Figure::milliseconds("restart to the newest of 10,000 events").target(Target::Times(100.0));
    let mut prepared = Vec::new();
    for side in bench.sides() {
        prepared.push((side, long_talks(bench, side, &mut resume).await?));
    }
    for (side, talks) in &mut prepared {
        for (talk, figure) in talks.iter_mut().zip(&mut steps) {
            bench.tell(figure);
            measure_steps(bench, *side, talk, figure).await?;
        }
        let longest = talks.last().context("no conversation")?;
        bench.tell(&page);
        pages(bench, *side, longest, &mut page).await?;
    }
    bench.tell(&resume);
    for _ in 0..bench.pick(1, 3) {
        for (side, talks) in &prepared {
            let longest = talks.last().context("no conversation")?;
            // In a quick run the start after the growth is all of Python.
            for _ in 0..side.pick(3, bench.pick(0, 1)) {
                let (_, home) = bench.stop(*side).await?;
                come_back(bench, *side, home, longest, &mut resume).await?;
            }
        }
    }
    Ok(steps.into_iter().chain([page, resume]).collect())
}

/// Conversations of each length, on a server that was started after they had become long.
async fn long_talks(
    bench: &mut Bench,
    side: Side,
    resume: &mut Figure,
) -> anyhow::Result<Vec<Talk>> {
    let mut talks = Vec::new();
    for length in LENGTHS {
        let server = bench.server(side)?;
        let file = edited(server, length)?;
        let mut talk = Talk::create(server, &bench.model).await?;
        talk.run(Turn::Edit(file), 2).await?;
        talks.push(talk);
    }
    let (_, home) = bench.stop(side).await?;
    for (talk, length) in talks.iter().zip(LENGTHS) {
        growth::grow(&home.conversation(&talk.id), length)
            .with_context(|| format!("making a conversation of {length} events"))?;
    }
    let longest = talks.last().context("no conversation")?;
    let server = come_back(bench, side, home, longest, resume).await?;
    for talk in &mut talks {
        talk.again(server).await?;
    }
    Ok(talks)
}

/// A start, and the first page of a long conversation after it.
async fn come_back<'bench>(
    bench: &'bench mut Bench,
    side: Side,
    home: Home,
    talk: &Talk,
    resume: &mut Figure,
) -> anyhow::Result<&'bench Server> {
    let server = bench.restart(side, home).await?;
    newest(server, talk).await?;
    resume.add_time(side, server.began.elapsed());
    Ok(server)
}

/// The file that a conversation of this length edits.
fn edited(server: &Server, length: usize) -> anyhow::Result<std::path::PathBuf> {
    let file = server.home.project().join(format!("edited-{length}.txt"));
    if !file.exists() {
        std::fs::write(&file, "first\none\nlast\n")?;
    }
    Ok(file)
}

async fn measure_steps(
    bench: &Bench,
    side: Side,
    talk: &mut Talk,
    figure: &mut Figure,
) -> anyhow::Result<()> {
    let length: usize = figure
        .name
        .rsplit(' ')
        .next()
        .context("no length")?
        .parse()?;
    let file = edited(bench.server(side)?, length)?;
    // Loads it; not counted.
    talk.run(Turn::Edit(file.clone()), 1).await?;
    let count = side.pick(30, bench.pick(1, 15));
    for took in talk.run(Turn::Edit(file), count).await? {
        figure.add_time(side, took);
    }
    Ok(())
}

async fn pages(bench: &Bench, side: Side, talk: &Talk, figure: &mut Figure) -> anyhow::Result<()> {
    let server = bench.server(side)?;
    newest(server, talk).await?;
    for _ in 0..side.pick(100, bench.pick(10, 30)) {
        let began = Instant::now();
        newest(server, talk).await?;
        figure.add_time(side, began.elapsed());
    }
    Ok(())
}

/// The newest 100 events.
async fn newest(server: &Server, talk: &Talk) -> anyhow::Result<()> {
    let path = format!(
        "{}/events/search?limit=100&sort_order=TIMESTAMP_DESC",
        talk.path()
    );
    let page = server.connect().await?.get(&path).await?.json()?;
    let count = page
        .get("items")
        .and_then(Value::as_array)
        .map_or(0, Vec::len);
    ensure!(count == 100, "the page has {count} events");
    Ok(())
}
