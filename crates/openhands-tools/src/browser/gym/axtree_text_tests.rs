use super::super::axtree::{self, FrameTree};
use super::*;
use pretty_assertions::assert_eq;
use serde_json::json;

fn node(id: &str, role: &str, name: &str, children: &[&str]) -> Value {
    json!({"nodeId": id, "role": {"value": role}, "name": {"value": name}, "childIds": children})
}

fn text(nodes: &[Value]) -> String {
    axtree_text(&json!({"nodes": nodes}), &Properties::new(), false)
}

#[test]
fn names_and_values_are_printed_as_python_prints_them() {
    let mut field = node("2", "textbox", " it's \u{e001} ", &[]);
    field["value"] = json!({"value": "a\nb"});
    field["browsergym_id"] = json!("7");
    field["properties"] = json!([
        {"name": "required", "value": {"value": true}},
        {"name": "focused", "value": {"value": false}},
        {"name": "level", "value": {"value": 2}},
        {"name": "valuemin", "value": {"value": 0.5}},
        {"name": "labelledby", "value": {"type": "nodeList"}},
    ]);
    let read = text(&[node("1", "RootWebArea", "T", &["2", "1", "gone"]), field]);
    assert_eq!(
        read,
        "RootWebArea 'T'\n\t[7] textbox \"it's \\ue001\" value='a\\nb', required, valuemin=0.5"
    );
}

#[test]
fn words_that_a_parent_says_already_are_left_out() {
    let read = text(&[
        node("1", "button", "Go on", &["2", "3", "4"]),
        node("2", "StaticText", "Go", &["5"]),
        node("3", "StaticText", "elsewhere", &[]),
        json!({"nodeId": "4", "role": {"value": "none"}, "childIds": ["6"]}),
        node("5", "LineBreak", "x", &[]),
        node("6", "StaticText", "Go", &[]),
    ]);
    assert_eq!(
        read,
        "button 'Go on'\n\tStaticText 'elsewhere'\n\tStaticText 'Go'"
    );
}

#[test]
fn a_tree_in_circles_ends() {
    let read = text(&[
        node("1", "generic", "", &["2"]),
        node("2", "group", "x", &["1", "2"]),
    ]);
    assert_eq!(read, "generic\n\tgroup 'x'");
    assert_eq!(text(&[]), "");
}

#[test]
fn frames_are_joined_even_if_other_processes_count_alike() {
    let frame = |frame: &str, prefix: Option<&str>, nodes| FrameTree {
        frame: frame.to_owned(),
        prefix: prefix.map(str::to_owned),
        nodes,
    };
    let mut shown = node("2", "Iframe", "", &[]);
    shown["backendDOMNodeId"] = json!(20);
    let page = vec![node("1", "RootWebArea", "outer", &["2"]), shown];
    let inner = vec![
        node("1", "RootWebArea", "inner", &["2"]),
        node("2", "button", "b", &[]),
    ];
    let trees = vec![frame("P", None, page), frame("F", Some("F-"), inner)];
    let frame_of = [(("P".to_owned(), 20), "F".to_owned())].into();
    let joined = axtree::joined(trees, &frame_of);
    assert_eq!(
        axtree_text(&joined, &Properties::new(), false),
        "RootWebArea 'outer'\n\tIframe ''\n\t\tRootWebArea 'inner'\n\t\t\tbutton 'b'"
    );
}
