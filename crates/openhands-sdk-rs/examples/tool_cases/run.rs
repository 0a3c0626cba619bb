//! Running the cases of a directory.

use crate::compare;
use crate::exceptions::Exceptions;
use crate::format::{Case, Loaded, join_recordings, load};
use crate::pure;
use crate::workspace::Workspace;
use anyhow::{Context, bail};
use openhands_protocol::message::Content;
use openhands_protocol::tool::{Observation, Tool};
use openhands_protocol::{ConversationId, Form, JsonObject, ToolCallId};
use openhands_sdk_rs::tools::{CallContext, Definitions, Machine, Place, Registry, ToolSet};
use serde_json::{Map, Value, json};
use std::path::Path;
use std::sync::Arc;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

/// How often a case that depends on wall time is tried.
const TIMED_TRIES: usize = 5;
/// Cases that run side by side: most of their time is waiting for timeouts.
const AT_ONCE: usize = 4;

/// What to print, and the count.
#[derive(Debug, Default)]
pub(crate) struct Report {
    pub(crate) lines: Vec<String>,
    pub(crate) passed: usize,
    pub(crate) failed: usize,
    /// Cases that differ from the recording on purpose: neither passed nor failed.
    pub(crate) differing: usize,
}

/// Runs every case file of `directory`, in the order of their names.
pub(crate) async fn directory(directory: &Path, only: Option<&str>) -> anyhow::Result<Report> {
    let mut report = Report::default();
    let mut files = Vec::new();
    let mut pure = Vec::new();
    for path in case_files(directory)? {
        match load(&path)? {
            Loaded::Cases(file) => files.push(file),
            Loaded::Pure { file, cases } => pure.push((file, cases)),
        }
    }
    join_recordings(&mut files);
    let exceptions = Exceptions::load(directory)?;
    for file in files {
        let mut running = JoinSet::new();
        let permits = Arc::new(Semaphore::new(AT_ONCE));
        let chosen = |case: &Case| {
            only.is_none_or(|word| case.id.contains(word) || case.name.contains(word))
        };
        let cases: Vec<Case> = file.cases.into_iter().filter(chosen).collect();
        for (position, case) in cases.iter().cloned().enumerate() {
            let permits = Arc::clone(&permits);
            running.spawn(async move {
                let _permit = permits.acquire().await;
                (position, run_with_patience(&case).await)
            });
        }
        let mut results: Vec<(usize, anyhow::Result<()>)> = running.join_all().await;
        results.sort_by_key(|(position, _)| *position);
        for (case, (_, result)) in cases.iter().zip(results) {
            report.count(&case.id, &case.name, result, exceptions.reason(case));
        }
    }
    for (file, cases) in pure {
        let outcome = pure::run(&file, &cases, only).await?;
        for (id, result) in outcome.results {
            report.count(&id, &file, result, exceptions.by_id(&id));
        }
        report.lines.extend(outcome.skipped);
    }
    if report.passed + report.failed == 0 {
        bail!("no case was run in {}", directory.display());
    }
    Ok(report)
}

fn case_files(directory: &Path) -> anyhow::Result<Vec<std::path::PathBuf>> {
    let entries =
        std::fs::read_dir(directory).with_context(|| format!("reading {}", directory.display()))?;
    let mut paths: Vec<_> = entries
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .filter(|path| path.extension().is_some_and(|ending| ending == "json"))
        .filter(|path| path.file_stem().is_some_and(|stem| stem != "exceptions"))
        .collect();
    paths.sort();
    Ok(paths)
}

impl Report {
    fn count(&mut self, id: &str, name: &str, result: anyhow::Result<()>, reason: Option<&str>) {
        let Err(problem) = result else {
            self.passed += 1;
            return;
        };
        if let Some(reason) = reason {
            self.differing += 1;
            self.lines
                .push(format!("differs on purpose: {id} {name}: {reason}"));
            return;
        }
        self.failed += 1;
        self.lines.push(format!("FAILED {id} {name}\n{problem:#}"));
    }
}

/// A case that depends on wall time may lose a race between processes that neither side decides, such as whether a
/// killed job ends before or after the shell looks: it is tried again.
async fn run_with_patience(case: &Case) -> anyhow::Result<()> {
    let mut result = run_case(case).await;
    for attempt in 2..=TIMED_TRIES {
        if result.is_ok() || !case.is_timed {
            break;
        }
        println!("try {attempt}: {} {}", case.id, case.name);
        result = run_case(case).await;
    }
    result
}

