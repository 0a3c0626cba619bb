//! Runs recorded tool cases: `cargo run -p openhands-sdk-rs --example tool_cases -- DIR`.
//!
//! DIR holds one JSON file per tool. Each case sets up a workspace, executes its steps on a fresh tool through the
//! public halves (definition, executor) and compares what comes back with what was recorded. Files of other shapes
//! hold inputs and results of pure functions: analyzers, repairs, matching, truncation. The format is described in `crates/openhands-tools/tests/fixtures/tool-cases/README.md`.
#![allow(clippy::print_stdout, clippy::print_stderr)] // a command line program: printing is its purpose

mod compare;
mod exceptions;
mod format;
mod pure;
mod run;
mod workspace;

use anyhow::{Context, bail};
use std::path::PathBuf;
use std::process::ExitCode;

#[tokio::main]
async fn main() -> anyhow::Result<ExitCode> {
    let mut directory = None;
    let mut only = None;
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "-k" => only = Some(arguments.next().context("-k wants a word")?),
            "-h" | "--help" => {
                println!(
                    "usage: tool_cases DIR [-k WORD]   (-k: only cases whose id or name holds WORD)"
                );
                return Ok(ExitCode::SUCCESS);
            }
            _ if directory.is_none() => directory = Some(PathBuf::from(argument)),
            _ => bail!("one directory of case files is wanted, got also {argument:?}"),
        }
    }
    let directory = directory.context("usage: tool_cases DIR [-k WORD]")?;
    let report = run::directory(&directory, only.as_deref()).await?;
    for line in &report.lines {
        println!("{line}");
    }
    println!("{} differ on purpose", report.differing);
    println!("{} passed, {} failed", report.passed, report.failed);
    Ok(if report.failed == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}
