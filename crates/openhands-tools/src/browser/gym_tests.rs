//! The texts of a page, compared with those that the reference made of the same answers of the browser (recorded).

use super::axtree::{self, FrameTree};
use super::snapshot::Snapshot;
use super::{axtree_text, page_text, properties};
use pretty_assertions::assert_eq;
use serde::Deserialize;
use serde_json::Value;
use std::collections::HashMap;
use std::path::PathBuf;

#[derive(Deserialize)]
struct Recording {
    axtree_text: String,
    axtree_text_visible: String,
    text_content: String,
    extra_element_properties: serde_json::Map<String, Value>,
    snapshot: Snapshot,
    axtrees: Vec<(String, Vec<Value>)>,
    frames_of_nodes: HashMap<i64, Option<String>>,
}

fn recordings() -> Vec<(String, Recording)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/gym/observations");
    let recordings: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| {
            let path = entry.unwrap().path();
            let name = path.file_stem().unwrap().to_string_lossy().into_owned();
            let text = std::fs::read_to_string(path).unwrap();
            (name, serde_json::from_str(&text).unwrap())
        })
        .collect();
    assert!(recordings.len() >= 7);
    recordings
}

fn tree(recording: &Recording) -> Value {
    let frames = recording.axtrees.iter().map(|(frame, _)| frame);
    let shown = recording
        .frames_of_nodes
        .iter()
        .filter_map(|(node, shown)| Some((*node, shown.clone()?)));
    let frame_of = frames
        .flat_map(|frame| {
            shown
                .clone()
                .map(|(node, shown)| ((frame.clone(), node), shown))
        })
        .collect();
    let trees = recording.axtrees.iter().cloned();
    let trees = trees
        .map(|(frame, nodes)| FrameTree {
            frame,
            prefix: None,
            nodes,
        })
        .collect();
    axtree::joined(trees, &frame_of)
}

#[test]
fn the_accessibility_tree_reads_as_recorded() {
    for (name, recording) in recordings() {
        let properties = properties::of(&recording.snapshot);
        let tree = tree(&recording);
        assert_eq!(
            axtree_text(&tree, &properties, false),
            recording.axtree_text,
            "{name}"
        );
        assert_eq!(
            axtree_text(&tree, &properties, true),
            recording.axtree_text_visible,
            "{name}"
        );
    }
}

#[test]
fn the_page_reads_as_recorded() {
    for (name, recording) in recordings() {
        assert_eq!(
            page_text::of(&recording.snapshot),
            recording.text_content,
            "{name}"
        );
    }
}

#[test]
fn elements_have_the_recorded_properties() {
    for (name, recording) in recordings() {
        let properties = properties::of(&recording.snapshot);
        let ours = serde_json::to_string(&properties).unwrap();
        let recorded = serde_json::to_string(&recording.extra_element_properties).unwrap();
        assert_eq!(ours, recorded, "{name}");
    }
}
