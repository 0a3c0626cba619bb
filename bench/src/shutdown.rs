//! The end of a server while an agent's command runs. At rest it is measured with the starts.

use std::time::{Duration, Instant};

use anyhow::bail;

use crate::bench::Bench;
use crate::figures::{Figure, Target};
use crate::model::Turn;
use crate::talk::Talk;

const START_LIMIT: Duration = Duration::from_secs(30);

/// Stops both servers: nothing can be measured after it.
pub(crate) async fn measure(bench: &mut Bench) -> anyhow::Result<Vec<Figure>> {
    let mut figure =
        Figure::milliseconds("shutdown while `sleep 3` runs").target(Target::Below(300.0));
    bench.tell(&figure);
    for side in bench.sides() {
        for _ in 0..side.pick(bench.pick(2, 5), 1) {
            let server = bench.server(side)?;
            let started = server.home.project().join("started");
            let _ = std::fs::remove_file(&started);
            let mut talk = Talk::create(server, &bench.model).await?;
            let command = format!("touch {}; sleep 3", started.display());
            talk.script.play(Some(Turn::Terminal(command)), 1);
            talk.say("go", true).await?;
            let began = Instant::now();
            while !started.exists() {
                if began.elapsed() > START_LIMIT {
                    bail!("the command does not start");
                }
                tokio::time::sleep(Duration::from_millis(2)).await;
            }
            let (took, home) = bench.stop(side).await?;
            figure.add_time(side, took);
            if side == crate::servers::Side::Ours {
                bench.restart(side, home).await?;
            }
        }
    }
    Ok(vec![figure])
}
