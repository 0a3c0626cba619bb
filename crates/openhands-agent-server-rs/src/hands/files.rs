//! The reserved tools: what an outer server needs beside calls of tools.

use std::sync::Arc;

use bytes::Bytes;
use openhands_sdk_rs::runtime::hands::{
    self, CancelParams, EntryWire, ExecParams, ExecWire, Fault, FileError, Hello, ListParams,
    ReadParams, ReadWire, WriteParams,
};
use openhands_sdk_rs::runtime::{Workspace as _, WorkspaceError};
use rmcp::model::{CallToolResult, ErrorData};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::bench::Bench;
use super::calls::Call;
use super::{Hands, Owner, result};

impl Hands {
    /// A reserved tool that is about calls and tools, if it is one.
    pub(super) async fn control(
        &self,
        owner: Owner,
        tool: &str,
        arguments: &Map<String, Value>,
    ) -> Result<Option<CallToolResult>, ErrorData> {
        Ok(Some(match tool {
            hands::HELLO => result::plain(&Hello {
                instance: self.instance.clone(),
                tools: self.names().map(str::to_owned).collect(),
            }),
            hands::CANCEL => {
                let params: CancelParams = read(arguments.clone())?;
                let call = self.calls.cancel(owner, &params.call, &self.stop);
                call.ended().await;
                result::plain(&())
            }
            hands::CLOSE => {
                self.close(owner).await;
                result::plain(&())
            }
            _ => return Ok(None),
        }))
    }

    /// A reserved tool that is about files, and may be asked for twice.
    pub(super) async fn file_work(
        &self,
        owner: Owner,
        bench: &Bench,
        tool: &str,
        arguments: Map<String, Value>,
    ) -> Result<CallToolResult, ErrorData> {
        let workspace = &bench.workspace;
        Ok(match tool {
            hands::READ => {
                let params: ReadParams = read(arguments)?;
                let content = workspace.read(&params.path).await;
                answered(content.map(|content| ReadWire {
                    content: content.into(),
                }))
            }
            hands::WRITE => {
                let params: WriteParams = read(arguments)?;
                let path = params.path.clone();
                answered(match self.uploads.take(owner, params) {
                    Ok(Some(content)) => workspace.write(&path, Bytes::from(content)).await,
                    Ok(None) => Ok(()),
                    Err(error) => Err(error),
                })
            }
            hands::LIST => {
                let params: ListParams = read(arguments)?;
                let entries = workspace.list(&params.path).await;
                answered(entries.map(|entries| {
                    let wire = entries.into_iter().map(EntryWire::from);
                    wire.collect::<Vec<_>>()
                }))
            }
            unknown => {
                let unknown = format!("Unknown tool: {unknown}");
                return Err(ErrorData::invalid_params(unknown, None));
            }
        })
    }
}

/// Runs a program.
pub(super) async fn exec(bench: Arc<Bench>, params: ExecParams, call: Arc<Call>) -> CallToolResult {
    let output = bench
        .workspace
        .exec(params.into(), call.cancel.clone())
        .await;
    answered(output.map(ExecWire::from))
}

/// The arguments of a reserved tool.
pub(super) fn read<T: DeserializeOwned>(arguments: Map<String, Value>) -> Result<T, ErrorData> {
    serde_json::from_value(Value::Object(arguments))
        .map_err(|error| ErrorData::invalid_params(error.to_string(), None))
}

fn answered<T: Serialize>(answer: Result<T, WorkspaceError>) -> CallToolResult {
    match answer {
        Ok(answer) => result::plain(&answer),
        Err(error) => {
            let mut refused = result::fault(Fault::File, error.to_string());
            refused.structured_content = serde_json::to_value(FileError::from(&error)).ok();
            refused
        }
    }
}
