//! A directory goes from here to the reference and back.
//!
//! Needs the reference: `tests/reference/install` installs it.

use std::path::Path;
use std::process::Command;

use openhands_sdk_rs::protocol::Event;
use pretty_assertions::assert_eq;
use tempfile::TempDir;

use crate::python::python;
use crate::support::{fill, names, open};

/// Opens the directory's log in the reference, checks it, appends messages and lists what it sees.
const SCRIPT: &str = r#"
import json, sys
from openhands.sdk.io import LocalFileStore
from openhands.sdk.conversation.event_store import EventLog
from openhands.sdk.event import MessageEvent
from openhands.sdk.llm import Message, TextContent

log = EventLog(LocalFileStore(sys.argv[1]))
marker = log._marker_matches_length() or len(log) == 0
leaf = sys.argv[2] if len(sys.argv) > 2 else None
for text in ("from the reference", "and again"):
    event = MessageEvent(source="user", parent_id=leaf,
                         llm_message=Message(role="user", content=[TextContent(text=text)]))
    log.append(event)
    leaf = event.id
path = [event.id for event in log.path_to_root(leaf)]
print("RESULT " + json.dumps({"marker": marker, "ids": [event.id for event in log], "path": path,
                              "texts": [event.llm_message.content[0].text for event in log]}))
"#;

fn reference(python: &Path, dir: &Path, leaf: Option<&str>) -> serde_json::Value {
    let output = Command::new(python)
        .args(["-c", SCRIPT])
        .arg(dir)
        .args(leaf)
        .env("LITELLM_LOCAL_MODEL_COST_MAP", "True")
        .env("OPENHANDS_SUPPRESS_BANNER", "1")
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let result = text.lines().find_map(|line| line.strip_prefix("RESULT "));
    let result =
        result.unwrap_or_else(|| panic!("{text}\n{}", String::from_utf8_lossy(&output.stderr)));
    serde_json::from_str(result).unwrap()
}

#[tokio::test]
async fn a_log_goes_to_the_reference_and_back_and_back() {
    let Some(python) = python() else {
        return;
    };
    let dir = TempDir::new().unwrap();
    let mut ours = fill(&open(dir.path()), &["a", "b"]);
    let mut texts = vec!["a", "b"];
    for round in 0..2 {
        let leaf = ours.last().unwrap().to_string();
        let seen = reference(&python, dir.path(), Some(&leaf));
        texts.extend(["from the reference", "and again"]);
        assert_eq!(seen["texts"], serde_json::json!(texts));
        assert_eq!(seen["path"], seen["ids"]);
        assert_eq!(seen["marker"], true, "the reference believes our marker");

        let log = open(dir.path());
        assert_eq!(log.problems(), []);
        let ids: Vec<_> = log
            .active_branch(None)
            .await
            .unwrap()
            .iter()
            .map(|e| e.id().to_string())
            .collect();
        assert_eq!(serde_json::json!(ids), seen["ids"]);
        let last = log.range(log.len() - 1..log.len()).await.unwrap();
        assert!(matches!(last[0].event(), Event::Message(_)));
        ours = fill(&log, &["c", "d"]);
        texts.extend(["c", "d"]);
        let marker = format!(".eventlog-len-{}.marker", 2 + 4 * (round + 1));
        let markers: Vec<_> = names(&dir.path().join("events"))
            .into_iter()
            .filter(|n| n.ends_with(".marker"))
            .collect();
        assert_eq!(markers, [marker]);
    }
}

#[test]
fn a_log_that_the_reference_began_is_continued() {
    let Some(python) = python() else {
        return;
    };
    let dir = TempDir::new().unwrap();
    let seen = reference(&python, dir.path(), None);
    let log = open(dir.path());
    assert_eq!((log.len(), log.problems()), (2, Vec::new()));
    assert_eq!(
        log.head().leaf().map(ToString::to_string).as_deref(),
        seen["ids"][1].as_str()
    );
    let more = fill(&log, &["ours"]);
    drop(log);
    let seen = reference(&python, dir.path(), Some(more[0].as_str()));
    assert_eq!(seen["path"].as_array().unwrap().len(), 5);
}
