//! What Podman tells and does only when it is asked in its own way, not in Docker's.

use std::path::Path;
use std::time::Duration;

use reqwest::RequestBuilder;
use serde_json::Value;

/// How long Podman may take.
const TIMEOUT: Duration = Duration::from_secs(10);
/// All that is asked for is there since this version.
const API: &str = "http://podman/v4.0.0/libpod";

/// Whether it runs without root. None if it does not say.
pub(super) async fn is_rootless(socket: &Path) -> Option<bool> {
    let asked = client(socket).ok()?.get(format!("{API}/info"));
    let info = answer(asked).await.ok()?;
    let info: Value = serde_json::from_str(&info).ok()?;
    info.pointer("/host/security/rootless")?.as_bool()
}

/// Changes the resources of a container that runs.
pub(super) async fn update(socket: &Path, id: &str, resources: &Value) -> Result<(), String> {
    let asked = client(socket)?.post(format!("{API}/containers/{id}/update"));
    answer(asked.json(resources)).await.map(drop)
}

fn client(socket: &Path) -> Result<reqwest::Client, String> {
    let client = reqwest::Client::builder().unix_socket(socket).no_proxy();
    client.build().map_err(|error| error.to_string())
}

async fn answer(asked: RequestBuilder) -> Result<String, String> {
    let answer = asked.timeout(TIMEOUT).send().await;
    let answer = answer.map_err(|error| error.to_string())?;
    let status = answer.status();
    let text = answer.text().await.map_err(|error| error.to_string())?;
    if status.is_success() {
        Ok(text)
    } else {
        Err(format!("{status}: {}", text.trim()))
    }
}

#[cfg(test)]
#[path = "podman_tests.rs"]
mod tests;
