//! Random commands in the persistent shell, of which everything is known beforehand.
//!
//! `cargo run --release -p openhands-process --example shell_fuzz -- [--count 20000] [--seed N]`
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::format_push_string
)]

#[path = "../tests/shell/fuzz.rs"]
mod fuzz;

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

#[tokio::main]
async fn main() {
    let clock = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap()
        .as_secs();
    let seed = argument("--seed", clock);
    let limits = fuzz::Limits {
        commands: usize::try_from(argument("--count", 20_000)).unwrap(),
        time: Duration::MAX,
    };
    println!("seed {seed}, {} commands", limits.commands);
    let start = Instant::now();
    let ran = tokio::spawn(async move {
        fuzz::fuzz(seed, limits, |done| {
            if done % 1000 == 0 {
                println!("{done} commands, {:.1} s", start.elapsed().as_secs_f32());
            }
        })
        .await
    })
    .await
    .unwrap();
    println!(
        "{ran} commands, none wrong, {:.1} s",
        start.elapsed().as_secs_f32()
    );
}

fn argument(name: &str, default: u64) -> u64 {
    let mut arguments = std::env::args().skip_while(|argument| argument != name);
    arguments
        .nth(1)
        .map_or(default, |value| value.parse().unwrap())
}
