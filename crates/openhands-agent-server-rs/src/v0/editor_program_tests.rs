use super::*;
use pretty_assertions::assert_eq;

/// The answers to these requests, from one editor.
fn answers(requests: &[Value]) -> Vec<Value> {
    let text: String = requests
        .iter()
        .flat_map(|request| [request.to_string(), "\n".to_owned()])
        .collect();
    let args = FileEditorArgs {
        working_dir: "/".into(),
    };
    let mut written = Vec::new();
    edit_files(&args, text.as_bytes(), &mut written).unwrap();
    let text = String::from_utf8(written).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn files_are_made_changed_shown_and_changed_back() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.txt");
    let path = path.to_str().unwrap();
    let given = answers(&[
        json!({"command": "create", "path": path, "file_text": "one\ntwo\n"}),
        json!({"command": "str_replace", "path": path, "old_str": "two", "new_str": "2"}),
        json!({"command": "undo_edit", "path": path}),
        json!({"command": "view", "path": path, "view_range": [1, 1]}),
    ]);
    assert_eq!(
        given[0],
        json!({
            "output": format!("File created successfully at: {path}"), "error": null, "path": path,
            "prev_exist": false, "old_content": null, "new_content": "one\ntwo\n",
        })
    );
    assert_eq!(given[1]["old_content"], "one\ntwo\n");
    assert_eq!(given[1]["new_content"], "one\n2\n");
    assert_eq!(given[2]["new_content"], "one\ntwo\n");
    let shown = format!("Here's the result of running `cat -n` on {path}:\n     1\tone\n");
    assert_eq!(given[3]["output"], shown);
}

#[test]
fn what_cannot_be_done_is_an_error_and_the_next_request_works() {
    let given = answers(&[
        json!({"command": "view", "path": "/does/not/exist"}),
        json!({"command": "fly", "path": "/etc/passwd"}),
        json!({"command": "view", "path": "/etc/passwd", "view_range": ["a", 2]}),
        json!({"command": "insert", "path": "/etc/passwd", "insert_line": "two", "new_str": "x"}),
        json!({"path": "/etc/passwd"}),
        json!(7),
        json!({"command": "view", "path": "/etc/hostname"}),
    ]);
    let error = |at: usize| given[at]["error"].as_str().unwrap_or_default().to_owned();
    assert!(error(0).starts_with("Invalid `path` parameter: /does/not/exist."));
    assert!(
        error(1).starts_with("Unrecognized command fly."),
        "{}",
        error(1)
    );
    assert_eq!(
        error(2),
        "Invalid `view_range` parameter: ['a', 2]. It should be a list of two integers."
    );
    assert_eq!(
        error(3),
        "Invalid insert_line value: 'two'. Expected an integer."
    );
    assert!(error(4).contains("missing field"), "{}", error(4));
    assert!(!error(5).is_empty());
    assert_eq!(given[6]["error"], Value::Null, "{}", given[6]);
}
