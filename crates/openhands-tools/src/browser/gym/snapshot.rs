//! All documents of a page as Chromium's `DOMSnapshot` gives them: nodes in arrays, strings by their index.

use serde::Deserialize;
use serde_json::Number;
use std::ops::Range;

/// The name of the attribute that holds an element's id.
pub(super) const BID: &str = "bid";
/// The name of the attribute that says how much of an element is in view.
pub(super) const VISIBILITY: &str = "browsergym_visibility_ratio";
/// The name of the attribute that says whether an element is marked on the picture.
pub(super) const SET_OF_MARKS: &str = "browsergym_set_of_marks";

#[derive(Debug, Deserialize)]
pub(super) struct Snapshot {
    pub(super) documents: Vec<Document>,
    pub(super) strings: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Document {
    pub(super) nodes: Nodes,
    pub(super) layout: Layout,
    #[serde(default = "zero")]
    pub(super) scroll_offset_x: Number,
    #[serde(default = "zero")]
    pub(super) scroll_offset_y: Number,
}

/// One entry a node in each array.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Nodes {
    pub(super) parent_index: Vec<i64>,
    pub(super) node_type: Vec<i64>,
    pub(super) node_name: Vec<i64>,
    pub(super) node_value: Vec<i64>,
    pub(super) backend_node_id: Vec<i64>,
    /// Names and values by turns.
    pub(super) attributes: Vec<Vec<i64>>,
    #[serde(default)]
    pub(super) is_clickable: Rare,
    #[serde(default)]
    pub(super) content_document_index: Rare,
}

/// What few nodes have.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Rare {
    pub(super) index: Vec<usize>,
    #[serde(default)]
    pub(super) value: Vec<usize>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Layout {
    pub(super) node_index: Vec<usize>,
    pub(super) bounds: Vec<Vec<Number>>,
    #[serde(default)]
    pub(super) client_rects: Vec<Vec<Number>>,
}

fn zero() -> Number {
    Number::from(0)
}

impl Snapshot {
    pub(super) fn string(&self, index: i64) -> Option<&str> {
        let index = usize::try_from(index).ok()?;
        self.strings.get(index).map(String::as_str)
    }

    /// The attributes of a node by name.
    pub(super) fn attributes<'a>(
        &'a self,
        attributes: &'a [i64],
    ) -> impl Iterator<Item = (&'a str, Option<&'a str>)> {
        attributes.chunks_exact(2).filter_map(|pair| match pair {
            [name, value] => Some((self.string(*name)?, self.string(*value))),
            _ => None,
        })
    }

    /// Takes in the documents of a frame that another process draws, below the node that shows the frame. That node is one
    /// of the documents `around`: others count their nodes on their own. Says where the new documents are.
    pub(super) fn adopt(
        &mut self,
        around: Range<usize>,
        owner: i64,
        other: Self,
    ) -> Option<Range<usize>> {
        let first_document = self.documents.len();
        let first_string = i64::try_from(self.strings.len()).ok()?;
        let documents = self.documents.get_mut(around)?;
        let (document, node) = documents.iter_mut().find_map(|document| {
            let mut ids = document.nodes.backend_node_id.iter();
            let node = ids.position(|id| *id == owner)?;
            Some((document, node))
        })?;
        let content = &mut document.nodes.content_document_index;
        content.index.push(node);
        content.value.push(first_document);
        self.strings.extend(other.strings);
        for mut document in other.documents {
            let nodes = &mut document.nodes;
            nodes
                .content_document_index
                .value
                .iter_mut()
                .for_each(|child| *child += first_document);
            let names = nodes.node_name.iter_mut().chain(&mut nodes.node_value);
            let strings = names.chain(nodes.attributes.iter_mut().flatten());
            strings
                .filter(|index| **index >= 0)
                .for_each(|index| *index += first_string);
            self.documents.push(document);
        }
        Some(first_document..self.documents.len())
    }
}
