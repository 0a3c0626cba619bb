//! From the moment in which a command prints a line to its arrival on the socket of commands.

use std::time::{Duration, UNIX_EPOCH};

use anyhow::Context as _;
use serde_json::{Value, json};

use crate::bench::Bench;
use crate::figures::{Figure, Target};
use crate::servers::Server;
use crate::sockets::Listener;

pub(crate) async fn measure(bench: &mut Bench) -> anyhow::Result<Vec<Figure>> {
    let mut figure = Figure::milliseconds("printed line to socket").target(Target::Below(2.0));
    bench.tell(&figure);
    for round in 0..=bench.pick(2, 5) {
        for server in bench.servers() {
            for took in lines(server, server.side.pick(60, 12)).await? {
                if round > 0 {
                    figure.add_time(server.side, took);
                }
            }
        }
    }
    Ok(vec![figure])
}

/// The command prints what time it is, so what it takes to start does not count.
pub(crate) async fn lines(server: &Server, count: usize) -> anyhow::Result<Vec<Duration>> {
    let mut listener = Listener::commands(server).await?;
    let mut connection = server.connect().await?;
    let mut times = Vec::with_capacity(count);
    for _ in 0..count {
        let body = json!({"command": "date +%s%N"});
        connection
            .post("/api/bash/start_bash_command", &body)
            .await?;
        // Ours shows the line as soon as it is printed and the end of the command apart, Python both together.
        let (mut printed, mut ended) = (None, false);
        while printed.is_none() || !ended {
            let (_, arrived, text) = listener.next_frame(&["\"BashOutput\""]).await?;
            let frame: Value = serde_json::from_str(&text)?;
            let output = frame.get("stdout").and_then(Value::as_str);
            if let Some(line) = output.map(str::trim).filter(|line| !line.is_empty()) {
                printed = Some((UNIX_EPOCH + Duration::from_nanos(line.parse()?), arrived));
            }
            ended |= frame.get("exit_code").is_some_and(|code| !code.is_null());
        }
        let (printed, arrived) = printed.context("no output")?;
        times.push(arrived.duration_since(printed).unwrap_or_default());
    }
    Ok(times)
}
