//! A server to be killed, for the tests of process trees.
//!
//! `tree-holder MARK COUNT auto|off SCRIPT` starts COUNT trees that run SCRIPT, says `ready`, and waits.
//! `tree-holder MARK lines` starts a tree for each line `auto|off SCRIPT`, ends one for `kill NUMBER`, and
//! answers each line. `run auto|off SCRIPT` waits until the tree is gone, `drop auto|off SCRIPT` only for the command; both
//! then drop the tree and answer with what the command printed. The environment of every tree carries MARK, by which the test finds its processes.
#![allow(clippy::print_stdout)]

use openhands_process::{Cgroup, Spawn, Stdio, Tree};
use tokio::io::{AsyncBufReadExt as _, BufReader};

fn command(mark: &str, cgroup: Cgroup, script: &str) -> Spawn {
    Spawn::new("/bin/sh")
        .args(["-c", script])
        .env("PATH", "/usr/bin:/bin")
        .env("TREE_MARK", mark)
        .cgroup(cgroup)
}

fn cgroup(word: &str) -> Option<Cgroup> {
    match word {
        "auto" => Some(Cgroup::Auto),
        "off" => Some(Cgroup::Off),
        _ => None,
    }
}

/// Runs a command to its end, or to that of its whole tree, and returns its line.
async fn finish(mark: &str, line: &str, whole: bool) -> Option<String> {
    let (word, script) = line.split_once(' ')?;
    let spawn = command(mark, cgroup(word)?, script).stdout(Stdio::Pipe);
    let mut tree = spawn.start().await.ok()?;
    let mut said = String::new();
    BufReader::new(tree.stdout.take()?)
        .read_line(&mut said)
        .await
        .ok()?;
    tree.wait().await;
    if whole {
        tree.gone().await.ok()?;
    }
    Some(said.trim_end().to_owned())
}

/// Does what a line asks and returns the answer.
async fn obey(mark: &str, trees: &mut Vec<Tree>, line: &str) -> String {
    let (order, rest) = line.split_once(' ').unwrap_or((line, ""));
    if let Some(cgroup) = cgroup(order) {
        let spawn = command(mark, cgroup, rest)
            .stdin(Stdio::Pipe)
            .stdout(Stdio::Pipe);
        return match spawn.start().await {
            Ok(tree) => {
                trees.push(tree);
                "started".to_owned()
            }
            Err(error) => error.to_string(),
        };
    }
    if order == "run" || order == "drop" {
        let said = finish(mark, rest, order == "run").await;
        return said.unwrap_or_else(|| "failed".to_owned());
    }
    let chosen = rest
        .parse()
        .ok()
        .and_then(|number: usize| trees.get(number));
    match (order, chosen) {
        ("kill", Some(tree)) => match tree.kill().await {
            Ok(()) => "killed".to_owned(),
            Err(error) => error.to_string(),
        },
        _ => "unknown".to_owned(),
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let mut trees = Vec::new();
    match args.as_slice() {
        [mark, "lines"] => {
            // This thread has nothing else to do than to wait for the next line.
            for line in std::io::stdin().lines() {
                println!("{}", obey(mark, &mut trees, &line?).await);
            }
            Ok(())
        }
        [mark, count, word, script] => {
            let cgroup = cgroup(word).ok_or("auto or off")?;
            for _ in 0..count.parse()? {
                trees.push(command(mark, cgroup, script).start().await?);
            }
            println!("ready");
            std::future::pending().await
        }
        _ => Err("usage: tree-holder MARK (COUNT auto|off SCRIPT | lines)".into()),
    }
}
