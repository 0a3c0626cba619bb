//! The recorded calls of the older API.

use openhands_protocol::Form;
use openhands_protocol::server::ErrorBody;
use openhands_protocol::v0::{
    AliveStatus, ConnectionToken, ExecuteActionRequest, ListFilesRequest, McpServerUpdated,
    McpStdioServer, ServerInfo, UploadedFile, V0Observation,
};
use serde_json::Value;

use crate::Tally;
use crate::compare::{Check, exact, request};
use crate::recording::{items, transcripts};

#[test]
fn v0_round_trips() {
    let mut tally = Tally::default();
    for (file, transcript) in &transcripts("v0") {
        for (i, step) in items(transcript, "steps").enumerate() {
            check_step(&format!("{file} steps[{i}]"), step, &mut tally);
        }
    }
    tally.finish(
        305,
        &[
            ("a malformed request that the server refuses", 12),
            ("a zip archive", 2),
            ("an MCP session, not this API", 2),
        ],
    );
}

fn check_step(place: &str, step: &Value, tally: &mut Tally) {
    let path = step["request"]["path"].as_str().unwrap();
    let path = path.split('?').next().unwrap();
    let Some(status) = step["response"]["status"].as_u64() else {
        return tally.leave_out("an MCP session, not this API");
    };
    check_request(place, path, status, &step["request"]["json"], tally);
    let body = &step["response"]["json"];
    let check = match (status, path) {
        (400.., _) => exact::<ErrorBody>(Form::REST),
        (_, "/execute_action") => exact::<V0Observation>(Form::REST),
        (_, "/alive") => exact::<AliveStatus>(Form::REST),
        (_, "/server_info") => exact::<ServerInfo>(Form::REST),
        (_, "/vscode/connection_token") => exact::<ConnectionToken>(Form::PEER),
        (_, "/list_files") => exact::<Vec<String>>(Form::REST),
        (_, "/upload_file") => exact::<UploadedFile>(Form::REST),
        (_, "/update_mcp_server") => exact::<McpServerUpdated>(Form::REST),
        (_, "/download_files") => return tally.leave_out("a zip archive"),
        (_, other) => panic!("{place}: no type for {other}"),
    };
    tally.check(&format!("{place} response"), &check, body);
}

fn check_request(place: &str, path: &str, status: u64, body: &Value, tally: &mut Tally) {
    let check: Check = match path {
        _ if body.is_null() => return,
        "/execute_action" => request::<ExecuteActionRequest>(),
        "/list_files" => request::<ListFilesRequest>(),
        "/update_mcp_server" => request::<Vec<McpStdioServer>>(),
        other => panic!("{place}: no type for the request of {other}"),
    };
    if status >= 400 && check.run(body, &Value::Null).is_err() {
        tally.leave_out("a malformed request that the server refuses");
    } else {
        tally.check(&format!("{place} request"), &check, body);
    }
}
