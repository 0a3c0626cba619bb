//! Commands by `POST /api/bash/execute_bash_command`: one at a time, many at once, after many others; and 50 MB of output.

use std::time::{Duration, Instant};

use anyhow::ensure;
use bytes::Bytes;
use futures_util::future::try_join_all;
use serde_json::{Value, json};

use crate::bench::Bench;
use crate::figures::{Figure, Target, in_milliseconds, number};
use crate::http::Connection;
use crate::limits;
use crate::page_cache;
use crate::processes;
use crate::servers::{Server, Side};

const EXECUTE: &str = "/api/bash/execute_bash_command";
const OUTPUT_BYTES: usize = 50_000_000;

pub(crate) async fn measure(bench: &mut Bench) -> anyhow::Result<Vec<Figure>> {
    let mut figures = vec![latency(bench).await?];
    for clients in [8, 32] {
        figures.push(throughput(bench, clients).await?);
    }
    figures.push(endurance(bench).await?);
    figures.extend(output(bench).await?);
    Ok(figures)
}

/// One client, one command after the other.
async fn latency(bench: &Bench) -> anyhow::Result<Figure> {
    let mut figure = Figure::milliseconds("bash execute of `true`, 1 client")
        .limited_by("fork and exec of bash -c true")
        .target(Target::OfLimit(1.5));
    bench.tell(&figure);
    for round in 0..=bench.pick(3, 10) {
        for server in bench.servers() {
            for took in commands(server, server.side.pick(60, 12)).await? {
                if round > 0 {
                    figure.add_time(server.side, took);
                }
            }
        }
        for _ in 0..60 {
            figure.add_limit(in_milliseconds(limits::spawn()?));
        }
    }
    Ok(figure)
}

/// Several clients at once.
async fn throughput(bench: &Bench, clients: usize) -> anyhow::Result<Figure> {
    let mut figure = Figure::rate(format!("bash execute of `true`, {clients} clients"), "/s")
        .limited_by("fork and exec of bash -c true")
        .target(Target::OfLimit(0.75));
    bench.tell(&figure);
    for round in 0..=bench.pick(1, 5) {
        for server in bench.servers() {
            let each = server.side.pick(480, 96) / clients;
            let began = Instant::now();
            try_join_all((0..clients).map(|_| commands(server, each))).await?;
            if round > 0 {
                let rate = number(each * clients) / began.elapsed().as_secs_f64();
                figure.add(server.side, rate);
            }
        }
        figure.add_limit(limits::spawn_rate(clients, 320)?);
    }
    Ok(figure)
}

/// One client again, after many commands. The limit is its own speed before them.
async fn endurance(bench: &Bench) -> anyhow::Result<Figure> {
    let many = bench.pick(500, 5_000);
    let mut figure = Figure::milliseconds(format!("bash execute of `true` after {many} more"))
        .limited_by("ours before them")
        .target(Target::OfLimit(1.2));
    bench.tell(&figure);
    for server in bench.servers() {
        let counted = server.side.pick(200, 30);
        for took in commands(server, counted).await? {
            if server.side == Side::Ours {
                figure.add_limit(in_milliseconds(took));
            }
        }
        try_join_all((0..8).map(|_| commands(server, many / 8))).await?;
        for took in commands(server, counted).await? {
            figure.add_time(server.side, took);
        }
    }
    Ok(figure)
}

/// The times of so many commands, one after the other.
async fn commands(server: &Server, count: usize) -> anyhow::Result<Vec<Duration>> {
    let mut connection = server.connect().await?;
    let body = Bytes::from(json!({"command": "true"}).to_string());
    let mut times = Vec::with_capacity(count);
    for _ in 0..count {
        let began = Instant::now();
        let answer = execute(&mut connection, body.clone()).await?;
        times.push(began.elapsed());
        let said = answer.json()?;
        ensure!(
            said.get("exit_code").and_then(Value::as_i64) == Some(0),
            "`true` ended with {said}"
        );
    }
    Ok(times)
}

async fn execute(connection: &mut Connection, body: Bytes) -> anyhow::Result<crate::http::Answer> {
    connection
        .post_bytes(EXECUTE, "application/json", body)
        .await
}

/// A command that prints 50 MB, and the most memory that the server took for it.
async fn output(bench: &Bench) -> anyhow::Result<[Figure; 2]> {
    let mut speed = Figure::rate("50 MB of output", "MB/s")
        .limited_by("cat through a pipe")
        .target(Target::OfLimit(0.5));
    let mut memory =
        Figure::megabytes("memory of the server at its peak then").target(Target::Below(40.0));
    bench.tell(&speed);
    let directory = tempfile::tempdir()?;
    let file = directory.path().join("output.txt");
    let line = format!("{}\n", "x".repeat(99));
    std::fs::write(&file, line.repeat(OUTPUT_BYTES / line.len()))?;
    let body = Bytes::from(json!({"command": format!("cat {}", file.display())}).to_string());
    // In a quick run there is one round: ours and the limit, which take a fraction of a second, are done several times in it.
    let again = bench.pick(5, 1);
    for round in 0..=bench.pick(1, 5) {
        for server in bench.servers() {
            for _ in 0..server.side.pick(again, 1) {
                page_cache::make_ready(server.home.path())?;
                let (took, peak) = printed(server, &body).await?;
                if round > 0 {
                    speed.add(server.side, rate(OUTPUT_BYTES, took));
                    memory.add(server.side, number(peak) / 1e6);
                }
                if server.side == Side::Ours {
                    speed.add_limit(rate(OUTPUT_BYTES, limits::pipe(&file)?));
                }
            }
        }
    }
    Ok([speed, memory])
}

/// How long a command took whose output is all of these bytes, and the server's peak meanwhile.
async fn printed(server: &Server, body: &Bytes) -> anyhow::Result<(Duration, u64)> {
    let mut connection = server.connect().await?;
    processes::forget_peak(server.id()?)?;
    let began = Instant::now();
    // Not kept: fifty megabytes in the driver would be part of what is measured.
    let size = connection.drain_post(EXECUTE, body.clone()).await?;
    let took = began.elapsed();
    ensure!(size > OUTPUT_BYTES, "only {size} bytes came");
    Ok((took, processes::peak(server.id()?)?))
}

/// MB in a second.
pub(crate) fn rate(bytes: usize, took: Duration) -> f64 {
    number(bytes) / 1e6 / took.as_secs_f64()
}
