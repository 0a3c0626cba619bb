use std::fs;

use openhands_protocol::tool::{Observation, Tool};
use openhands_protocol::{ConversationId, ToolCallId};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::executor::CallContext;
use crate::registry::{Machine, Place, Registry};

/// Runs one call in the workspace `root`.
async fn call(root: &std::path::Path, tool: &str, arguments: Value) -> Observation {
    let place = Place {
        working_dir: root.to_path_buf(),
        persistence_dir: None,
    };
    let registry = Registry::standard();
    let wanted = [Tool::new(tool)];
    let definitions = registry.definitions(&wanted, &place).unwrap();
    let machine = Machine {
        place,
        ..Machine::default()
    };
    let tools = registry.executors(&wanted, &machine).unwrap();
    let definition = definitions.get(tool).unwrap();
    let action = definition.decode(arguments.as_object().unwrap()).unwrap();
    let context = CallContext::detached(ToolCallId::new("t"), ConversationId::random());
    tools.execute(tool, action, context).await.unwrap()
}

fn workspace() -> (tempfile::TempDir, std::path::PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let root = fs::canonicalize(dir.path()).unwrap();
    (dir, root)
}

#[tokio::test]
async fn an_edit_keeps_line_ends_encoding_and_links() {
    let (_dir, root) = workspace();
    fs::write(root.join("a.txt"), b"caf\xE9 x\r\nd\xE9j\xE0 x\r\n").unwrap();
    std::os::unix::fs::symlink("a.txt", root.join("link")).unwrap();
    let arguments = json!({"file_path": "link", "old_string": "x", "new_string": "y\nz", "expected_replacements": 2});
    let done = call(&root, "edit", arguments).await;
    assert_eq!(
        done.text(),
        format!(
            "Successfully edited {}/a.txt (2 replacement(s))",
            root.display()
        )
    );
    assert_eq!(
        fs::read(root.join("a.txt")).unwrap(),
        b"caf\xE9 y\r\nz\r\nd\xE9j\xE0 y\r\nz\r\n"
    );
    assert!(root.join("link").is_symlink());
}

#[tokio::test]
async fn edit_refuses_in_the_order_of_the_contract() {
    let (_dir, root) = workspace();
    fs::write(root.join("a.txt"), "a\r\nb\r\n").unwrap();
    fs::write(root.join("b.bin"), b"\0\x01\x02").unwrap();
    let shown = root.display().to_string();
    for (file, old, new, text) in [
        ("no.txt", "a", "a", format!("Error: File not found: {shown}/no.txt. To create a new file, use old_string=''.")),
        ("a.txt", "a", "a", "Error: No changes to apply. old_string and new_string are identical.".to_owned()),
        ("a.txt", "q", "r", format!("Error: Could not find the string to replace. 0 occurrences found in {shown}/a.txt. Use read_file to verify the exact text.")),
        ("a.txt", "a\r\nb", "a\nb", "Error: No changes made. The new content is identical to the current content.".to_owned()),
        ("b.bin", "a", "b", "Error editing file: File appears to be binary and this file type cannot be read or edited by this tool.".to_owned()),
    ] {
        let arguments = json!({"file_path": file, "old_string": old, "new_string": new});
        let refused = call(&root, "edit", arguments).await;
        assert!(refused.is_error());
        assert_eq!(refused.text(), text, "{file} {old}");
    }
}

#[tokio::test]
async fn writing_makes_directories_and_keeps_the_mode() {
    use std::os::unix::fs::PermissionsExt;
    let (_dir, root) = workspace();
    let done = call(
        &root,
        "write_file",
        json!({"file_path": "a/b/c.sh", "content": "one"}),
    )
    .await;
    assert!(!done.is_error(), "{}", done.text());
    let file = root.join("a/b/c.sh");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o711)).unwrap();
    call(
        &root,
        "write_file",
        json!({"file_path": file, "content": "two"}),
    )
    .await;
    assert_eq!(fs::read_to_string(&file).unwrap(), "two");
    assert_eq!(
        fs::metadata(&file).unwrap().permissions().mode() & 0o777,
        0o711
    );
    let blocked = call(
        &root,
        "write_file",
        json!({"file_path": "a/b/c.sh/d", "content": "x"}),
    )
    .await;
    assert!(
        blocked.is_error() && blocked.text().starts_with("Error writing file: "),
        "{}",
        blocked.text()
    );
}

