//! What it costs to hide secrets in what tools and models say.
//!
//! `cargo run --release -p openhands-sdk-rs --example secrets_bench`
#![allow(clippy::print_stdout, reason = "prints its figures")]

use std::hint::black_box;
use std::time::{Duration, Instant};

use openhands_protocol::Observation;
use openhands_protocol::tool::TerminalObservation;
use openhands_sdk_rs::secrets::Masker;

const ROUNDS: u32 = 500;

fn main() {
    let text = "a line of output that a program might print, of ordinary length\n".repeat(460);
    println!("{} bytes of output", text.len());
    for count in [0, 1, 10, 100, 1000] {
        let values: Vec<String> = (0..count)
            .map(|number| format!("tok_{number:04}_{}", "k3y".repeat(10)))
            .collect();
        let built = Instant::now();
        let masker = Masker::new(values.iter().map(String::as_str));
        let built = built.elapsed();
        let plain = each(|| {
            black_box(masker.mask(&text));
        });
        let mut observation = Observation::Terminal(TerminalObservation::with_text(text.as_str()));
        let whole = each(|| masker.mask_observation(black_box(&mut observation)));
        let pieces = each(|| {
            let mut stream = masker.stream();
            for piece in text.as_bytes().chunks(16) {
                black_box(stream.feed(std::str::from_utf8(piece).unwrap_or_default()));
            }
            black_box(stream.finish());
        });
        println!(
            "{count:5} secrets: masker made in {built:>10.1?}, text {plain:>9.1?}, observation {whole:>9.1?}, \
             in pieces of 16 bytes {pieces:>9.1?}"
        );
    }
}

fn each(mut work: impl FnMut()) -> Duration {
    let begun = Instant::now();
    for _ in 0..ROUNDS {
        work();
    }
    begun.elapsed() / ROUNDS
}
