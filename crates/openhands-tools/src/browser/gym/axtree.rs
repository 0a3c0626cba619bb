//! The accessibility trees of a page's frames, joined into one.

use super::aria;
use serde_json::{Map, Value, json};
use std::collections::HashMap;

/// The nodes of one frame, as `Accessibility.getFullAXTree` gives them.
#[derive(Debug)]
pub(super) struct FrameTree {
    pub(super) frame: String,
    /// Put before every node's id: nodes that another process counts would be mistaken for ours.
    pub(super) prefix: Option<String>,
    pub(super) nodes: Vec<Value>,
}

/// Joins the trees. `frame_of` knows which frame an element shows, by the frame that it is in and its backend id.
pub(super) fn joined(trees: Vec<FrameTree>, frame_of: &HashMap<(String, i64), String>) -> Value {
    let mut trees = trees;
    let mut roots = HashMap::new();
    for tree in &mut trees {
        for node in tree.nodes.iter_mut().filter_map(Value::as_object_mut) {
            name_element(node);
            if let Some(prefix) = &tree.prefix {
                rename(node, prefix);
            }
        }
        if let Some(root) = tree.nodes.first().and_then(|root| root.get("nodeId")) {
            roots.insert(tree.frame.clone(), root.clone());
        }
    }
    let mut all = Vec::new();
    for mut tree in trees {
        for node in tree.nodes.iter_mut().filter_map(Value::as_object_mut) {
            if role(node) != Some("Iframe") {
                continue;
            }
            let shown = node
                .get("backendDOMNodeId")
                .and_then(Value::as_i64)
                .and_then(|element| frame_of.get(&(tree.frame.clone(), element)));
            let root = shown.and_then(|frame| roots.get(frame));
            if let (Some(root), Some(children)) =
                (root, node.get_mut("childIds").and_then(Value::as_array_mut))
            {
                children.push(root.clone());
            }
        }
        all.append(&mut tree.nodes);
    }
    json!({ "nodes": all })
}

pub(super) fn role(node: &Map<String, Value>) -> Option<&str> {
    node.get("role")?.get("value")?.as_str()
}

/// Moves an element's id out of what describes it to a member of its own.
fn name_element(node: &mut Map<String, Value>) {
    let mut bid = None;
    if let Some(properties) = node.get_mut("properties").and_then(Value::as_array_mut) {
        let place = properties.iter().position(|property| {
            property
                .get("name")
                .is_some_and(|name| name == "roledescription")
        });
        let value = place
            .and_then(|place| properties.get_mut(place))
            .and_then(|property| property.pointer_mut("/value/value"));
        let is_empty = value.is_some_and(|value| take_bid(value, &mut bid));
        if let (Some(place), true) = (place, is_empty) {
            properties.remove(place);
        }
    }
    let description = node
        .get_mut("description")
        .and_then(|description| description.get_mut("value"));
    let mut second = None;
    let is_empty = description.is_some_and(|description| take_bid(description, &mut second));
    if is_empty {
        node.shift_remove("description");
    }
    if let Some(bid) = bid.or(second) {
        node.insert("browsergym_id".to_owned(), Value::String(bid));
    }
}

/// Takes the id out of a text and says whether nothing else was in it.
fn take_bid(text: &mut Value, bid: &mut Option<String>) -> bool {
    let Some(described) = text.as_str() else {
        return false;
    };
    let (found, original) = aria::split(described);
    *bid = found.map(str::to_owned);
    let original = original.to_owned();
    let is_empty = original.is_empty();
    *text = Value::String(original);
    is_empty
}

fn rename(node: &mut Map<String, Value>, prefix: &str) {
    let longer = |id: &mut Value| {
        if let Some(text) = id.as_str() {
            *id = Value::String(format!("{prefix}{text}"));
        }
    };
    for member in ["nodeId", "parentId"] {
        node.get_mut(member).into_iter().for_each(longer);
    }
    let children = node.get_mut("childIds").and_then(Value::as_array_mut);
    children.into_iter().flatten().for_each(longer);
}
