//! A program in a container whose input and output are held from here.

use bollard::container::LogOutput;
use bollard::exec::{CreateExecOptions, StartExecResults};
use futures_util::StreamExt as _;
use tokio::io::AsyncWriteExt as _;
use tokio_util::task::AbortOnDropHandle;

use super::error::DockerError;
use super::sandbox::DockerSandbox;
use crate::runtime::{Attached, PIPE_BYTES};
use crate::workspace::Exec;

impl DockerSandbox {
    /// Starts a program in the container. It is told of its end by the end of its input.
    pub async fn attach(&self, program: Exec) -> Result<Attached, DockerError> {
        let name = program.argv.first().cloned().unwrap_or_default();
        let failed = |source| DockerError::Engine {
            action: "running a program in the container",
            source,
        };
        let env = program
            .env
            .iter()
            .filter_map(|(name, value)| Some(format!("{name}={}", value.expose()?)));
        let options = CreateExecOptions {
            attach_stdin: Some(true),
            attach_stdout: Some(true),
            attach_stderr: Some(true),
            env: Some(env.collect()),
            cmd: Some(program.argv),
            working_dir: program.cwd.map(|cwd| cwd.to_string_lossy().into_owned()),
            ..CreateExecOptions::default()
        };
        let engine = self.docker().engine();
        let made = engine
            .create_exec(self.id(), options)
            .await
            .map_err(failed)?;
        let started = engine.start_exec(&made.id, None).await.map_err(failed)?;
        let StartExecResults::Attached {
            mut output,
            mut input,
        } = started
        else {
            return Err(DockerError::Settings(format!("{name} runs without pipes")));
        };
        let (stdin, mut to_send) = tokio::io::duplex(PIPE_BYTES);
        let (mut heard, stdout) = tokio::io::duplex(PIPE_BYTES);
        let send = tokio::spawn(async move {
            // Ends with either side; then the program reads the end of its input.
            let _ = tokio::io::copy(&mut to_send, &mut input).await;
            let _ = input.shutdown().await;
        });
        let hear = tokio::spawn(async move {
            while let Some(Ok(part)) = output.next().await {
                match part {
                    LogOutput::StdErr { message } => {
                        let said = String::from_utf8_lossy(&message);
                        tracing::debug!(target: "openhands::sandbox", program = name, "{}", said.trim_end());
                    }
                    LogOutput::StdOut { message } | LogOutput::Console { message } => {
                        if heard.write_all(&message).await.is_err() {
                            return;
                        }
                    }
                    LogOutput::StdIn { .. } => {}
                }
            }
        });
        Ok(Attached {
            stdin,
            stdout,
            // What is on its way in still arrives, and after it the end.
            guard: Box::new((send, AbortOnDropHandle::new(hear))),
        })
    }
}
