//! The accessibility tree as text: one element a line, with its id, role, name and state.

use super::axtree::role;
use super::properties::Properties;
use super::python;
use crate::python_repr;
use serde_json::{Map, Value};
use std::collections::HashMap;
use std::fmt::Write as _;

/// What says too little for its room.
const UNTOLD: [&str; 7] = [
    "editable",
    "readonly",
    "level",
    "settable",
    "multiline",
    "invalid",
    "focusable",
];

/// The text of a joined tree; with `visible_only` without the elements that are out of view.
pub fn axtree_text(tree: &Value, properties: &Properties, visible_only: bool) -> String {
    let nodes: Vec<&Map<String, Value>> = tree
        .get("nodes")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_object)
        .collect();
    let places: HashMap<&str, usize> = nodes
        .iter()
        .enumerate()
        .filter_map(|(place, node)| Some((id(node)?, place)))
        .collect();
    let mut told = vec![false; nodes.len()];
    let mut lines = Vec::new();
    let mut waiting = vec![Visit {
        place: 0,
        depth: 0,
        parent_is_filtered: false,
        parent_name: "",
    }];
    while let Some(visit) = waiting.pop() {
        let Some(node) = nodes.get(visit.place) else {
            continue;
        };
        // Ids that are used twice could lead in circles.
        match told.get_mut(visit.place) {
            Some(told) if !*told => *told = true,
            _ => continue,
        }
        let line = Line::of(node, &visit, properties, visible_only);
        let name = line.name;
        let depth = if line.text.is_some() {
            visit.depth + 1
        } else {
            visit.depth
        };
        if let Some(text) = line.text {
            lines.push(format!("{}{text}", "\t".repeat(visit.depth)));
        }
        let children = node
            .get("childIds")
            .and_then(Value::as_array)
            .into_iter()
            .flatten();
        let children = children.filter_map(Value::as_str).rev();
        let children = children
            .filter_map(|child| places.get(child).copied())
            .filter(|child| *child != visit.place);
        waiting.extend(children.map(|place| Visit {
            place,
            depth,
            parent_is_filtered: line.is_filtered,
            parent_name: name,
        }));
    }
    lines.join("\n")
}

fn id(node: &Map<String, Value>) -> Option<&str> {
    node.get("nodeId")?.as_str()
}

struct Visit<'a> {
    place: usize,
    depth: usize,
    parent_is_filtered: bool,
    parent_name: &'a str,
}

struct Line<'a> {
    /// None for a node that is not shown; its children stand in its place.
    text: Option<String>,
    /// Not shown because it is out of view: its words are not shown either.
    is_filtered: bool,
    name: &'a str,
}

impl<'a> Line<'a> {
    fn of(
        node: &'a Map<String, Value>,
        visit: &Visit<'_>,
        properties: &Properties,
        visible_only: bool,
    ) -> Self {
        let role = role(node).unwrap_or_default();
        let name = node.get("name").filter(|_| role != "LineBreak");
        let Some(name) = name else {
            return Self {
                text: None,
                is_filtered: false,
                name: "",
            };
        };
        let name = name
            .get("value")
            .and_then(Value::as_str)
            .unwrap_or_default();
        let bid = node.get("browsergym_id").and_then(Value::as_str);
        let known = bid.and_then(|bid| properties.get(bid));
        let mut state = Vec::new();
        let mut is_shown = true;
        let mut is_filtered = false;
        if role == "StaticText" {
            is_shown = !visit.parent_is_filtered && !visit.parent_name.contains(name);
        } else if let Some(known) = known {
            is_filtered = visible_only && !known.is_visible();
            is_shown = !is_filtered;
            if known.clickable {
                state.push("clickable".to_owned());
            }
        }
        state.extend(told_state(node));
        let text = is_shown.then(|| text(node, role, name, bid, &state));
        Self {
            text,
            is_filtered,
            name,
        }
    }
}

fn text(
    node: &Map<String, Value>,
    role: &str,
    name: &str,
    bid: Option<&str>,
    state: &[String],
) -> String {
    let mut text = String::new();
    if let Some(bid) = bid {
        let _ = write!(text, "[{bid}] ");
    }
    text.push_str(role);
    if role != "generic" || !name.is_empty() {
        let _ = write!(text, " {}", python_repr::text(python::strip(name)));
    }
    if let Some(value) = node
        .get("value")
        .and_then(|value| value.get("value"))
        .filter(|value| !value.is_null())
    {
        let _ = write!(text, " value={}", python_repr::value(value));
    }
    for each in state {
        let _ = write!(text, ", {each}");
    }
    text
}

fn told_state(node: &Map<String, Value>) -> impl Iterator<Item = String> {
    let properties = node
        .get("properties")
        .and_then(Value::as_array)
        .into_iter()
        .flatten();
    properties.filter_map(|property| {
        let name = property.get("name")?.as_str()?;
        let value = property.get("value")?.get("value")?;
        if UNTOLD.contains(&name) {
            None
        } else if matches!(name, "required" | "focused" | "atomic") {
            is_true(value).then(|| name.to_owned())
        } else {
            Some(format!("{name}={}", python_repr::value(value)))
        }
    })
}

/// What Python holds for true.
fn is_true(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(value) => *value,
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::String(text) => !text.is_empty(),
        Value::Array(items) => !items.is_empty(),
        Value::Object(members) => !members.is_empty(),
    }
}

#[cfg(test)]
#[path = "axtree_text_tests.rs"]
mod tests;
