//! Hiding the values of secrets in everything that leaves a conversation.

use std::borrow::Cow;
use std::sync::Arc;

use aho_corasick::{AhoCorasick, MatchKind};
use openhands_protocol::message::{Content, Message, TextContent};
use openhands_protocol::{Form, Names, Nulls, Observation, Reading, Secrets};
use serde_json::{Map, Value};

use crate::secrets::stream_mask::StreamMasker;

/// What is shown in place of a secret.
pub const HIDDEN: &str = "<secret-hidden>";

/// Members that say what an object is. They hold a fixed word, never a secret.
const TAGS: [&str; 2] = ["kind", "type"];

/// A member whose text is an encoded picture: hiding bytes of it would only break it.
const PICTURE: &str = "screenshot_data";

/// The form in which an observation is searched: with everything in it, to be read back.
const WHOLE: Form = Form::new(Nulls::Keep, Secrets::Plain, Names::Internal);

/// Replaces the values of secrets by a mark. With no values it does nothing and costs nothing. Cloning is cheap.
///
/// Where values overlap, the one that begins first counts, and of those the longest.
#[derive(Clone, Default)]
pub struct Masker(Option<Arc<Patterns>>);

pub(super) struct Patterns {
    pub(super) search: AhoCorasick,
    /// Sorted, so that all values with a common beginning stand together.
    pub(super) sorted: Vec<Box<str>>,
    /// Bytes of the longest value.
    pub(super) longest: usize,
}

impl std::fmt::Debug for Masker {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Masker").field(&self.value_count()).finish()
    }
}

