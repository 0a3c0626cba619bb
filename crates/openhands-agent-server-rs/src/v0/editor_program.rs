//! `file-editor`: the file editor as a program of its own, for the functions that cells call. A request a line, an answer a line.

use std::io::{BufRead, Read as _, Write};
use std::path::PathBuf;

use clap::Args;
use openhands_sdk_rs::tools::file_editor::{Dialect, FileEditor, Request};
use serde::Deserialize;
use serde_json::{Value, json};

use super::actions::edit::{COMMANDS, line, unknown_command};

/// No file that is edited comes near this.
const MAX_REQUEST_BYTES: u64 = 64 << 20;

/// Edits files as it is told on its standard input: a JSON object a line, with a JSON object as its answer. Cells of
/// IPython use it.
#[derive(Debug, Clone, Args)]
pub struct FileEditorArgs {
    /// Where a relative path is looked for when an absolute one is suggested.
    #[arg(long, value_name = "DIR")]
    pub working_dir: PathBuf,
}

#[derive(Debug, Deserialize)]
struct Asked {
    command: String,
    path: String,
    file_text: Option<String>,
    view_range: Option<Vec<Value>>,
    old_str: Option<String>,
    new_str: Option<String>,
    #[serde(default)]
    insert_line: Value,
}

/// Answers requests until there are no more.
pub fn edit_files(
    args: &FileEditorArgs,
    mut requests: impl BufRead,
    mut answers: impl Write,
) -> std::io::Result<()> {
    let editor = FileEditor::new(&args.working_dir).with_dialect(Dialect::V0);
    loop {
        let mut request = Vec::new();
        let mut bounded = requests.by_ref().take(MAX_REQUEST_BYTES);
        if bounded.read_until(b'\n', &mut request)? == 0 {
            return Ok(());
        }
        let answer = answer(&editor, &request)
            .unwrap_or_else(|error| json!({"output": null, "error": error}));
        writeln!(answers, "{answer}")?;
        answers.flush()?;
    }
}

/// What came of a request, in the fields of the reference's result.
fn answer(editor: &FileEditor, request: &[u8]) -> Result<Value, String> {
    let asked: Asked = serde_json::from_slice(request).map_err(|error| error.to_string())?;
    let Some((_, command)) = COMMANDS.iter().find(|(name, _)| *name == asked.command) else {
        return Err(unknown_command(editor, &asked.path, &asked.command));
    };
    let mut request = Request::new(*command, asked.path);
    request.file_text = asked.file_text;
    request.view_range = asked.view_range.as_deref().map(lines).transpose()?;
    request.old_str = asked.old_str;
    request.new_str = match asked.new_str {
        None if asked.command == "str_replace" => Some(String::new()),
        given => given,
    };
    request.insert_line = line(&asked.insert_line)?;
    let done = editor.run(&request).map_err(|error| error.to_string())?;
    Ok(json!({
        "output": done.text,
        "error": null,
        "path": done.path,
        "prev_exist": done.existed,
        "old_content": done.old_content,
        "new_content": done.new_content,
    }))
}

/// The ends of a range; whether they fit the file is for the editor to say.
fn lines(range: &[Value]) -> Result<Vec<i64>, String> {
    let numbers: Option<Vec<i64>> = range.iter().map(Value::as_i64).collect();
    numbers.ok_or_else(|| {
        let shown = Value::from(range.to_vec());
        format!(
            "Invalid `view_range` parameter: {}. It should be a list of two integers.",
            openhands_sdk_rs::tools::python_repr::value(&shown)
        )
    })
}

#[cfg(test)]
#[path = "editor_program_tests.rs"]
mod tests;
