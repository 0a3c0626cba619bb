//! The body of a request, put together from members that are already text.
//!
//! A long conversation is sent again with every call, and all of it but the end was sent before. What is made of
//! a message is therefore kept as bytes; a body is their concatenation.

use std::sync::Arc;

use bytes::Bytes;
use openhands_protocol::ToolSpec;
use openhands_protocol::message::{Message, Role};
use parking_lot::Mutex;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::by_arc::ByArc;

/// Text of messages that one model keeps at most.
const MAX_MESSAGE_BYTES: usize = 64 << 20;
/// Text of tools that one model keeps at most.
const MAX_TOOL_BYTES: usize = 4 << 20;

/// So many texts are known at most; more than that are not shared.
const MAX_SHARED: usize = 64;

/// What was made of messages and tools for earlier requests of the same model.
#[derive(Debug)]
pub(super) struct Renders {
    messages: ByArc<Message, Bytes>,
    tools: ByArc<[ToolSpec], Bytes>,
}

impl Default for Renders {
    fn default() -> Self {
        Self {
            messages: ByArc::new(MAX_MESSAGE_BYTES),
            tools: ByArc::new(MAX_TOOL_BYTES),
        }
    }
}

impl Renders {
    /// The text of each message: the elements of a list, with commas between them and none around. `tag` says
    /// in which of several ways a message is to be written; `write` writes what is not known yet.
    pub(super) fn messages(
        &self,
        messages: &[Arc<Message>],
        tag: impl Fn(usize) -> u8,
        write: impl Fn(&Message, u8) -> Vec<Value>,
    ) -> Vec<Bytes> {
        let mut round = self.messages.round();
        let mut texts = Vec::with_capacity(messages.len());
        for (at, message) in messages.iter().enumerate() {
            let tag = tag(at);
            texts.push(round.find(message, tag).unwrap_or_else(|| {
                let mut text = elements(&write(message, tag));
                if message.role == Role::System {
                    text = shared(text);
                }
                round.keep(message, tag, text.clone(), text.len());
                text
            }));
        }
        texts
    }

    /// The text of the tools: a whole list.
    pub(super) fn tools(
        &self,
        tools: &Arc<[ToolSpec]>,
        write: impl FnOnce(&[ToolSpec]) -> Value,
    ) -> Bytes {
        let mut round = self.tools.round();
        round.find(tools, 0).unwrap_or_else(|| {
            let text = shared(text(&write(tools)));
            round.keep(tools, 0, text.clone(), text.len());
            text
        })
    }
}

/// The room for a body of so many bytes. Bodies of a conversation grow a little with each: one that is a little larger than what was given back
/// before it would find no room there, and many conversations at work would leave their heap full of such holes.
fn room(bytes: usize) -> usize {
    const STEP: usize = 64 << 10;
    if bytes < STEP / 2 {
        bytes
    } else {
        bytes.next_multiple_of(STEP)
    }
}

/// The body of a request: members in order.
#[derive(Debug, Default)]
pub(super) struct Body {
    members: Vec<(String, Member)>,
}

#[derive(Debug)]
enum Member {
    Value(Value),
    /// Text that is written as it is, one piece after the other.
    Text(Vec<Bytes>),
}

impl Body {
    /// Sets a member, in place of one of the same name.
    pub(super) fn set(&mut self, name: &str, value: impl Into<Value>) {
        self.put(name, Member::Value(value.into()));
    }

    /// Sets a member if there is a value for it.
    pub(super) fn set_some(&mut self, name: &str, value: Option<impl Into<Value>>) {
        if let Some(value) = value {
            self.set(name, value);
        }
    }

    /// Sets a member to JSON text, given in pieces.
    pub(super) fn set_text(&mut self, name: &str, pieces: Vec<Bytes>) {
        self.put(name, Member::Text(pieces));
    }

    /// Sets members that a user gave.
    pub(super) fn extend(&mut self, members: &Map<String, Value>) {
        for (name, value) in members {
            self.set(name, value.clone());
        }
    }

    fn put(&mut self, name: &str, member: Member) {
        match self.members.iter_mut().find(|(known, _)| known == name) {
            Some((_, old)) => *old = member,
            None => self.members.push((name.to_owned(), member)),
        }
    }

    /// The text of the body.
    pub(super) fn into_bytes(self) -> Vec<u8> {
        let pieces: usize = self
            .members
            .iter()
            .map(|(name, member)| {
                let bytes = match member {
                    Member::Value(_) => 0,
                    Member::Text(pieces) => pieces.iter().map(Bytes::len).sum(),
                };
                name.len() + bytes
            })
            .sum();
        // The other members are few and short.
        let mut out = Vec::with_capacity(room(pieces + 4096));
        out.push(b'{');
        for (at, (name, member)) in self.members.iter().enumerate() {
            if at > 0 {
                out.push(b',');
            }
            write(name, &mut out);
            out.push(b':');
            match member {
                Member::Value(value) => write(value, &mut out),
                Member::Text(pieces) => {
                    for piece in pieces {
                        out.extend_from_slice(piece);
                    }
                }
            }
        }
        out.push(b'}');
        out
    }
}

/// A list of the given elements, each of them with commas between its own parts; empty ones are left out.
pub(super) fn list(elements: impl IntoIterator<Item = Bytes>) -> Vec<Bytes> {
    let mut pieces = vec![Bytes::from_static(b"[")];
    for element in elements {
        if element.is_empty() {
            continue;
        }
        if pieces.len() > 1 {
            pieces.push(Bytes::from_static(b","));
        }
        pieces.push(element);
    }
    pieces.push(Bytes::from_static(b"]"));
    pieces
}

/// The same text, if somebody has it: conversations with the same tools and the same prompt keep one text of them.
fn shared(text: Bytes) -> Bytes {
    static KNOWN: Mutex<Vec<Bytes>> = Mutex::new(Vec::new());
    let mut known = KNOWN.lock();
    // Those that nobody else has.
    known.retain(|known| !known.is_unique());
    if let Some(found) = known.iter().find(|known| **known == text) {
        return found.clone();
    }
    if known.len() < MAX_SHARED {
        known.push(text.clone());
    }
    text
}

/// Values with commas between them.
fn elements(values: &[Value]) -> Bytes {
    let mut out = Vec::new();
    for (at, value) in values.iter().enumerate() {
        if at > 0 {
            out.push(b',');
        }
        write(value, &mut out);
    }
    out.shrink_to_fit();
    out.into()
}

fn text(value: &Value) -> Bytes {
    let mut out = Vec::new();
    write(value, &mut out);
    out.shrink_to_fit();
    out.into()
}

fn write(value: &(impl Serialize + ?Sized), out: &mut Vec<u8>) {
    let before = out.len();
    // Text and values of JSON can always be written; should one not be, the body stays readable.
    if serde_json::to_writer(&mut *out, value).is_err() {
        out.truncate(before);
        out.extend_from_slice(b"null");
    }
}

#[cfg(test)]
#[path = "body_tests.rs"]
mod tests;