async fn run_case(case: &Case) -> anyhow::Result<()> {
    let workspace = Workspace::new()?;
    let home = tempfile::tempdir()?;
    workspace.set_up(&case.setup).context("setting up")?;
    let wanted = [Tool {
        params: JsonObject::from(case.config.clone()),
        ..Tool::new(case.tool.as_str())
    }];
    let place = Place {
        working_dir: workspace.path().to_owned(),
        persistence_dir: (case.tool == "task_tracker").then(|| workspace.path().to_owned()),
    };
    let registry = Registry::standard();
    let definitions = registry.definitions(&wanted, &place)?;
    let machine = Machine {
        place,
        env: environment(home.path()),
        ..Machine::default()
    };
    let tools = registry.executors(&wanted, &machine)?;
    for (number, step) in case.steps.iter().enumerate() {
        let problems = run_step(
            case,
            &workspace.fill(&step.action),
            &step.expect,
            &definitions,
            &tools,
            &workspace,
        )
        .await?;
        if let Some(problem) = problems {
            tools.close().await;
            bail!("step {}: {}\n{problem}", number + 1, step.action);
        }
    }
    tools.close().await;
    let differences = workspace.differences(&case.after);
    if !differences.is_empty() {
        bail!("after the last step:\n{}", differences.join("\n"));
    }
    Ok(())
}

/// The recordings were made with an empty home directory.
fn environment(home: &Path) -> Vec<(String, String)> {
    let mut variables: Vec<(String, String)> = std::env::vars()
        .filter(|(name, _)| name != "HOME")
        .collect();
    variables.push(("HOME".into(), home.display().to_string()));
    variables
}

async fn run_step(
    case: &Case,
    action: &Value,
    expected: &[Value],
    definitions: &Definitions,
    tools: &ToolSet,
    workspace: &Workspace,
) -> anyhow::Result<Option<String>> {
    let definition = definitions.get(&case.tool).context("the tool is defined")?;
    let outcome = match definition.decode(action.as_object().unwrap_or(&Map::new())) {
        Err(invalid) => json!({
            "validation_error": invalid.errors.iter().map(|error| json!({
                "loc": error.loc.iter().map(|step| match step {
                    openhands_sdk_rs::tools::arguments::Loc::Field(name) => json!(name),
                    openhands_sdk_rs::tools::arguments::Loc::Index(index) => json!(index),
                }).collect::<Vec<_>>(),
                "type": error.kind,
                "msg": error.message,
            })).collect::<Vec<_>>(),
        }),
        Ok(action) => {
            let context = CallContext::detached(ToolCallId::new("case"), ConversationId::random());
            match tools.execute(&case.tool, action, context).await {
                Ok(observation) => observed(&observation)?,
                Err(error) => json!({"raises": "error", "message": error.to_string()}),
            }
        }
    };
    let outcome = workspace.blank(&outcome);
    let problems: Vec<String> = expected
        .iter()
        .filter_map(|expected| differs(&case.tool, &outcome, expected))
        .collect();
    // Any one recording is enough; the first is the file's own.
    Ok(if problems.len() == expected.len() {
        problems.into_iter().next()
    } else {
        None
    })
}

/// The observation as the recordings write it: its fields, its joined text, and what kinds of parts it has.
fn observed(observation: &Observation) -> anyhow::Result<Value> {
    let mut fields = Form::REST.to_value(observation)?;
    let parts = observation.content();
    let images: Vec<&String> = parts
        .iter()
        .flat_map(|part| match part {
            Content::Image(image) => image.image_urls.as_slice(),
            Content::Text(_) | Content::Unknown(_) => &[],
        })
        .collect();
    let kinds: Vec<&str> = parts
        .iter()
        .map(|part| {
            if part.as_text().is_some() {
                "text"
            } else {
                "image"
            }
        })
        .collect();
    if let Some(fields) = fields.as_object_mut() {
        fields.insert("text".into(), json!(observation.text()));
        fields.insert("content_types".into(), json!(kinds));
        fields.insert("image_urls".into(), json!(images));
    }
    Ok(fields)
}

/// What differs from one recording.
fn differs(tool: &str, outcome: &Value, expected: &Value) -> Option<String> {
    let mut expected = expected.clone();
    let fields = expected.as_object_mut()?;
    // How long the reference took says nothing about the result.
    fields.remove("elapsed_s");
    if fields.contains_key("raises") {
        // The class is Python's; its message is contract only where the tool itself raised it.
        let own = fields.get("raises").and_then(Value::as_str) == Some("ValueError");
        fields.insert("raises".into(), "error".into());
        if !own {
            fields.remove("message");
        }
    }
    if let Some(Value::Array(errors)) = fields.get_mut("validation_error") {
        for error in errors.iter_mut().filter_map(Value::as_object_mut) {
            error.remove("msg");
        }
    }
    if tool == "list_directory" {
        // Here the text goes on with the entries; the recording has them in the observation alone.
        let recorded = fields
            .get("text")
            .and_then(Value::as_str)
            .unwrap_or_default();
        let text = outcome
            .get("text")
            .and_then(Value::as_str)
            .unwrap_or_default();
        if text.starts_with(recorded) {
            fields.remove("text");
        }
    }
    compare::value("result", outcome, &expected)
}
