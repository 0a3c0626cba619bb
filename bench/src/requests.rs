//! Requests in a second: `/health` and one conversation, beside a bare axum server under the same load.

use std::process::Stdio;
use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};
use axum::Router;
use axum::routing::get;
use futures_util::future::try_join_all;
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::net::TcpListener;
use tokio::process::{Child, Command};
use tokio::runtime::Handle;

use crate::bench::Bench;
use crate::figures::{Figure, Target, number};
use crate::http::Connection;
use crate::talk::Talk;

/// The argument that makes this program the bare server.
pub(crate) const BARE: &str = "bare-server";
const CLIENTS: usize = 16;

pub(crate) async fn measure(bench: &mut Bench) -> anyhow::Result<Vec<Figure>> {
    let bare = Bare::start().await?;
    let mut figures = Vec::new();
    for of_conversation in [false, true] {
        let name = if of_conversation {
            "GET of one conversation"
        } else {
            "GET /health"
        };
        let mut figure = Figure::rate(format!("{name}, {CLIENTS} clients"), "/s")
            .limited_by("a bare axum hello world")
            .target(Target::OfLimit(0.6));
        bench.tell(&figure);
        let mut targets = Vec::new();
        for server in bench.servers() {
            let path = if of_conversation {
                Talk::create(server, &bench.model).await?.path()
            } else {
                "/health".to_owned()
            };
            targets.push((server, path));
        }
        let window = Duration::from_millis(bench.pick(300, 2_000));
        for round in 0..=bench.pick(2, 6) {
            for (server, path) in &targets {
                let rate = load(&bench.crowd, server.port, path, window).await?;
                if round > 0 {
                    figure.add(server.side, rate);
                }
            }
            let rate = load(&bench.crowd, bare.port, "/", window).await?;
            if round > 0 {
                figure.add_limit(rate);
            }
        }
        figures.push(figure);
    }
    Ok(figures)
}

/// Clients that ask one thing again and again: how often they were answered in a second.
async fn load(crowd: &Handle, port: u16, path: &str, window: Duration) -> anyhow::Result<f64> {
    let began = Instant::now();
    let counts = try_join_all((0..CLIENTS).map(|_| {
        let path = path.to_owned();
        async move {
            let asking = crowd.spawn(async move {
                let mut connection = Connection::open(port).await?;
                let mut count = 0_u64;
                while began.elapsed() < window {
                    let answer = connection.get(&path).await?;
                    ensure!(answer.status == 200, "answered with {}", answer.status);
                    count += 1;
                }
                Ok(count)
            });
            asking.await?
        }
    }))
    .await?;
    Ok(number(counts.iter().sum::<u64>()) / began.elapsed().as_secs_f64())
}

/// The bare server, in a process of its own as the others are.
#[derive(Debug)]
struct Bare {
    _child: Child,
    port: u16,
}

impl Bare {
    async fn start() -> anyhow::Result<Self> {
        let mut child = Command::new(std::env::current_exe()?)
            .arg(BARE)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()?;
        let output = child.stdout.take().context("no pipe")?;
        let mut line = String::new();
        BufReader::new(output).read_line(&mut line).await?;
        Ok(Self {
            _child: child,
            port: line.trim().parse()?,
        })
    }
}

/// What the process of the bare server does.
pub(crate) async fn serve_bare() -> anyhow::Result<()> {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
    let port = listener.local_addr()?.port();
    println!("{port}");
    let router = Router::new().route("/", get(|| async { "Hello, World!" }));
    axum::serve(listener, router).await?;
    Ok(())
}
