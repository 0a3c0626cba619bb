//! The arguments of an editor call: their schema, and how they are read.

use openhands_protocol::tool::{FileEditorAction, FileEditorCommand};
use serde_json::{Map, Value, json};

use crate::arguments::{
    Arguments, InvalidArguments, Read, integer, integer_at_least, list, one_of, text,
};

/// The JSON schema of the arguments.
pub(crate) fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "command": {
                "type": "string",
                "enum": FileEditorCommand::WORDS,
                "description": "What to do: `view`, `create`, `str_replace`, `insert` or `undo_edit`.",
            },
            "path": {
                "type": "string",
                "description": "Absolute path of the file, or for `view` also of a directory.",
            },
            "file_text": {
                "anyOf": [{"type": "string"}, {"type": "null"}],
                "default": null,
                "description": "`create` only, required there: the whole content of the new file.",
            },
            "old_str": {
                "anyOf": [{"type": "string"}, {"type": "null"}],
                "default": null,
                "description": "`str_replace` only, required there: the text to replace, exactly as it is in the file, \
                                with enough lines around it to be the only such place.",
            },
            "new_str": {
                "anyOf": [{"type": "string"}, {"type": "null"}],
                "default": null,
                "description": "Required for `str_replace` (what takes the place of `old_str`; an empty string deletes it) \
                                and for `insert` (the lines to add).",
            },
            "insert_line": {
                "anyOf": [{"type": "integer", "minimum": 0}, {"type": "null"}],
                "default": null,
                "description": "`insert` only, required there: the number of the line after which `new_str` goes. 0 puts it \
                                before the first line.",
            },
            "view_range": {
                "anyOf": [{"type": "array", "items": {"type": "integer"}}, {"type": "null"}],
                "default": null,
                "description": "`view` of a file only: first and last line to show, counted from 1, such as [11, 40]. \
                                A last line of -1 means the end of the file.",
            },
        },
        "required": ["command", "path"],
    })
}

/// The call that `arguments` ask for, or every problem with them.
pub(crate) fn read(arguments: &Map<String, Value>) -> Result<FileEditorAction, InvalidArguments> {
    let mut given = Arguments::new(arguments);
    let action = FileEditorAction {
        command: given.required("command", command),
        path: given.required("path", text),
        file_text: given.optional("file_text", text),
        old_str: given.optional("old_str", text),
        new_str: given.optional("new_str", text),
        insert_line: given.optional("insert_line", integer_at_least(0)),
        view_range: given.optional("view_range", list(integer)),
        ..FileEditorAction::default()
    };
    given.finish()?;
    Ok(action)
}

fn command(value: &Value) -> Read<FileEditorCommand> {
    let word = one_of(FileEditorCommand::WORDS)(value)?;
    // The word is one of the list, so it parses.
    Ok(word.parse().unwrap_or_default())
}