#[tokio::test]
async fn a_listing_tells_the_model_what_is_there_and_stops_at_the_limit() {
    let (_dir, root) = workspace();
    for number in 0..501 {
        fs::write(root.join(format!("f{number:03}")), "x").unwrap();
    }
    let Observation::ListDirectory(listed) = call(&root, "list_directory", json!({})).await else {
        panic!("another observation");
    };
    assert_eq!(
        (
            listed.total_count,
            listed.is_truncated,
            listed.entries.len()
        ),
        (500, true, 500)
    );
    let text = openhands_protocol::message::Content::join_text(&listed.content);
    let start = format!(
        "Listed directory: {} (500 entries, truncated to 500)\nf000 (1 bytes)\n",
        root.display()
    );
    assert!(text.starts_with(&start), "{text}");
    fs::remove_file(root.join("f500")).unwrap();
    let Observation::ListDirectory(listed) = call(&root, "list_directory", json!({})).await else {
        panic!("another observation");
    };
    assert_eq!((listed.total_count, listed.is_truncated), (500, false));
    let missing = call(&root, "list_directory", json!({"dir_path": "nope"})).await;
    assert_eq!(
        missing.text(),
        format!("Error: Directory not found: {}/nope", root.display())
    );
}

#[tokio::test]
async fn links_to_directories_are_listed_and_not_entered() {
    let (_dir, root) = workspace();
    fs::create_dir(root.join("d")).unwrap();
    std::os::unix::fs::symlink("..", root.join("d/up")).unwrap();
    std::os::unix::fs::symlink("nowhere", root.join("dangling")).unwrap();
    let listed = call(&root, "list_directory", json!({"recursive": true})).await;
    assert_eq!(
        listed.text(),
        format!(
            "Listed directory: {} (2 entries)\nd/\nd/up/",
            root.display()
        )
    );
}

#[tokio::test]
async fn a_long_file_is_read_in_parts() {
    let (_dir, root) = workspace();
    fs::write(root.join("a.txt"), "line\n".repeat(1001)).unwrap();
    let read = call(&root, "read_file", json!({"file_path": "a.txt"})).await;
    let head = format!(
        "Read file: {}/a.txt (showing lines 1-1000 of 1001) To read more, use: read_file(file_path='a.txt', offset=1000, limit=1000)\n\n     1  line\n",
        root.display()
    );
    assert!(read.text().starts_with(&head), "{}", read.text());
    let rest = call(
        &root,
        "read_file",
        json!({"file_path": "a.txt", "offset": 1000}),
    )
    .await;
    assert!(
        rest.text().ends_with("/a.txt\n\n  1001  line\n"),
        "{}",
        rest.text()
    );
}

#[tokio::test]
async fn pipes_are_refused_instead_of_waiting() {
    let (_dir, root) = workspace();
    rustix::fs::mknodat(
        rustix::fs::CWD,
        root.join("pipe"),
        rustix::fs::FileType::Fifo,
        0o600.into(),
        0,
    )
    .unwrap();
    for (tool, arguments) in [
        ("read_file", json!({"file_path": "pipe"})),
        ("write_file", json!({"file_path": "pipe", "content": "x"})),
        (
            "edit",
            json!({"file_path": "pipe", "old_string": "x", "new_string": "y"}),
        ),
    ] {
        assert!(call(&root, tool, arguments).await.is_error(), "{tool}");
    }
}

#[tokio::test]
async fn read_and_write_show_the_path_as_it_was_named() {
    let (_dir, root) = workspace();
    fs::create_dir(root.join("d")).unwrap();
    fs::write(root.join("d/a.txt"), "a\n").unwrap();
    std::os::unix::fs::symlink("d", root.join("link")).unwrap();
    let shown = root.display();
    let read = call(&root, "read_file", json!({"file_path": "link/a.txt"})).await;
    assert_eq!(
        read.text(),
        format!("Read file: {shown}/link/a.txt\n\n     1  a\n")
    );
    let up = call(
        &root,
        "read_file",
        json!({"file_path": "./d/../link/a.txt"}),
    )
    .await;
    assert!(
        up.text()
            .starts_with(&format!("Read file: {shown}/d/../link/a.txt\n")),
        "{}",
        up.text()
    );
    let arguments = json!({"file_path": "link/a.txt", "content": "b\n"});
    let written = call(&root, "write_file", arguments).await;
    assert_eq!(written.text(), format!("Updated file: {shown}/link/a.txt"));
    assert_eq!(fs::read(root.join("d/a.txt")).unwrap(), b"b\n");
}

#[tokio::test]
async fn a_file_behind_a_missing_directory_is_not_read() {
    let (_dir, root) = workspace();
    fs::write(root.join("a.txt"), "a\n").unwrap();
    let read = call(&root, "read_file", json!({"file_path": "missing/../a.txt"})).await;
    assert_eq!(
        read.text(),
        format!("Error: File not found: {}/missing/../a.txt", root.display())
    );
}
