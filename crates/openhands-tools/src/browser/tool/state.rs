//! The state of the browser as the model reads it.

use crate::browser::elements::Left;
use crate::browser::shortened;
use serde_json::{Map, Value, json};

/// The most bytes of a state's text: with everything around it, it stays below what the model is shown uncut.
const MAX_BYTES: usize = 48_000;
/// The most bytes of all notes together.
const MAX_NOTE_BYTES: usize = 6_000;

/// The most bytes of all tabs together.
const MAX_TAB_BYTES: usize = 8_000;

/// One element as the model reads it.
#[derive(Debug, Clone)]
pub(super) struct Element {
    pub(super) index: i64,
    /// Whether it is in the visible part of the page.
    pub(super) seen: bool,
    pub(super) tag: String,
    pub(super) text: String,
    /// What else there is to tell, in order.
    pub(super) more: Map<String, Value>,
}

impl Element {
    fn json(&self) -> Value {
        let mut fields = Map::new();
        fields.insert("index".into(), self.index.into());
        fields.insert("tag".into(), self.tag.as_str().into());
        fields.insert("text".into(), self.text.as_str().into());
        fields.extend(self.more.clone());
        Value::Object(fields)
    }
}

/// What is known about the browser at one moment.
#[derive(Debug, Clone, Default)]
pub(super) struct State {
    pub(super) url: String,
    pub(super) title: String,
    /// Address and title of every tab.
    pub(super) tabs: Vec<(String, String)>,
    pub(super) elements: Vec<Element>,
    pub(super) left: Left,
    pub(super) viewport: [f64; 2],
    pub(super) page: [f64; 2],
    pub(super) scroll: [f64; 2],
    /// Width and height of the picture that comes along.
    pub(super) screenshot: Option<[u32; 2]>,
    /// What happened since the last look.
    pub(super) notes: Vec<String>,
}

impl State {
    /// The state as JSON with two spaces, cut to what a model is shown; what is cut is said.
    pub(super) fn text(&self) -> String {
        let mut notes = self.all_notes(self.left.more);
        let empty = pretty(&self.json(&[], &notes)).len();
        // A note about the cut comes on top.
        let room = MAX_BYTES.saturating_sub(empty + 300);
        let shown = fitting(&self.elements, room);
        let cut = self.elements.len() - shown.len();
        if cut > 0 {
            notes = self.all_notes(self.left.more + cut);
        }
        pretty(&self.json(&shown, &notes))
    }

    fn json(&self, elements: &[&Element], notes: &[String]) -> Value {
        let mut state = json!({
            "url": shortened(&self.url),
            "title": shortened(&self.title),
            "tabs": self.tabs(),
            "interactive_elements": elements.iter().map(|element| element.json()).collect::<Vec<_>>(),
            "viewport": size(self.viewport),
            "page": size(self.page),
            "scroll": {"x": whole(self.scroll[0]), "y": whole(self.scroll[1])},
        });
        if let Some(fields) = state.as_object_mut() {
            if let Some([width, height]) = self.screenshot {
                fields.insert(
                    "screenshot_dimensions".into(),
                    json!({"width": width, "height": height}),
                );
            }
            if !notes.is_empty() {
                fields.insert("notes".into(), json!(notes));
            }
        }
        state
    }

    /// The first tabs, as many as there is room for.
    fn tabs(&self) -> Vec<Value> {
        let tabs = self.tabs.iter();
        let mut room = MAX_TAB_BYTES;
        tabs.map(|(url, title)| json!({"url": shortened(url), "title": shortened(title)}))
            .take_while(|tab| {
                let length = bytes_in_list(tab);
                let fits = length <= room;
                room = room.saturating_sub(length);
                fits
            })
            .collect()
    }

    /// What happened, as far as there is room for it, and what is not listed.
    fn all_notes(&self, cut: usize) -> Vec<String> {
        let mut notes = first(&self.notes);
        let left = self.tabs.len() - self.tabs().len();
        if left > 0 {
            notes.push(format!(
                "The list of tabs was cut: {left} more are not listed. browser_list_tabs lists all of them."
            ));
        }
        notes.extend(self.notes_on_elements(cut));
        notes
    }

    /// What is said about elements that are not listed.
    fn notes_on_elements(&self, cut: usize) -> Vec<String> {
        let mut notes = Vec::new();
        if cut > 0 {
            notes.push(format!(
                "The list of interactive elements was cut: {cut} more near the visible part of the page are not listed. Scroll to get to them."
            ));
        }
        for (count, place, way) in [
            (self.left.above, "above", "up"),
            (self.left.below, "below", "down"),
        ] {
            if count > 0 {
                notes.push(format!(
                    "About {count} more interactive elements are further {place}; scroll {way} to list them."
                ));
            }
        }
        if self.left.covered > 0 {
            notes.push(format!(
                "{} interactive elements are covered by something in front of them and are not listed.",
                self.left.covered
            ));
        }
        notes
    }
}

fn size([width, height]: [f64; 2]) -> Value {
    json!({"width": whole(width), "height": whole(height)})
}

#[allow(clippy::cast_possible_truncation)] // pixels of a page; the cast saturates
fn whole(number: f64) -> i64 {
    number.round() as i64
}

fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default()
}

/// The elements whose text fits into `room` bytes, in their order. Those in the visible part go first.
fn fitting(elements: &[Element], room: usize) -> Vec<&Element> {
    let mut fits = vec![false; elements.len()];
    let mut used = 0;
    'all: for wanted in [true, false] {
        for (element, fits) in elements.iter().zip(&mut fits) {
            if element.seen != wanted {
                continue;
            }
            used += bytes_in_list(&element.json());
            if used > room {
                break 'all;
            }
            *fits = true;
        }
    }
    elements
        .iter()
        .zip(fits)
        .filter_map(|(element, fits)| fits.then_some(element))
        .collect()
}

/// How long a member of a list is: four spaces before each line, a comma and a line end after it.
fn bytes_in_list(member: &Value) -> usize {
    let text = pretty(member);
    text.len() + 4 * text.lines().count() + 2
}

/// The first notes, as many as there is room for.
fn first(notes: &[String]) -> Vec<String> {
    let mut used = 0;
    let mut kept: Vec<String> = Vec::new();
    for note in notes {
        used += note.len();
        if used > MAX_NOTE_BYTES {
            kept.push(format!(
                "{} more notes were left out.",
                notes.len() - kept.len()
            ));
            break;
        }
        kept.push(note.clone());
    }
    kept
}

#[cfg(test)]
#[path = "state_tests.rs"]
mod tests;
