//! An agent at work: `cargo run -p openhands-sdk-rs --example agent_demo -- [TASK]`.
//!
//! Gives an agent a task in a fresh directory and shows what it does as it does it. Which model it asks is said by
//! `LLM_MODEL`, `LLM_API_KEY` and `LLM_BASE_URL`, or by a provider's usual variable such as `OPENAI_API_KEY`. With none
//! of them a script plays the model; everything else is real. With `RUNTIME_ENV=docker` the tools run in a container.

mod container;
mod model;
mod screen;
mod script;
mod show;

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result};
use openhands_sdk_rs::tools::{Preset, PresetOptions};
use openhands_sdk_rs::{
    Agent, Conversation, ConversationConfig, ConversationError, Host, Live, Llm, Message, RunEnd,
    ScriptedModel, Update,
};

use crate::screen::{Screen, Style};
use crate::show::Show;

/// How often the progress line moves.
const TICK: Duration = Duration::from_millis(100);

/// Ended by the user, as shells count it.
const INTERRUPTED: u8 = 130;

const USAGE: &str = "\
usage: agent_demo [TASK]

LLM_MODEL, LLM_API_KEY and LLM_BASE_URL say which model works on the task, for instance
  LLM_MODEL=anthropic/claude-sonnet-5 LLM_API_KEY=... agent_demo 'Write a haiku about ownership into haiku.txt'
Without them a provider's usual variable does (OPENAI_API_KEY, ANTHROPIC_API_KEY, GEMINI_API_KEY, ...).
Without any of these a script plays the model.
With RUNTIME_ENV=docker the tools run in a container; DOCKER_HOST and SANDBOX_RUNTIME_CONTAINER_IMAGE say where and of what.";

#[tokio::main]
async fn main() -> ExitCode {
    // A variable that is not text is none of ours, and no shell needs it.
    let env: Vec<(String, String)> = std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .collect();
    let task: Vec<String> = std::env::args().skip(1).collect();
    let mut show = Show::new(Screen::new(&env));
    if matches!(task.first().map(String::as_str), Some("-h" | "--help")) {
        show.screen.line(Style::Plain, USAGE);
        return ExitCode::SUCCESS;
    }
    match demo(&mut show, env, &task.join(" ")).await {
        Ok(RunEnd::Finished) => ExitCode::SUCCESS,
        Ok(RunEnd::Interrupted | RunEnd::Paused) => {
            show.fail("Stopped.");
            ExitCode::from(INTERRUPTED)
        }
        Ok(end) => {
            show.explain(end);
            ExitCode::FAILURE
        }
        Err(error) => {
            show.fail(&format!("It did not work: {error:#}"));
            ExitCode::FAILURE
        }
    }
}

async fn demo(show: &mut Show, env: Vec<(String, String)>, task: &str) -> Result<RunEnd> {
    let real = model::choose(&env)?;
    let workspace = tempfile::tempdir().context("no directory to work in")?;
    let containers = container::choose(show, &env).await?;
    let mut host = Host::new(model::without_keys(env));
    if let Some(containers) = &containers {
        host = host.in_docker(Arc::clone(containers));
    }
    if real.is_none() {
        let script = script::script(workspace.path(), show.screen.is_live());
        host = host.with_model(Arc::new(ScriptedModel::from_value(&script)?));
    }
    let is_real = real.is_some();
    let task = introduce(show, real.as_ref(), task, workspace.path());
    let mut agent = Agent::new(
        real.unwrap_or_else(script::llm),
        Preset::default_agent(PresetOptions::default()).tools,
    );
    "agent".clone_into(&mut agent.llm.usage_id);
    agent.llm.stream = true;
    let config = ConversationConfig::new(agent, workspace.path());
    let conversation = Conversation::create(&Arc::new(host), config).await?;
    let end = watch(show, &conversation, task).await;
    let answer = conversation.final_response().await;
    let stats = conversation.state(|state| state.stats.clone());
    conversation.close().await?;
    if let Some(containers) = &containers {
        containers.close().await;
    }
    let end = end?;
    if end == RunEnd::Finished {
        show.answer(&answer?);
    }
    if is_real && show.has_begun() {
        // What a real agent made is worth keeping.
        show.note(&format!("The files are in {}", workspace.keep().display()));
    }
    show.sum_up(&stats);
    Ok(end)
}

/// Says who works on what, and where.
fn introduce(show: &mut Show, llm: Option<&Llm>, task: &str, workspace: &Path) -> String {
    if let Some(llm) = llm {
        show.note(&format!("Model: {}", llm.model));
    } else {
        show.note(
            "No model is configured (LLM_MODEL, LLM_API_KEY, OPENAI_API_KEY, ...): a script plays it.",
        );
        show.note("The shell, the files and the log are real.");
        if !task.is_empty() {
            show.note("A script knows one task only, so yours has to wait for a key.");
        }
    }
    let is_own = llm.is_some() && !task.is_empty();
    let task = if is_own { task } else { script::TASK };
    show.note(&format!("Workspace: {}", workspace.display()));
    show.heading("Task", task);
    task.to_owned()
}

/// Lets the agent work, and shows it.
async fn watch(
    show: &mut Show,
    conversation: &Conversation,
    task: String,
) -> Result<RunEnd, ConversationError> {
    let mut watcher = conversation.subscribe(0);
    let mut seen = 0;
    let mut ticks = tokio::time::interval(TICK);
    conversation.send_and_run(Message::user(task)).await?;
    loop {
        let update = tokio::select! {
            update = watcher.next() => update?,
            _ = ticks.tick() => {
                show.screen.tick();
                continue;
            }
            _ = tokio::signal::ctrl_c() => {
                show.screen.status("stopping");
                conversation.interrupt().await?;
                continue;
            }
        };
        let Some(update) = update else { break };
        if let Update::Event(stored) = &update {
            seen = stored.index() + 1;
        }
        show.update(&update);
        // The whole state is told when a run has ended, after everything else.
        if matches!(update, Update::Live(Live::FullState(_))) && show.is_over(conversation.status())
        {
            break;
        }
    }
    let end = conversation.wait().await.unwrap_or(RunEnd::Idle);
    for stored in conversation.events().range(seen..u64::MAX).await? {
        show.update(&Update::Event(stored));
    }
    Ok(end)
}
