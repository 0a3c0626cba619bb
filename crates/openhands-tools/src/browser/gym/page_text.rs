//! A page's text: its nodes written as markup, laid out, and turned into Markdown.

use super::aria;
use super::markdown;
use super::markup;
use super::snapshot::{BID, Document, SET_OF_MARKS, Snapshot, VISIBILITY};
use std::fmt::Write as _;

const ELEMENT: i64 = 1;
const TEXT: i64 = 3;
const CHARACTER_DATA: i64 = 4;

/// Deeper frames than these are left out.
const MAX_FRAME_DEPTH: usize = 32;

pub(super) fn of(snapshot: &Snapshot) -> String {
    markdown::from_markup(&document_markup(snapshot, 0, 0))
}

/// A document with the frames in it, laid out.
fn document_markup(snapshot: &Snapshot, index: usize, depth: usize) -> String {
    match snapshot.documents.get(index) {
        Some(document) if depth < MAX_FRAME_DEPTH => markup::tidy(
            &Writer {
                snapshot,
                document,
                depth,
                out: String::new(),
            }
            .write(),
        ),
        _ => String::new(),
    }
}

struct Writer<'a> {
    snapshot: &'a Snapshot,
    document: &'a Document,
    depth: usize,
    out: String,
}

enum Step {
    Node { node: usize, parent_is_hidden: bool },
    Close(String),
}

impl Writer<'_> {
    fn write(mut self) -> String {
        let nodes = &self.document.nodes;
        let mut children: Vec<Vec<usize>> = vec![Vec::new(); nodes.parent_index.len()];
        for (node, parent) in nodes.parent_index.iter().enumerate() {
            if let Some(siblings) = usize::try_from(*parent)
                .ok()
                .and_then(|parent| children.get_mut(parent))
            {
                siblings.push(node);
            }
        }
        let mut steps = vec![Step::Node {
            node: 0,
            parent_is_hidden: false,
        }];
        while let Some(step) = steps.pop() {
            let (node, parent_is_hidden) = match step {
                Step::Close(name) => {
                    self.out.push_str("</");
                    self.out.push_str(&name);
                    self.out.push('>');
                    continue;
                }
                Step::Node {
                    node,
                    parent_is_hidden,
                } => (node, parent_is_hidden),
            };
            let is_hidden = self.open(node, parent_is_hidden, &mut steps);
            self.frame(node);
            let children = children.get(node).map(Vec::as_slice).unwrap_or_default();
            steps.extend(children.iter().rev().map(|child| Step::Node {
                node: *child,
                parent_is_hidden: is_hidden,
            }));
        }
        self.out
    }

    /// Writes a node and says whether it is one that does not show, and with it the text right below it.
    fn open(&mut self, node: usize, parent_is_hidden: bool, steps: &mut Vec<Step>) -> bool {
        let nodes = &self.document.nodes;
        let text = |strings: &[i64]| {
            strings
                .get(node)
                .and_then(|index| self.snapshot.string(*index))
        };
        match nodes.node_type.get(node).copied() {
            Some(ELEMENT) => {
                let name = text(&nodes.node_name).unwrap_or_default().to_lowercase();
                self.tag(super::python::strip(&name), node);
                steps.push(Step::Close(super::python::strip(&name).to_owned()));
                false
            }
            Some(TEXT) => {
                if !parent_is_hidden {
                    let words = text(&nodes.node_value).unwrap_or_default();
                    self.out.push_str(words);
                }
                false
            }
            Some(CHARACTER_DATA) => {
                if !parent_is_hidden {
                    let words = text(&nodes.node_value).unwrap_or_default();
                    let _ = write!(self.out, "<!CDATA[[{words}]]>");
                }
                false
            }
            _ => true,
        }
    }

    fn tag(&mut self, name: &str, node: usize) {
        self.out.push('<');
        self.out.push_str(name);
        let attributes = self
            .document
            .nodes
            .attributes
            .get(node)
            .map(Vec::as_slice)
            .unwrap_or_default();
        let attributes = || self.snapshot.attributes(attributes);
        if let Some((_, Some(bid))) = attributes().filter(|(name, _)| *name == BID).last() {
            let _ = write!(self.out, " bid=\"{bid}\"");
        }
        for (name, value) in attributes() {
            if matches!(name, BID | VISIBILITY | SET_OF_MARKS) {
                continue;
            }
            let value = match name {
                "aria-roledescription" | "aria-description" => {
                    let (_, original) = aria::split(value.unwrap_or_default());
                    if original.is_empty() {
                        continue;
                    }
                    Some(original)
                }
                _ => value,
            };
            self.out.push(' ');
            self.out.push_str(name);
            if let Some(value) = value {
                let _ = write!(self.out, "=\"{value}\"");
            }
        }
        self.out.push('>');
    }

    /// The document that a frame shows stands before the frame's own content.
    fn frame(&mut self, node: usize) {
        let content = &self.document.nodes.content_document_index;
        let shown = content.index.iter().position(|index| *index == node);
        if let Some(document) = shown.and_then(|at| content.value.get(at)) {
            let markup = document_markup(self.snapshot, *document, self.depth + 1);
            self.out.push_str(&markup);
        }
    }
}
