//! From the start of the process to the first answer and the first conversation, and the memory of a server that rests.

use std::time::{Duration, Instant};

use crate::bench::Bench;
use crate::figures::{Figure, Target, number};
use crate::servers::{Home, Server, Side};
use crate::talk::Talk;

/// After this, what a server does behind its first answer is done.
const SETTLED: Duration = Duration::from_millis(400);

pub(crate) async fn measure(bench: &mut Bench) -> anyhow::Result<Vec<Figure>> {
    let mut answer =
        Figure::milliseconds("start to the first 200 of /health").target(Target::Times(300.0));
    let mut conversation = Figure::milliseconds("start to the first conversation");
    let mut idle = Figure::megabytes("memory at rest").target(Target::Times(25.0));
    let mut stop = Figure::milliseconds("shutdown at rest").target(Target::Below(100.0));
    let is_quick = bench.pick(true, false);
    if is_quick && let Ok(server) = bench.server(Side::Python) {
        // It takes the Python server seconds: its start for all that follows is the one that counts.
        bench.tell(&answer);
        answer.add_time(server.side, server.answered);
        let began = Instant::now();
        Talk::create(server, &bench.model).await?;
        conversation.add_time(server.side, server.answered + began.elapsed());
        tokio::time::sleep(SETTLED).await;
        idle.add(server.side, number(server.memory()?) / 1e6);
    }
    for _ in 0..bench.pick(1, 5) {
        for launch in bench.launches.each() {
            if is_quick && launch.side() == Side::Python {
                continue;
            }
            for _ in 0..launch.side().pick(4, 1) {
                bench.tell(&answer);
                let server = Server::start(launch, Home::new()?).await?;
                answer.add_time(server.side, server.answered);
                Talk::create(&server, &bench.model).await?;
                conversation.add_time(server.side, server.began.elapsed());
                tokio::time::sleep(SETTLED).await;
                idle.add(server.side, number(server.memory()?) / 1e6);
                let (took, _) = server.stop().await?;
                stop.add_time(launch.side(), took);
            }
        }
    }
    Ok(vec![answer, conversation, idle, stop])
}
