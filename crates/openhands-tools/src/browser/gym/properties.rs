//! What is known of each element beside its text: in view or not, where, clickable, marked on the picture.

use super::snapshot::{BID, Document, SET_OF_MARKS, Snapshot, VISIBILITY};
use indexmap::IndexMap;
use serde::Serialize;
use serde_json::Number;

/// Of all elements, by their ids.
pub type Properties = IndexMap<String, ElementProperties>;

#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct ElementProperties {
    /// How much of it is in view, from 0 to 1.
    pub visibility: Option<f64>,
    /// Left, top, width and height in the picture; none when it is not drawn.
    pub bbox: Option<[Number; 4]>,
    pub clickable: bool,
    pub set_of_marks: Option<bool>,
}

impl ElementProperties {
    pub(super) fn is_visible(&self) -> bool {
        self.visibility.is_some_and(|visibility| visibility >= 0.5)
    }
}

/// Where a document stands in the picture.
struct Position {
    x: Number,
    y: Number,
}

pub(super) fn of(snapshot: &Snapshot) -> Properties {
    let mut found: IndexMap<usize, Vec<(String, ElementProperties)>> = IndexMap::new();
    let mut waiting = vec![(
        0,
        Position {
            x: Number::from(0),
            y: Number::from(0),
        },
    )];
    found.insert(0, Vec::new());
    while let Some((index, frame)) = waiting.pop() {
        let Some(document) = snapshot.documents.get(index) else {
            continue;
        };
        let position = Position {
            x: difference(&frame.x, &document.scroll_offset_x),
            y: difference(&frame.y, &document.scroll_offset_y),
        };
        let content = &document.nodes.content_document_index;
        for (node, child) in content.index.iter().zip(&content.value) {
            if found.contains_key(child) {
                continue;
            }
            found.insert(*child, Vec::new());
            waiting.push((*child, frame_position(document, *node, &position)));
        }
        found.insert(index, of_document(snapshot, document, &position));
    }
    found.into_values().flatten().collect()
}

/// Where a frame's document begins.
fn frame_position(document: &Document, node: usize, parent: &Position) -> Position {
    let place = document
        .layout
        .node_index
        .iter()
        .position(|index| *index == node);
    match place
        .and_then(|place| document.layout.bounds.get(place))
        .map(Vec::as_slice)
    {
        Some([x, y, ..]) => Position {
            x: sum(&parent.x, x),
            y: sum(&parent.y, y),
        },
        _ => Position {
            x: Number::from(0),
            y: Number::from(0),
        },
    }
}

fn of_document(
    snapshot: &Snapshot,
    document: &Document,
    position: &Position,
) -> Vec<(String, ElementProperties)> {
    let nodes = &document.nodes;
    let mut all: Vec<(Option<&str>, ElementProperties)> = nodes
        .attributes
        .iter()
        .map(|attributes| {
            let mut bid = None;
            let mut properties = ElementProperties::default();
            for (name, value) in snapshot.attributes(attributes) {
                match name {
                    BID => bid = value.filter(|bid| !bid.is_empty()),
                    VISIBILITY => {
                        properties.visibility = value.and_then(|value| value.parse().ok());
                    }
                    SET_OF_MARKS => properties.set_of_marks = Some(value == Some("1")),
                    _ => {}
                }
            }
            (bid, properties)
        })
        .collect();
    for node in &nodes.is_clickable.index {
        if let Some((_, properties)) = all.get_mut(*node) {
            properties.clickable = true;
        }
    }
    let layout = &document.layout;
    for ((node, bounds), drawn) in layout
        .node_index
        .iter()
        .zip(&layout.bounds)
        .zip(&layout.client_rects)
    {
        let Some((_, properties)) = all.get_mut(*node) else {
            continue;
        };
        properties.bbox = match bounds.as_slice() {
            [x, y, width, height] if !drawn.is_empty() => Some([
                sum(x, &position.x),
                sum(y, &position.y),
                width.clone(),
                height.clone(),
            ]),
            _ => None,
        };
    }
    all.into_iter()
        .filter_map(|(bid, properties)| Some((bid?.to_owned(), properties)))
        .collect()
}

/// Whole numbers stay whole.
fn sum(left: &Number, right: &Number) -> Number {
    combined(left, right, i64::checked_add, |left, right| left + right)
}

fn difference(left: &Number, right: &Number) -> Number {
    combined(left, right, i64::checked_sub, |left, right| left - right)
}

fn combined(
    left: &Number,
    right: &Number,
    whole: impl Fn(i64, i64) -> Option<i64>,
    broken: impl Fn(f64, f64) -> f64,
) -> Number {
    if let (Some(left), Some(right)) = (left.as_i64(), right.as_i64())
        && let Some(result) = whole(left, right)
    {
        return Number::from(result);
    }
    let result = broken(left.as_f64().unwrap_or(0.0), right.as_f64().unwrap_or(0.0));
    Number::from_f64(result).unwrap_or_else(|| Number::from(0))
}
