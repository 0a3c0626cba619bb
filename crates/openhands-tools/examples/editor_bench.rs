//! Times the file editor on a 10 MB file: `cargo run --release -p openhands-tools --example editor_bench`.
//!
//! Each figure is the median and the worst of the rounds, in milliseconds. The last lines give what the same bytes cost without an
//! editor (reading, writing aside and renaming), and the peak memory of the whole run.
#![allow(clippy::print_stdout)]

use std::error::Error;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use openhands_tools::file_editor::{Command, FileEditor, Request};
use openhands_tools::safe_write::write_file;

const ROUNDS: usize = 21;
/// Just below the editor's limit of 10 MiB, so that edits fit in.
const FILE_BYTES: usize = (10 << 20) - 4096;

type Outcome<T> = Result<T, Box<dyn Error>>;

fn main() -> Outcome<()> {
    let dir = tempfile::tempdir()?;
    for (name, ending) in [("LF", "\n"), ("CRLF", "\r\n")] {
        let file = dir.path().join(name);
        fs::write(&file, text(ending))?;
        println!("10 MB, UTF-8, {name} line ends");
        editor(&file)?;
    }
    println!("the file system alone");
    let file = dir.path().join("LF");
    let bytes = fs::read(&file)?;
    measure("read", || {
        fs::read(&file)?;
        Ok(())
    })?;
    measure("write aside and rename", || Ok(write_file(&file, &bytes)?))?;
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find(|line| line.starts_with("VmHWM"));
    println!("{}", peak.unwrap_or("VmHWM: unknown"));
    Ok(())
}

/// Source-like lines; one of them, in the middle, is unique.
fn text(ending: &str) -> String {
    let mut text = String::with_capacity(FILE_BYTES);
    let mut line = 0_usize;
    let mut has_needle = false;
    while text.len() < FILE_BYTES - 200 {
        line += 1;
        let _ = write!(
            text,
            "    let value_{line} = compute(input, {line}); // plain line{ending}"
        );
        if !has_needle && text.len() > FILE_BYTES / 2 {
            text.push_str("needle in the middle");
            text.push_str(ending);
            has_needle = true;
        }
    }
    text
}

fn editor(file: &Path) -> Outcome<()> {
    let editor = FileEditor::new("/");
    let path = file.display().to_string();
    let request = |command: Command, fill: &dyn Fn(&mut Request)| {
        let mut request = Request::new(command, path.clone());
        fill(&mut request);
        request
    };
    let run = |request: &Request| -> Outcome<()> {
        editor.run(request)?;
        Ok(())
    };
    let replace = |old: &str, new: &str| {
        request(Command::StrReplace, &|request| {
            request.old_str = Some(old.to_owned());
            request.new_str = Some(new.to_owned());
        })
    };
    let there = replace("needle in the middle", "NEEDLE in the middle");
    let back = replace("NEEDLE in the middle", "needle in the middle");
    let insert = request(Command::Insert, &|request| {
        request.insert_line = Some(100_000);
        request.new_str = Some("one more line".to_owned());
    });
    let range = request(Command::View, &|request| {
        request.view_range = Some(vec![100_000, 100_050]);
    });
    let undo = request(Command::UndoEdit, &|_| {});

    measure("view, whole file (clipped)", || {
        run(&request(Command::View, &|_| {}))
    })?;
    measure("view_range, 51 lines", || run(&range))?;
    measure_pairs(
        "str_replace",
        "str_replace back",
        || run(&there),
        || run(&back),
    )?;
    measure_pairs("insert", "undo_edit", || run(&insert), || run(&undo))
}

fn measure(what: &str, mut act: impl FnMut() -> Outcome<()>) -> Outcome<()> {
    let mut times = Vec::with_capacity(ROUNDS);
    for _ in 0..ROUNDS {
        times.push(timed(&mut act)?);
    }
    report(what, times);
    Ok(())
}

/// Two acts in turn, the second of which makes the first possible again.
fn measure_pairs(
    first: &str,
    second: &str,
    mut act: impl FnMut() -> Outcome<()>,
    mut back: impl FnMut() -> Outcome<()>,
) -> Outcome<()> {
    let (mut there, mut again) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        there.push(timed(&mut act)?);
        again.push(timed(&mut back)?);
    }
    report(first, there);
    report(second, again);
    Ok(())
}

fn timed(act: &mut impl FnMut() -> Outcome<()>) -> Outcome<Duration> {
    let start = Instant::now();
    act()?;
    Ok(start.elapsed())
}

fn report(what: &str, mut times: Vec<Duration>) {
    times.sort();
    let milliseconds = |time: Option<&Duration>| time.map_or(0.0, |time| time.as_secs_f64() * 1e3);
    let median = milliseconds(times.get(times.len() / 2));
    let worst = milliseconds(times.last());
    println!("  {what:<28} {median:8.2} ms median {worst:8.2} ms worst");
}
