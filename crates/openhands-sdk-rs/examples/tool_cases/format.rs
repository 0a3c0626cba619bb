//! The shape of a case file.

use anyhow::Context;
use serde_json::{Map, Value};
use std::path::Path;

/// One file of cases.
#[derive(Debug)]
pub(crate) struct CaseFile {
    /// The recorded tool, such as `terminal` or `grep_ripgrep`.
    pub(crate) tool: String,
    pub(crate) cases: Vec<Case>,
}

/// One case: a workspace, steps on one fresh executor, and what is on disk after them.
#[derive(Debug, Clone)]
pub(crate) struct Case {
    pub(crate) id: String,
    pub(crate) name: String,
    /// Registered name of the tool.
    pub(crate) tool: String,
    /// Whether the result depends on wall time.
    pub(crate) is_timed: bool,
    pub(crate) config: Map<String, Value>,
    pub(crate) setup: Value,
    pub(crate) steps: Vec<Step>,
    pub(crate) after: Map<String, Value>,
}

/// One call and what it must give: any one of the recordings.
#[derive(Debug, Clone)]
pub(crate) struct Step {
    pub(crate) action: Value,
    pub(crate) expect: Vec<Value>,
}

/// What a file name in the directory turned out to be.
#[derive(Debug)]
pub(crate) enum Loaded {
    Cases(CaseFile),
    /// Cases that no tool executes: analyzers, repairs, matching, truncation.
    Pure {
        file: String,
        cases: Vec<Value>,
    },
}

/// Reads one file; files without steps are left to the runners of their own shapes.
pub(crate) fn load(path: &Path) -> anyhow::Result<Loaded> {
    let text =
        std::fs::read_to_string(path).with_context(|| format!("reading {}", path.display()))?;
    let file: Value =
        serde_json::from_str(&text).with_context(|| format!("parsing {}", path.display()))?;
    let stem = path
        .file_stem()
        .and_then(|stem| stem.to_str())
        .unwrap_or_default()
        .to_owned();
    let cases = file.get("cases").and_then(Value::as_array);
    let Some(steps) = cases.filter(|cases| cases.iter().any(|case| case.get("steps").is_some()))
    else {
        return Ok(Loaded::Pure {
            file: stem,
            cases: pure_cases(&file, cases),
        });
    };
    let tool = string(&file, "tool");
    let cases = steps.iter().map(|case| read_case(case, &tool)).collect();
    Ok(Loaded::Cases(CaseFile { tool, cases }))
}

/// The cases, each with the tools that the file lists for all of them.
fn pure_cases(file: &Value, cases: Option<&Vec<Value>>) -> Vec<Value> {
    let mut cases = cases.cloned().unwrap_or_default();
    if let Some(tools) = file.get("tools") {
        for case in cases.iter_mut().filter_map(Value::as_object_mut) {
            case.entry("tools").or_insert_with(|| tools.clone());
        }
    }
    cases
}

fn read_case(case: &Value, tool: &str) -> Case {
    let own = string(case, "tool");
    let recorded = if own.is_empty() { tool } else { &own };
    let steps = case
        .get("steps")
        .and_then(Value::as_array)
        .into_iter()
        .flatten();
    Case {
        id: string(case, "id"),
        name: string(case, "name"),
        // A recording's name says which backend the reference had: grep_ripgrep, grep_system.
        tool: match recorded.split_once('_') {
            Some((engine @ ("grep" | "glob"), _)) => engine.to_owned(),
            _ => recorded.to_owned(),
        },
        is_timed: case
            .get("tags")
            .and_then(Value::as_array)
            .is_some_and(|tags| tags.iter().any(|tag| tag == "timing")),
        config: object(case.get("config")),
        setup: case.pointer("/setup/files").cloned().unwrap_or(Value::Null),
        steps: steps
            .map(|step| Step {
                action: step.get("action").cloned().unwrap_or(Value::Null),
                expect: step.get("expect").cloned().into_iter().collect(),
            })
            .collect(),
        after: object(case.pointer("/after/files")),
    }
}

pub(crate) fn string(value: &Value, key: &str) -> String {
    value
        .get(key)
        .and_then(Value::as_str)
        .unwrap_or_default()
        .to_owned()
}

fn object(value: Option<&Value>) -> Map<String, Value> {
    value
        .and_then(Value::as_object)
        .cloned()
        .unwrap_or_default()
}

/// Lets each case accept what any recording of it in another file of the same tool holds.
///
/// The reference's grep and glob behave differently with and without ripgrep, so both were recorded. A case on
/// which the recordings agree is firm; where they differ no engine can satisfy both.
pub(crate) fn join_recordings(files: &mut [CaseFile]) {
    let all: Vec<(String, String, Vec<Step>)> = files
        .iter()
        .filter(|file| matches!(file.tool.split_once('_'), Some(("grep" | "glob", _))))
        .flat_map(|file| &file.cases)
        .map(|case| (case.tool.clone(), case.name.clone(), case.steps.clone()))
        .collect();
    for case in files.iter_mut().flat_map(|file| &mut file.cases) {
        for (tool, name, steps) in &all {
            if *tool != case.tool || *name != case.name || steps.len() != case.steps.len() {
                continue;
            }
            for (mine, other) in case.steps.iter_mut().zip(steps) {
                for expect in &other.expect {
                    if mine.action == other.action && !mine.expect.contains(expect) {
                        mine.expect.push(expect.clone());
                    }
                }
            }
        }
    }
}
