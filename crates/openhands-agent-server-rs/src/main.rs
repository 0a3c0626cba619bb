//! The agent server's entry point.

use std::io::Write as _;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::Context;
use clap::Parser;
use openhands_agent_server_rs::{
    ActionServerArgs, Cli, Config, Environment, Logs, Program, Settings, Sources, check_browser,
    check_health, edit_files, keep_buffers, list_variables, run_as_first_process, runtime, serve,
    serve_actions, share_heaps,
};
use tokio::signal::unix::{SignalKind, signal};

/// Everything that the environment says is read here, once.
fn main() -> anyhow::Result<ExitCode> {
    if let Some(code) = run_as_first_process()? {
        return Ok(code);
    }
    share_heaps();
    keep_buffers();
    let cli = Cli::parse();
    if cli.list_variables {
        std::io::stdout().write_all(list_variables().as_bytes())?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut environment = Environment::new(std::env::vars_os());
    if let Some(program) = &cli.browser_executable {
        environment.set_browser_executable(program);
    }
    match cli.program {
        Some(Program::ActionServer(arguments)) => return serve_v0(arguments, environment),
        Some(Program::FileEditor(arguments)) => {
            edit_files(&arguments, std::io::stdin().lock(), std::io::stdout())?;
            return Ok(ExitCode::SUCCESS);
        }
        None => {}
    }
    let sources = Sources {
        environment,
        // Paths are kept as they are given: clients are shown them so.
        directory: std::path::PathBuf::new(),
        file: cli.config.clone(),
    };
    let runtime = runtime().context("the async runtime")?;
    if cli.check_browser {
        return runtime.block_on(tell_of_browser(&sources.environment));
    }
    if cli.check_health {
        return runtime.block_on(tell_of_health(cli.port));
    }
    let config = Config::load(&sources)?;
    // Outside of the runtime: what sends traces must not start inside.
    let logs = Logs::start(&config)?;
    for warning in config.warnings.iter().chain(&cli.warnings(&config)) {
        tracing::warn!("{warning}");
    }
    let host = cli.host(&config);
    let unwatched = cli.exit_when_unwatched.map(Duration::from_secs);
    let served = runtime.block_on(serve(config, &host, cli.port, unwatched, stop()));
    // A task that hangs in a blocking call does not hold up the end.
    runtime.shutdown_background();
    logs.finish();
    served.map(|()| ExitCode::SUCCESS)
}

/// Serves the V0 API.
fn serve_v0(arguments: ActionServerArgs, environment: Environment) -> anyhow::Result<ExitCode> {
    let directory = std::env::current_dir().context("the working directory")?;
    let config = Config::of_environment(&environment, &directory);
    let settings = Settings::new(arguments, environment, &directory)?;
    let runtime = tokio::runtime::Runtime::new().context("the async runtime")?;
    let logs = Logs::start(&config)?;
    for warning in &config.warnings {
        tracing::warn!("{warning}");
    }
    let served = runtime.block_on(serve_actions(settings, stop()));
    // A task that hangs in a blocking call does not hold up the end.
    runtime.shutdown_background();
    logs.finish();
    served.map(|()| ExitCode::SUCCESS)
}

/// Says whether a browser works; the exit code says it too.
async fn tell_of_browser(environment: &Environment) -> anyhow::Result<ExitCode> {
    let mut out = std::io::stdout();
    Ok(match check_browser(environment).await {
        Ok(browser) => {
            writeln!(out, "The browser works: {}", browser.display())?;
            ExitCode::SUCCESS
        }
        Err(error) => {
            writeln!(out, "No browser works: {error:#}")?;
            ExitCode::FAILURE
        }
    })
}

/// Says whether a server is well; the exit code says it too. For images without a program that can ask.
async fn tell_of_health(port: u16) -> anyhow::Result<ExitCode> {
    let mut out = std::io::stdout();
    Ok(match check_health(port).await {
        Ok(()) => {
            writeln!(out, "ok")?;
            ExitCode::SUCCESS
        }
        Err(error) => {
            writeln!(out, "{error:#}")?;
            ExitCode::FAILURE
        }
    })
}

/// Resolves when the process is asked to end.
async fn stop() {
    let (Ok(mut terminate), Ok(mut interrupt)) = (
        signal(SignalKind::terminate()),
        signal(SignalKind::interrupt()),
    ) else {
        // Without handlers the signals end the process by themselves.
        return std::future::pending().await;
    };
    tokio::select! {
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
    }
}
