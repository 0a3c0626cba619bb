//! `run`: a command, input or a key in the shell.

use std::path::Path;
use std::time::Duration;

use openhands_protocol::tool::CmdOutputMetadata;
use openhands_protocol::v0::{RunAction, RunExtras, RunObservation, V0Observation};
use openhands_sdk_rs::process::{Completed, Key, Output};
use openhands_sdk_rs::tools::OutputSink;
use openhands_sdk_rs::tools::terminal::{Answer, Call, End, Ran, texts};

use crate::v0::execute_action::error;
use crate::v0::sandbox::Sandbox;
use crate::v0::shell::SandboxShell;

/// The name that models know the terminal by.
const TOOL: &str = "execute_bash";
/// Characters of output that are shown from its start, and from its end.
const HALF_OF_SHOWN: usize = 15_000;
const CUT: &str = "\n[... Observation truncated due to length ...]\n";

/// Runs a command.
pub(in crate::v0) async fn run(
    sandbox: &Sandbox,
    action: &RunAction,
    output: &OutputSink,
) -> V0Observation {
    if !action.args.is_static {
        return in_shell(sandbox, &sandbox.shell, action, output).await;
    }
    let directory = action.args.cwd.as_deref().map(Path::new);
    let directory = directory.unwrap_or(&sandbox.settings.working_dir);
    match SandboxShell::start(&sandbox.settings, directory).await {
        Ok(fresh) => {
            let observation = in_shell(sandbox, &fresh, action, output).await;
            fresh.terminal.close().await;
            observation
        }
        Err(failed) => error(format!("{failed:#}")),
    }
}

async fn in_shell(
    sandbox: &Sandbox,
    shell: &SandboxShell,
    action: &RunAction,
    output: &OutputSink,
) -> V0Observation {
    let command = action.args.command.trim();
    // compat: a limit of nothing is no limit.
    let timeout = action
        .timeout
        .value()
        .copied()
        .filter(|seconds| *seconds != 0.0);
    let call = Call {
        command,
        key: texts::special_key(command).and_then(|_| Key::parse(command)),
        is_input: action.args.is_input,
        silence: (!action.args.blocking).then_some(sandbox.settings.no_change_timeout),
        time: timeout.map(duration),
        environment: &[],
        cancel: &sandbox.stop,
        output,
    };
    let answer = match shell.terminal.call(&call).await {
        Ok(answer) => answer,
        Err(failed) => return error(format!("{:#}", anyhow::Error::new(failed))),
    };
    let (command, content, metadata) = match answer {
        Answer::NothingToShow => nothing(texts::NO_LOGS),
        Answer::NothingToFeed => nothing(texts::NO_INPUT),
        Answer::Several(commands) => {
            return error(format!("ERROR: {}", texts::several_commands(&commands)));
        }
        Answer::Ran(ran) => {
            let (text, mut metadata) = tell(sandbox, shell, command, timeout, &ran);
            if let Some(exit_code) = ran.replaced {
                let note = texts::shell_was_replaced(exit_code);
                metadata.prefix.insert_str(0, &note);
            }
            (command.to_owned(), text, metadata)
        }
    };
    V0Observation::Run(RunObservation {
        message: format!(
            "Command `{command}` executed with exit code {}.",
            metadata.exit_code
        ),
        content: if action.args.hidden {
            content
        } else {
            shortened(content)
        },
        success: Some(metadata.exit_code == 0),
        extras: RunExtras {
            command,
            metadata,
            hidden: action.args.hidden,
            ..RunExtras::default()
        },
        ..RunObservation::default()
    })
}

/// A limit in seconds, as long as it may be.
fn duration(seconds: f64) -> Duration {
    if seconds < 0.0 {
        return Duration::ZERO;
    }
    Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX / 4)
}

/// The answer when no command runs.
fn nothing(text: &str) -> (String, String, CmdOutputMetadata) {
    let text = format!("ERROR: {text}");
    (String::new(), text, CmdOutputMetadata::default())
}

/// What is shown of a command that has ended or runs.
fn tell(
    sandbox: &Sandbox,
    shell: &SandboxShell,
    command: &str,
    timeout: Option<f64>,
    ran: &Ran,
) -> (String, CmdOutputMetadata) {
    let text = ran.text();
    let mut metadata = CmdOutputMetadata::default();
    if ran.output.earlier > 0 {
        texts::CONTINUED.clone_into(&mut metadata.prefix);
    }
    metadata.suffix = match &ran.end {
        End::Completed(completed) => {
            return complete(shell, command, completed, &ran.output, &text);
        }
        End::Silent => texts::silent(sandbox.settings.no_change_timeout.as_secs(), TOOL),
        End::TimedOut => texts::timed_out(timeout.unwrap_or_default(), TOOL),
        End::Refused => texts::refused(command, TOOL),
    };
    (text.trim().to_owned(), metadata)
}

/// What is shown of a command that has ended.
fn complete(
    shell: &SandboxShell,
    command: &str,
    completed: &Completed,
    output: &Output,
    text: &str,
) -> (String, CmdOutputMetadata) {
    let mut shown = text.trim();
    let mut prefix = String::new();
    if output.earlier == 0 {
        let (visible, lost) = shell.terminal.visible(shown);
        if lost || output.cleared {
            // compat: the empty line before the prompt is counted too.
            prefix = texts::lines_lost(visible.lines().count() + 1);
        }
        shown = visible;
    }
    let metadata = CmdOutputMetadata {
        exit_code: completed.exit_code,
        pid: completed.last_background.unwrap_or(-1),
        username: shell.username.clone(),
        hostname: Some(shell.terminal.hostname().to_owned()),
        working_dir: Some(completed.directory.display().to_string()),
        py_interpreter_path: Some(completed.python.clone()),
        prefix,
        suffix: if completed.restarted {
            texts::shell_ended(command, completed.exit_code)
        } else {
            texts::completed(command, completed.exit_code)
        },
        ..CmdOutputMetadata::default()
    };
    (shown.to_owned(), metadata)
}

/// The start and the end of what is too long.
fn shortened(text: String) -> String {
    let characters = text.chars().count();
    if characters <= 2 * HALF_OF_SHOWN {
        return text;
    }
    let at = |character: usize| text.char_indices().nth(character).map(|(at, _)| at);
    let (Some(head), Some(tail)) = (at(HALF_OF_SHOWN), at(characters - HALF_OF_SHOWN)) else {
        return text;
    };
    let (head, tail) = (text.get(..head), text.get(tail..));
    [head.unwrap_or_default(), CUT, tail.unwrap_or_default()].concat()
}
