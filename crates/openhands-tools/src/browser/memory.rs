//! The memory cap: a page that takes too much is ended before the machine suffers.

use super::chromium::Chromium;
use super::notes::Note;
use super::pages::Pages;
use rustix::process::{Pid, Signal};
use serde::Deserialize;
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;

/// Between two looks. Memory has no event of its own.
const LOOK: Duration = Duration::from_secs(2);
const ASK: Duration = Duration::from_secs(10);

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Processes {
    process_info: Vec<ProcessInfo>,
}

#[derive(Deserialize)]
struct ProcessInfo {
    #[serde(rename = "type")]
    kind: String,
    id: i32,
}

/// Ends the largest page whenever all processes together take more than the limit.
pub(crate) async fn watch(chromium: Arc<Chromium>, pages: Arc<Pages>, limit: u64) {
    loop {
        tokio::time::sleep(LOOK).await;
        if !chromium.is_alive() {
            return;
        }
        let asked = chromium
            .cdp
            .call_as::<Processes>(None, "SystemInfo.getProcessInfo", json!({}), ASK)
            .await;
        let Ok(processes) = asked else { continue };
        let sized: Vec<(u64, &ProcessInfo)> = processes
            .process_info
            .iter()
            .map(|process| (proportional_memory(process.id), process))
            .collect();
        let total: u64 = sized.iter().map(|(size, _)| size).sum();
        if total <= limit {
            continue;
        }
        let largest = sized
            .iter()
            .filter(|(_, process)| process.kind == "renderer")
            .max_by_key(|(size, _)| *size);
        if let Some((size, process)) = largest {
            let reason = format!(
                "the browser used {} MB, more than the {} MB that it may; its largest page had {} MB",
                total >> 20,
                limit >> 20,
                size >> 20
            );
            tracing::warn!(reason, "a page is ended");
            pages.notes.lock().add(Note::TabCrashed {
                url: "with the most memory".to_owned(),
                reason: Some(reason),
            });
            if let Some(pid) = Pid::from_raw(process.id) {
                // It may have ended by itself.
                let _ = rustix::process::kill_process(pid, Signal::KILL);
            }
        }
    }
}

/// The memory of a process, with its share of what it has in common with others.
fn proportional_memory(pid: i32) -> u64 {
    let read = |file: &str| std::fs::read_to_string(format!("/proc/{pid}/{file}"));
    let of = |text: &str, name: &str| -> Option<u64> {
        let line = text.lines().find(|line| line.starts_with(name))?;
        line.split_ascii_whitespace().nth(1)?.parse().ok()
    };
    let kilobytes = read("smaps_rollup")
        .ok()
        .and_then(|text| of(&text, "Pss:"))
        .or_else(|| of(&read("status").ok()?, "VmRSS:"));
    kilobytes.unwrap_or_default() << 10
}
