//! `meta.json`: reading those of all conversations at the start, and saving one.

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use openhands_protocol::conversation::{ExecutionStatus, StoredConversation};
use openhands_protocol::{ConversationId, Form, Reading};
use openhands_sdk_rs::Host;
use openhands_sdk_rs::conversation::status_when_killed;
use openhands_sdk_rs::secrets::Cipher;
use serde::Deserialize;

use crate::services::conversations::{Entry, RefusedRequest};

const META: &str = "meta.json";
const STATE: &str = "base_state.json";

/// All conversations in a directory. One that cannot be read is logged and left out.
pub(super) async fn read_all(
    directory: &Path,
    cipher: Option<&Cipher>,
) -> anyhow::Result<HashMap<ConversationId, Arc<Entry>>> {
    let directory = directory.to_owned();
    let reading = match cipher {
        Some(cipher) => Reading::lenient().opening(cipher.opener()),
        None => Reading::lenient(),
    };
    let read = tokio::task::spawn_blocking(move || {
        std::fs::create_dir_all(&directory)?;
        let mut found = HashMap::new();
        for conversation in std::fs::read_dir(&directory)? {
            let path = conversation?.path();
            match read(&path, &reading) {
                Ok(Some(entry)) => {
                    found.insert(entry.id(), entry);
                }
                Ok(None) => {}
                Err(error) => {
                    tracing::warn!(directory = %path.display(), %error, "a conversation cannot be read and is left out");
                }
            }
        }
        Ok::<_, io::Error>(found)
    });
    Ok(read.await??)
}

/// One conversation; none if the directory is something else.
fn read(directory: &Path, reading: &Reading) -> io::Result<Option<Arc<Entry>>> {
    let meta = match std::fs::read(directory.join(META)) {
        Ok(meta) => meta,
        Err(error) if is_absent(&error) => return Ok(None),
        Err(error) => return Err(error),
    };
    let meta: StoredConversation = reading.from_slice(&meta)?;
    let saved = match std::fs::read(directory.join(STATE)) {
        Ok(state) => serde_json::from_slice::<Status>(&state)?.execution_status,
        Err(error) if is_absent(&error) => ExecutionStatus::Idle,
        Err(error) => return Err(error),
    };
    let status = status_when_killed(directory).unwrap_or(saved);
    Ok(Some(Entry::new(meta, status)))
}

fn is_absent(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}

/// The one member of the state that the catalog needs.
#[derive(Debug, Deserialize)]
struct Status {
    #[serde(default)]
    execution_status: ExecutionStatus,
}

/// Writes `meta.json`, so that it is there whole or as it was.
pub(super) async fn save(host: &Host, meta: &StoredConversation) -> Result<(), RefusedRequest> {
    let form = match &host.cipher {
        Some(cipher) => Form::meta(cipher.sealer()),
        None => Form::META_UNSEALED,
    };
    let text = form
        .to_vec(meta)
        .map_err(|error| RefusedRequest::Files(error.into()))?;
    let Some(directory) = directory(host, meta.id.into()) else {
        return Ok(());
    };
    let written = tokio::task::spawn_blocking(move || write(&directory, &text)).await;
    written
        .map_err(io::Error::other)
        .and_then(|written| written)
        .map_err(RefusedRequest::Files)
}

/// The directory of a conversation.
pub(super) fn directory(host: &Host, id: ConversationId) -> Option<PathBuf> {
    Some(host.directory.as_ref()?.join(id.hex()))
}

fn write(directory: &Path, text: &[u8]) -> io::Result<()> {
    use std::io::Write as _;
    // Made by the standard library's rules for such files: only the owner may read it.
    let mut file = tempfile::Builder::new()
        .prefix(".meta-")
        .suffix(".tmp")
        .tempfile_in(directory)?;
    file.write_all(text)?;
    file.as_file().sync_data()?;
    file.persist(directory.join(META))?;
    Ok(())
}
