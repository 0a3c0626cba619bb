//! Compares `grep` with ripgrep over a tree of 50,000 files: `cargo run --release -p openhands-tools --example grep_bench`.
//!
//! The tree is made in a temporary directory. Both search it in turn, several rounds for each pattern, and the
//! ratio of the best times is printed, which other work on the machine disturbs least. Options: `--files N`, `--rounds N`, `--limit R` (exit 1 if a ratio is above R).
#![allow(clippy::print_stdout)]

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use openhands_tools::search::{GrepQuery, SEARCH_LIMIT, Stop, grep};
use tokio_util::sync::CancellationToken;

/// What is searched for: a rare word, one in no file, one in most files, and a pattern that is not a plain word.
const PATTERNS: [(&str, &str); 4] = [
    ("rare word", "needle_in_a_haystack"),
    ("no match", "no_such_word_anywhere"),
    ("common word", "return"),
    ("expression", r"fn\s+rare_\w+\(\d+"),
];

struct Options {
    files: usize,
    rounds: usize,
    limit: Option<f64>,
}

fn main() -> anyhow::Result<()> {
    let options = options()?;
    let dir = tempfile::tempdir()?;
    make_tree(dir.path(), options.files)?;
    let threads = std::thread::available_parallelism()?;
    println!(
        "{} files, {} rounds, {threads} cores",
        options.files, options.rounds
    );
    let mut worst: f64 = 0.0;
    for (name, pattern) in PATTERNS {
        let mut ours = Vec::new();
        let mut theirs = Vec::new();
        // The first round of each warms the page cache and is not counted.
        for round in 0..=options.rounds {
            let (our_time, our_hits) = run_ours(dir.path(), pattern)?;
            let (their_time, their_hits) = run_ripgrep(dir.path(), pattern)?;
            if our_hits != their_hits.min(100) {
                bail!("{name}: found {our_hits} files, ripgrep found {their_hits}");
            }
            if round > 0 {
                ours.push(our_time);
                theirs.push(their_time);
            }
        }
        let (ours, theirs) = (best(&ours), best(&theirs));
        let ratio = ours.as_secs_f64() / theirs.as_secs_f64();
        worst = worst.max(ratio);
        println!("{name:12} ours {ours:>10.2?}  rg {theirs:>10.2?}  ratio {ratio:.2}");
    }
    match options.limit {
        Some(limit) if worst > limit => bail!("slower than the limit of {limit}: {worst:.2}"),
        Some(_) | None => Ok(()),
    }
}

fn options() -> anyhow::Result<Options> {
    let mut options = Options {
        files: 50_000,
        rounds: 7,
        limit: None,
    };
    let mut arguments = std::env::args().skip(1);
    while let Some(name) = arguments.next() {
        let value = arguments
            .next()
            .with_context(|| format!("{name} needs a value"))?;
        match name.as_str() {
            "--files" => options.files = value.parse()?,
            "--rounds" => options.rounds = value.parse()?,
            "--limit" => options.limit = Some(value.parse()?),
            _ => bail!("unknown option {name}"),
        }
    }
    Ok(options)
}

/// Source-like files of 1 to 8 kB, 25 in a directory, some of them hidden, ignored or binary.
fn make_tree(root: &Path, files: usize) -> anyhow::Result<()> {
    fs::create_dir(root.join(".git"))?;
    fs::write(root.join(".gitignore"), "target/\n*.log\n")?;
    // A small generator of its own: the tree is the same in every run.
    let mut state = 0x2545_F491_4F6C_DD1D_u64;
    let mut random = move |below: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state % below
    };
    for number in 0..files {
        let directory = match number / 25 {
            group if group % 40 == 0 => root.join(format!("target/g{group}")),
            group => root.join(format!("m{}/g{group}", group % 50)),
        };
        if number % 25 == 0 {
            fs::create_dir_all(&directory)?;
        }
        let mut text = String::new();
        for line in 0..20 + random(140) {
            let word = random(10_000);
            text.extend([format!("    let value_{word} = compute({line}, {word});\n")]);
            if random(50) == 0 {
                text.push_str("    return value;\n");
            }
        }
        if number % 5_000 == 77 {
            text.push_str("// needle_in_a_haystack\nfn rare_one(12345) {}\n");
        }
        let name = match number % 100 {
            0 => format!("f{number}.log"),
            1 => format!(".f{number}.rs"),
            2 => format!("f{number}.bin"),
            _ => format!("f{number}.rs"),
        };
        let mut bytes = text.into_bytes();
        if number % 100 == 2 {
            bytes.insert(0, 0);
        }
        fs::write(directory.join(name), bytes)?;
    }
    Ok(())
}

fn run_ours(root: &Path, pattern: &str) -> anyhow::Result<(Duration, usize)> {
    let began = Instant::now();
    let query = GrepQuery {
        pattern,
        root,
        include: None,
    };
    let found = grep(query, &Stop::new(SEARCH_LIMIT, CancellationToken::new()))?;
    Ok((began.elapsed(), found.files.len()))
}

fn run_ripgrep(root: &Path, pattern: &str) -> anyhow::Result<(Duration, usize)> {
    let began = Instant::now();
    let output = Command::new("rg")
        .args(["--no-config", "-l", "-i", "-e", pattern])
        .arg(root)
        .stderr(Stdio::inherit())
        .output()
        .context("running rg: is ripgrep installed?")?;
    let took = began.elapsed();
    Ok((took, String::from_utf8(output.stdout)?.lines().count()))
}

fn best(times: &[Duration]) -> Duration {
    times.iter().min().copied().unwrap_or_default()
}