impl Masker {
    /// Hides these values. Programs trim what they print, so a value without its outer white space is hidden as well.
    pub fn new<'a>(values: impl IntoIterator<Item = &'a str>) -> Self {
        let mut sorted: Vec<Box<str>> = values
            .into_iter()
            .flat_map(|value| [value, value.trim()])
            .filter(|value| !value.trim().is_empty())
            .map(Into::into)
            .collect();
        sorted.sort_unstable();
        sorted.dedup();
        if sorted.is_empty() {
            return Self::default();
        }
        let search = AhoCorasick::builder()
            .match_kind(MatchKind::LeftmostLongest)
            .build(sorted.iter().map(|value| value.as_bytes()));
        let longest = sorted.iter().map(|value| value.len()).max().unwrap_or(0);
        match search {
            Ok(search) => Self(Some(Arc::new(Patterns {
                search,
                sorted,
                longest,
            }))),
            Err(error) => {
                // Only values of gigabytes together are too many. Without its values a masker would let all through.
                tracing::error!(%error, "the secrets are too large to be hidden: only the shortest are");
                let half = sorted.len() / 2;
                sorted.sort_unstable_by_key(|value| value.len());
                Self::new(sorted.iter().take(half).map(AsRef::as_ref))
            }
        }
    }

    /// Whether there is nothing to hide.
    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// How many texts are hidden.
    pub fn value_count(&self) -> usize {
        self.0.as_ref().map_or(0, |patterns| patterns.sorted.len())
    }

    /// A text without the values. It is copied only if there is one in it.
    pub fn mask<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let Some(patterns) = &self.0 else {
            return Cow::Borrowed(text);
        };
        let mut found = patterns.search.find_iter(text).peekable();
        if found.peek().is_none() {
            return Cow::Borrowed(text);
        }
        let mut masked = String::with_capacity(text.len());
        let mut end = 0;
        for value in found {
            masked.push_str(text.get(end..value.start()).unwrap_or_default());
            masked.push_str(HIDDEN);
            end = value.end();
        }
        masked.push_str(text.get(end..).unwrap_or_default());
        Cow::Owned(masked)
    }

    /// Hides the values in a text. Tells whether there were any.
    pub fn mask_string(&self, text: &mut String) -> bool {
        match self.mask(text) {
            Cow::Borrowed(_) => false,
            Cow::Owned(masked) => {
                *text = masked;
                true
            }
        }
    }

    /// Hides the values in all texts of a JSON value; names of members stay. Tells whether there were any.
    pub fn mask_json(&self, value: &mut Value) -> bool {
        if self.is_empty() {
            return false;
        }
        match value {
            Value::String(text) => self.mask_string(text),
            Value::Array(items) => {
                let masked = items.iter_mut().map(|item| self.mask_json(item));
                masked.fold(false, |any, one| any | one)
            }
            Value::Object(members) => self.mask_members(members),
            Value::Null | Value::Bool(_) | Value::Number(_) => false,
        }
    }

    /// Hides the values in all members of a JSON object. Tells whether there were any.
    pub fn mask_members(&self, members: &mut Map<String, Value>) -> bool {
        let masked = members.values_mut().map(|member| self.mask_json(member));
        masked.fold(false, |any, one| any | one)
    }

    /// Hides the values in the text of a message and in its readable reasoning. Signed thinking stays as it is: the
    /// provider refuses it when a letter differs.
    pub fn mask_message(&self, message: &mut Message) {
        if self.is_empty() {
            return;
        }
        for part in &mut message.content {
            if let Content::Text(part) = part {
                self.mask_string(&mut part.text);
            }
        }
        if let Some(reasoning) = &mut message.reasoning_content {
            self.mask_string(reasoning);
        }
    }

    /// Hides the values in pieces of text, such as the thought of an action.
    pub fn mask_texts(&self, parts: &mut [TextContent]) {
        for part in parts {
            self.mask_string(&mut part.text);
        }
    }

    /// Hides the values in every text of an observation, except in pictures.
    pub fn mask_observation(&self, observation: &mut Observation) {
        if self.is_empty() {
            return;
        }
        let Ok(Value::Object(mut members)) = WHOLE.to_value(observation) else {
            tracing::error!(
                kind = observation.kind(),
                "an observation cannot be written"
            );
            return;
        };
        let before = members.clone();
        if !self.mask_observation_members(&mut members) {
            return;
        }
        *observation = read_back(&before, members);
    }

    fn mask_observation_members(&self, members: &mut Map<String, Value>) -> bool {
        let mut any = false;
        for (name, member) in members {
            if name == PICTURE || TAGS.contains(&name.as_str()) {
                continue;
            }
            any |= match member {
                Value::Array(parts) if name == "content" => {
                    let masked = parts.iter_mut().map(|part| self.mask_part(part));
                    masked.fold(false, |any, one| any | one)
                }
                other => self.mask_json(other),
            };
        }
        any
    }

    /// Hides the values in a part of a message, but not inside an image's bytes.
    fn mask_part(&self, part: &mut Value) -> bool {
        let Value::Object(members) = part else {
            return self.mask_json(part);
        };
        let mut any = false;
        for (name, member) in members {
            any |= match member {
                Value::String(_) if TAGS.contains(&name.as_str()) => false,
                Value::Array(urls) if name == "image_urls" => {
                    let shown = urls.iter_mut().filter(|url| !is_data_url(url));
                    shown.fold(false, |any, url| any | self.mask_json(url))
                }
                other => self.mask_json(other),
            };
        }
        any
    }

    /// A masker for one text that arrives in pieces.
    pub fn stream(&self) -> StreamMasker {
        StreamMasker::new(self.0.clone())
    }
}

/// Reads a masked observation. A member that must be one of a few words, and happened to be the value of a secret,
/// goes back to what it was: a fixed word gives nothing away.
fn read_back(before: &Map<String, Value>, masked: Map<String, Value>) -> Observation {
    let read = |members: &Map<String, Value>| {
        Reading::strict().from_value::<Observation>(Value::Object(members.clone()))
    };
    if let Ok(observation) = read(&masked) {
        return observation;
    }
    let mut members = masked;
    if read(before).is_ok() {
        for (name, original) in before {
            if members.get(name) == Some(original) {
                continue;
            }
            let mut alone = before.clone();
            alone.insert(name.clone(), members.get(name).cloned().unwrap_or_default());
            if read(&alone).is_err() {
                members.insert(name.clone(), original.clone());
            }
        }
    }
    Reading::lenient()
        .from_value(Value::Object(members.clone()))
        .unwrap_or_else(|_| {
            Observation::Unknown(openhands_protocol::RawUnion::new(
                Observation::TAG,
                "",
                members,
            ))
        })
}

fn is_data_url(url: &Value) -> bool {
    url.as_str()
        .is_some_and(|url| url.starts_with("data:") && url.contains(";base64,"))
}

#[cfg(test)]
#[path = "mask_tests.rs"]
mod tests;
