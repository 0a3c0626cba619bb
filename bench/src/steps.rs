//! Steps of the agent, from question to question of the model: with the terminal, with the editor, with no tool.

use std::time::{Duration, Instant};

use anyhow::Context as _;

use crate::bench::Bench;
use crate::figures::{Figure, Target, in_milliseconds, number};
use crate::limits;
use crate::model::Turn;
use crate::servers::Side;
use crate::sockets::Listener;
use crate::talk::Talk;

const OUTPUT_BYTES: usize = 5_000_000;
/// Between two messages of a user.
const SETTLED: Duration = Duration::from_millis(10);

pub(crate) async fn measure(bench: &mut Bench) -> anyhow::Result<Vec<Figure>> {
    let mut figures = terminal(bench).await?;
    figures.push(editor(bench).await?);
    figures.extend(plain(bench).await?);
    figures.push(output(bench).await?);
    Ok(figures)
}

/// Takes the first shared conversation of each side.
async fn take(bench: &mut Bench) -> anyhow::Result<Vec<(Side, Talk)>> {
    let mut taken = Vec::new();
    for side in bench.sides() {
        taken.extend(
            bench
                .take_talks(side, 1)
                .await?
                .into_iter()
                .map(|talk| (side, talk)),
        );
    }
    Ok(taken)
}

async fn give_back(bench: &mut Bench, taken: Vec<(Side, Talk)>) -> anyhow::Result<()> {
    for (side, talk) in taken {
        bench.give_back(side, vec![talk]).await?;
    }
    Ok(())
}

/// `true` in the terminal, and the processor time of a step.
async fn terminal(bench: &mut Bench) -> anyhow::Result<Vec<Figure>> {
    let mut step = Figure::milliseconds("agent step with the terminal")
        .limited_by("round trip to a bash on a pipe")
        .target(Target::Times(120.0));
    let mut cpu = Figure::milliseconds("processor time of such a step").target(Target::Times(50.0));
    bench.tell(&step);
    for round in 0..=bench.pick(2, 6) {
        let mut talks = take(bench).await?;
        for (side, talk) in &mut talks {
            let count = side.pick(100, bench.pick(4, 8));
            let server = bench.server(*side)?;
            let before = server.processor_time()?;
            let run = talk.run(Turn::Terminal("true".to_owned()), count).await?;
            let used = server.processor_time()?.saturating_sub(before);
            if round > 0 {
                step.add_times(*side, &run);
                cpu.add(*side, in_milliseconds(used) / number(count));
            }
        }
        for took in limits::pipe_round_trips(100)? {
            step.add_limit(in_milliseconds(took));
        }
        give_back(bench, talks).await?;
    }
    Ok(vec![step, cpu])
}

/// A word replaced in a small file, and back.
async fn editor(bench: &mut Bench) -> anyhow::Result<Figure> {
    let mut figure =
        Figure::milliseconds("agent step with file_editor").target(Target::Times(40.0));
    bench.tell(&figure);
    for round in 0..=bench.pick(2, 6) {
        let mut talks = take(bench).await?;
        for (side, talk) in &mut talks {
            let file = bench.server(*side)?.home.project().join("edited.txt");
            if round == 0 {
                std::fs::write(&file, "first\none\nlast\n")?;
            }
            let run = talk
                .run(Turn::Edit(file), side.pick(100, bench.pick(5, 12)))
                .await?;
            if round > 0 {
                figure.add_times(*side, &run);
            }
        }
        give_back(bench, talks).await?;
    }
    Ok(figure)
}

/// A message that the model answers with a text: from the message to the model, and to the answer on the socket.
async fn plain(bench: &mut Bench) -> anyhow::Result<[Figure; 2]> {
    let mut asked =
        Figure::milliseconds("message posted to model called").target(Target::Below(1.0));
    let mut answered = Figure::milliseconds("message posted to answer on the socket, no tool")
        .target(Target::Times(60.0));
    bench.tell(&answered);
    // Conversations of their own: what a long history costs is measured elsewhere. Each round has its own; only in a quick run, in which the Python
    // server gets a dozen messages, it goes on with the same one.
    let mut talks = Vec::new();
    for server in bench.servers() {
        talks.push((server.side, Talk::create(server, &bench.model).await?));
    }
    for round in 0..=bench.pick(3, 8) {
        for (side, talk) in &mut talks {
            if round > 0 && (*side == Side::Ours || bench.pick(false, true)) {
                talk.delete().await?;
                *talk = Talk::create(bench.server(*side)?, &bench.model).await?;
            }
            let mut listener = Listener::events(bench.server(*side)?, &talk.id).await?;
            for _ in 0..side.pick(50, bench.pick(3, 8)) {
                talk.script.play(None, 0);
                let message = talk.message("hello", true);
                let posted = Instant::now();
                let answer = listener.next(&["\"MessageEvent\"", "\"source\":\"agent\""]);
                let ((), answer) = tokio::try_join!(talk.post(message), answer)?;
                talk.rested().await?;
                // A user answers when a run is over, not in the moment in which it ends.
                tokio::time::sleep(SETTLED).await;
                listener.catch_up()?;
                let arrivals = talk.script.arrivals();
                let called = arrivals.first().context("the model was not asked")?;
                if round > 0 {
                    asked.add_time(*side, called.saturating_duration_since(posted));
                    answered.add_time(*side, answer.saturating_duration_since(posted));
                }
            }
        }
    }
    Ok([asked, answered])
}

/// A command that prints 5 MB to its terminal.
async fn output(bench: &mut Bench) -> anyhow::Result<Figure> {
    let mut figure = Figure::milliseconds("agent step that prints 5 MB in the terminal")
        .limited_by("cat through a pty");
    bench.tell(&figure);
    let directory = tempfile::tempdir()?;
    let file = directory.path().join("output.txt");
    let line = format!("{}\n", "x".repeat(99));
    std::fs::write(&file, line.repeat(OUTPUT_BYTES / line.len()))?;
    let mut talks = take(bench).await?;
    for round in 0..=bench.pick(1, 3) {
        for (side, talk) in &mut talks {
            let turn = Turn::Terminal(format!("cat {}", file.display()));
            let run = talk.run(turn, side.pick(3, 1)).await?;
            if round > 0 {
                figure.add_times(*side, &run);
            }
        }
        figure.add_limit(in_milliseconds(limits::terminal(&file)?));
    }
    give_back(bench, talks).await?;
    Ok(figure)
}
