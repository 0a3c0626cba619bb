//! The files and programs of the machine of an inner server.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use bytes::Bytes;
use futures_util::future::BoxFuture;
use serde::de::DeserializeOwned;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::http::Reply;
use super::line::{Call, Line, Unanswered, raw};
use crate::hands::{
    EXEC, EntryWire, ExecParams, ExecWire, FileError, LIST, ListParams, READ, ReadParams, ReadWire,
    WRITE, WriteParams,
};
use crate::workspace::{Entry, Exec, ExecOutput, Workspace, WorkspaceError};

/// A part of a file that is sent at once: as text it is far below the largest body.
const PART_BYTES: usize = 8 << 20;

/// The files and programs of the machine of an inner server.
#[derive(Debug)]
pub struct RemoteWorkspace {
    root: PathBuf,
    line: Arc<Line>,
}

impl RemoteWorkspace {
    pub(super) fn new(root: PathBuf, line: Arc<Line>) -> Self {
        Self { root, line }
    }

    async fn send(&self, path: &Path, content: &Bytes) -> Result<(), WorkspaceError> {
        let upload = Uuid::new_v4().to_string();
        let mut offset = 0;
        loop {
            let end = content.len().min(offset + PART_BYTES);
            let params = WriteParams {
                path: path.to_owned(),
                upload: upload.clone(),
                offset,
                is_last: end == content.len(),
                content: content.slice(offset..end).into(),
            };
            done::<()>(self.line.ask(WRITE, &params).await)?;
            if params.is_last {
                return Ok(());
            }
            offset = end;
        }
    }

    async fn run(
        &self,
        exec: Exec,
        cancel: CancellationToken,
    ) -> Result<ExecOutput, WorkspaceError> {
        let params = raw(&ExecParams::from(exec)).map_err(unreachable)?;
        let reply = self.line.call(EXEC, &params, Call::new(), &cancel).await;
        done::<ExecWire>(reply).map(Into::into)
    }
}

fn unreachable(Unanswered(why): Unanswered) -> WorkspaceError {
    WorkspaceError::Unreachable(why)
}

/// What was asked for, or why it could not be done.
fn done<T: DeserializeOwned>(reply: Result<Reply, Unanswered>) -> Result<T, WorkspaceError> {
    let reply = reply.map_err(unreachable)?;
    let nonsense = || WorkspaceError::Unreachable("its answer cannot be read".to_owned());
    if reply.fault.is_some() {
        let error = reply
            .structured
            .and_then(|error| serde_json::from_str::<FileError>(error.get()).ok());
        return Err(match error {
            Some(error) => error.into(),
            None => WorkspaceError::Unreachable(reply.text),
        });
    }
    // Nothing is an answer, too.
    let answer = reply
        .structured
        .as_ref()
        .map_or("null", |answer| answer.get());
    serde_json::from_str(answer).map_err(|_| nonsense())
}

impl Workspace for RemoteWorkspace {
    fn root(&self) -> &Path {
        &self.root
    }

    fn read<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<Bytes, WorkspaceError>> {
        Box::pin(async move {
            let params = ReadParams {
                path: path.to_owned(),
            };
            let file = done::<ReadWire>(self.line.ask(READ, &params).await)?;
            Ok(Bytes::from(file.content))
        })
    }

    fn write<'a>(
        &'a self,
        path: &'a Path,
        content: Bytes,
    ) -> BoxFuture<'a, Result<(), WorkspaceError>> {
        Box::pin(async move { self.send(path, &content).await })
    }

    fn list<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<Vec<Entry>, WorkspaceError>> {
        Box::pin(async move {
            let params = ListParams {
                path: path.to_owned(),
            };
            let entries = done::<Vec<EntryWire>>(self.line.ask(LIST, &params).await)?;
            Ok(entries.into_iter().map(Into::into).collect())
        })
    }

    fn exec(
        &self,
        exec: Exec,
        cancel: CancellationToken,
    ) -> BoxFuture<'_, Result<ExecOutput, WorkspaceError>> {
        Box::pin(self.run(exec, cancel))
    }
}
