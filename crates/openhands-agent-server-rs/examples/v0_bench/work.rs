//! The requests that are timed.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};
use reqwest::multipart::{Form, Part};
use serde_json::{Value, json};

use crate::server::Server;

/// The size of a transfer.
const TRANSFER_BYTES: usize = 20_000_000;

/// One kind of request.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Work {
    Run,
    Read,
    Edit,
    Upload,
    Download,
    Cell,
    /// A cell whose output may be lost on the way, as it often is by the Python server.
    LossyCell,
}

impl Work {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Run => "`run` of `true`",
            Self::Read => "`read` of a small file",
            Self::Edit => "`edit`, a str_replace in a small file",
            Self::Upload => "upload of 20 MB",
            Self::Download => "download of 20 MB",
            Self::Cell | Self::LossyCell => "`run_ipython` of `1`",
        }
    }
}

impl Server {
    /// Does it once. What must be there first is made before the clock starts; a wrong answer is an error.
    pub(crate) async fn measure(&self, work: Work) -> anyhow::Result<Duration> {
        let workspace = self.workspace();
        let small = workspace.join("small.txt");
        match work {
            Work::Run => {
                self.act("run", json!({"command": "true"}), |said| {
                    said["success"] == true
                })
                .await
            }
            Work::Read => {
                std::fs::write(&small, "one\ntwo\nthree\n")?;
                let is_right = |said: &Value| said["content"] == "one\ntwo\nthree\n";
                self.act("read", json!({"path": small}), is_right).await
            }
            Work::Edit => {
                std::fs::write(&small, "one\ntwo\nthree\n")?;
                let edit = json!({"path": small, "command": "str_replace", "old_str": "two", "new_str": "2"});
                self.act("edit", edit, |said| {
                    said["observation"] == "edit"
                        && said.pointer("/extras/diff").is_some_and(|diff| diff != "")
                })
                .await
            }
            Work::Cell | Work::LossyCell => {
                let lossy = matches!(work, Work::LossyCell);
                let is_right = |said: &Value| {
                    said["content"] == "1" || lossy && said["observation"] == "run_ipython"
                };
                self.act(
                    "run_ipython",
                    json!({"code": "1", "include_extra": false}),
                    is_right,
                )
                .await
            }
            Work::Upload => self.upload(&workspace).await,
            Work::Download => self.download(&workspace).await,
        }
    }

    async fn act(
        &self,
        action: &str,
        args: Value,
        is_right: impl Fn(&Value) -> bool,
    ) -> anyhow::Result<Duration> {
        let body = json!({"action": {"action": action, "args": args}});
        let began = Instant::now();
        let answer = self
            .client
            .post(format!("{}/execute_action", self.url))
            .json(&body)
            .send()
            .await?;
        let status = answer.status();
        let body = answer.bytes().await?;
        let took = began.elapsed();
        let said: Value = serde_json::from_slice(&body)
            .with_context(|| format!("{action} was answered with {status}"))?;
        ensure!(
            status == 200 && is_right(&said),
            "{action} was answered with {status}: {said}"
        );
        Ok(took)
    }

    async fn upload(&self, workspace: &Path) -> anyhow::Result<Duration> {
        let part = Part::bytes(content()).file_name("upload.bin");
        let url = format!("{}/upload_file", self.url);
        let destination = workspace.join("uploads");
        let request = self
            .client
            .post(url)
            .query(&[("destination", &destination)]);
        let began = Instant::now();
        let answer = request
            .multipart(Form::new().part("file", part))
            .send()
            .await?
            .error_for_status()?;
        answer.bytes().await?;
        let took = began.elapsed();
        let size = std::fs::metadata(destination.join("upload.bin"))?.len();
        ensure!(
            usize::try_from(size)? == TRANSFER_BYTES,
            "{size} bytes arrived"
        );
        Ok(took)
    }

    async fn download(&self, workspace: &Path) -> anyhow::Result<Duration> {
        let directory = workspace.join("downloads");
        if !directory.exists() {
            std::fs::create_dir(&directory)?;
            std::fs::write(directory.join("download.bin"), content())?;
        }
        let request = self
            .client
            .get(format!("{}/download_files", self.url))
            .query(&[("path", &directory)]);
        let began = Instant::now();
        let mut answer = request.send().await?.error_for_status()?;
        let mut size = 0;
        while let Some(chunk) = answer.chunk().await? {
            size += chunk.len();
        }
        let took = began.elapsed();
        ensure!(size >= TRANSFER_BYTES, "{size} bytes arrived");
        Ok(took)
    }
}

/// Bytes without order, the same each time (an xorshift).
fn content() -> Vec<u8> {
    let mut state = 0x2545_F491_4F6C_DD1D_u64;
    std::iter::repeat_with(|| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.to_le_bytes()
    })
    .flatten()
    .take(TRANSFER_BYTES)
    .collect()
}
