use super::*;
use openhands_protocol::tool::{GrepObservation, TerminalObservation};
use pretty_assertions::assert_eq;
use serde_json::json;

fn read(value: serde_json::Value) -> Observation {
    serde_json::from_value(value).unwrap()
}

#[test]
fn an_error_is_announced_in_a_part_of_its_own() {
    let failed = Observation::Grep(GrepObservation::with_error("no such directory"));
    assert_eq!(
        for_model(&failed),
        [
            Content::text("[An error occurred during execution.]\n"),
            Content::text("no such directory")
        ]
    );
    let failed = Observation::Terminal(TerminalObservation::with_error("out"));
    assert_eq!(for_model(&failed).len(), 2);
}

#[test]
fn a_task_names_itself_first() {
    let task = read(json!({
        "kind": "TaskObservation", "task_id": "t1", "subagent": "general", "status": "completed",
        "content": [{"type": "text", "text": "done"}],
    }));
    assert_eq!(
        for_model(&task),
        [
            Content::text("Task ID: t1\nSubagent: general\nStatus: completed"),
            Content::text("done")
        ]
    );
}

#[test]
fn an_unknown_kind_is_read_by_its_members() {
    let unknown = read(json!({
        "kind": "NewObservation", "is_error": true, "content": [{"type": "text", "text": "new"}],
    }));
    assert_eq!(
        for_model(&unknown),
        [Content::text(ERROR_HEADER), Content::text("new")]
    );
}

#[test]
fn a_screenshot_is_an_image_and_its_file_is_named_when_it_is_there() {
    let directory = tempfile::tempdir().unwrap();
    let shot = |dir: Option<&Path>| {
        read(json!({
            "kind": "BrowserObservation", "content": [{"type": "text", "text": "page"}],
            "screenshot_data": "/9j/AAAA", "full_output_save_dir": dir,
        }))
    };
    let image = Content::image("data:image/jpeg;base64,/9j/AAAA");
    let plain = [Content::text("page"), image.clone()];
    assert_eq!(for_model(&shot(None)), plain);
    assert_eq!(for_model(&shot(Some(directory.path()))), plain);

    let hash = format!("{:x}", Sha256::digest(b"/9j/AAAA"));
    let file = directory
        .path()
        .join(format!("browser_screenshot_{}.jpg", hash.get(..8).unwrap()));
    std::fs::write(&file, b"x").unwrap();
    let named = Content::text(format!("Screenshot saved to: {}", file.display()));
    assert_eq!(
        for_model(&shot(Some(directory.path()))),
        [Content::text("page"), named, image]
    );
}
