//! The browser tools beside Playwright, on the same Chromium and the same pages, in one run.
//!
//! `cargo run --release -p openhands-tools --example browser_bench -- MODULES CHROMIUM [rounds]`, or `just bench-browser`
#![allow(clippy::print_stdout, clippy::indexing_slicing)]

mod hands;
mod playwright;

use std::path::PathBuf;
use std::time::Duration;

use anyhow::Context as _;
use axum::Router;
use axum::response::Html;
use axum::routing::get;

use crate::hands::Hands;
use crate::playwright::Playwright;

/// The most time and text that the state of the large page may take.
const LARGE_TIME: Duration = Duration::from_millis(300);
const LARGE_BYTES: usize = 50_000;
const TEXT: &str = "Ada Lovelace 1815";
const FORM: &str = "<!doctype html><title>form</title><h1>A form</h1><form onsubmit='return false'>\
<label>Name <input id=name placeholder=name></label><label>Mail <input type=email></label><select><option>a<option>b</select>\
<textarea></textarea><button id=press type=button onclick='this.dataset.n = 1 + (+this.dataset.n || 0)'>Press</button></form>\
<p>Some text, with <a href=/more>a link</a> and <a href=/less>another</a>.</p>";

/// Ten thousand elements that can be clicked.
fn large() -> String {
    use std::fmt::Write as _;
    let mut page = "<!doctype html><title>large</title>".to_owned();
    for number in 0..10_000 {
        let _ = write!(page, "<a href='/item/{number}'>Item number {number}</a> ");
    }
    page
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let modules = PathBuf::from(
        arguments
            .next()
            .context("a directory with playwright-core")?,
    );
    let chromium = PathBuf::from(arguments.next().context("Chromium")?);
    let rounds: usize = arguments.next().map_or(Ok(30), |count| count.parse())?;
    let router = Router::new()
        .route("/form", get(|| async { Html(FORM) }))
        .route("/large", get(|| async { Html(large()) }));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    let site = format!("http://{}", listener.local_addr()?);
    tokio::spawn(async move { axum::serve(listener, router).await });
    let directory = tempfile::tempdir()?;
    let ours = Hands::new(directory.path(), &chromium)?;
    let mut theirs = Playwright::start(&modules, &chromium)?;
    println!("| What | Playwright: median | p95 | Ours: median | p95 | Ratio | Target |");
    println!("|---|---|---|---|---|---|---|");
    form(&ours, &mut theirs, &site, rounds).await?;
    large_page(&ours, &mut theirs, &site, rounds.min(10)).await?;
    theirs.stop().await?;
    ours.close().await;
    Ok(())
}

async fn form(
    ours: &Hands,
    theirs: &mut Playwright,
    site: &str,
    rounds: usize,
) -> anyhow::Result<()> {
    let url = format!("{site}/form");
    let mut rows: [Row; 5] = [
        Row::new("navigate, and the state of a small page"),
        Row::new("click on a button"),
        Row::new("type 17 characters into a field"),
        Row::new("the state with a picture of the page"),
        Row::new("a picture alone (ours: again with the state)"),
    ];
    // The first round is not counted: caches, processes.
    for round in 0..=rounds {
        let navigated = theirs.does("navigate", &url).await?.0;
        let clicked = theirs.does("click", "").await?.0;
        let typed = theirs.does("type", TEXT).await?.0;
        let seen = theirs.does("state", "").await?.0;
        let pictured = theirs.does("screenshot", "").await?.0;
        let opened = ours.navigate(&url).await?;
        let (took, state) = ours.state(false).await?;
        let button = Hands::index(&state, "Press")?;
        let field = Hands::index(&state, "\"placeholder\":\"name\"")?;
        let mine = [
            opened + took,
            ours.click(button).await?,
            ours.type_text(field, TEXT).await?,
            ours.state(true).await?.0,
            ours.state(true).await?.0,
        ];
        if round > 0 {
            let whole = seen + pictured;
            let both = [navigated, clicked, typed, whole, pictured]
                .into_iter()
                .zip(mine);
            for (row, (them, us)) in rows.iter_mut().zip(both) {
                row.theirs.push(them);
                row.ours.push(us);
            }
        }
    }
    for row in &mut rows {
        row.print();
    }
    Ok(())
}

async fn large_page(
    ours: &Hands,
    theirs: &mut Playwright,
    site: &str,
    rounds: usize,
) -> anyhow::Result<()> {
    let url = format!("{site}/large");
    let mut row = Row::new("the state of a page with 10,000 links");
    theirs.does("navigate", &url).await?;
    ours.navigate(&url).await?;
    let mut sizes = (0, 0);
    for round in 0..=rounds {
        let (them, their_bytes) = theirs.does("state", "").await?;
        let (us, state) = ours.state(false).await?;
        sizes = (their_bytes, state.len());
        if round > 0 {
            row.theirs.push(them);
            row.ours.push(us);
        }
    }
    row.target = Target::AtMost(LARGE_TIME);
    row.print();
    println!();
    println!(
        "Text of the large page: Playwright {} bytes, ours {} bytes (target: under {LARGE_BYTES}: {}).",
        sizes.0,
        sizes.1,
        verdict(sizes.1 < LARGE_BYTES)
    );
    Ok(())
}

/// What a row is measured against.
#[derive(Clone, Copy)]
enum Target {
    /// The other side, in the same run.
    NoSlower,
    /// A time of its own.
    AtMost(Duration),
}

fn verdict(is_met: bool) -> &'static str {
    if is_met { "met" } else { "MISSED" }
}

struct Row {
    name: &'static str,
    theirs: Vec<Duration>,
    ours: Vec<Duration>,
    target: Target,
}

impl Row {
    fn new(name: &'static str) -> Self {
        Self {
            name,
            theirs: Vec::new(),
            ours: Vec::new(),
            target: Target::NoSlower,
        }
    }

    fn print(&mut self) {
        let show = |times: &mut Vec<Duration>| {
            times.sort();
            let at = |part: usize| times[(times.len() - 1) * part / 100].as_secs_f64() * 1e3;
            (at(50), at(95))
        };
        let (them, them_high) = show(&mut self.theirs);
        let (us, us_high) = show(&mut self.ours);
        let target = match self.target {
            Target::NoSlower => format!("no slower: {}", verdict(us <= them)),
            Target::AtMost(limit) => {
                let limit = limit.as_secs_f64() * 1e3;
                format!("under {limit:.0} ms: {}", verdict(us < limit))
            }
        };
        println!(
            "| {} | {them:.2} ms | {them_high:.2} ms | {us:.2} ms | {us_high:.2} ms | {:.1}x | {target} |",
            self.name,
            them / us
        );
    }
}
