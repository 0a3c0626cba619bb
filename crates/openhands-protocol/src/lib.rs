//! Types on the OpenHands wire and on disk.
//!
//! Everything that the V1 API, its sockets and webhooks, the files of a conversation and the older V0 API
//! carry is a type here. The crate holds data and knows how it reads and writes; it does no I/O, knows no
//! runtime, and depends on serde and little else.
//!
//! ```text
//! event  message  tool            what happens in a conversation
//! conversation  agent  llm        what a conversation is made of
//! security  secrets  hooks  mcp   what it is allowed, given and connected to
//! skills  plugins  extensions     what it can be extended with
//! settings  workspace  git  bash  files  server  openai   the other routes
//! v0                              the older API inside a sandbox
//! ```
//!
//! Three rules hold for all of them:
//!
//! 1. **Nothing is lost.** A member that a type does not know is kept in its `extra` and written back. A
//!    union body of unknown kind, or of a known kind but wrong shape, is kept as [`RawUnion`]. A
//!    [`Reading`] can be strict instead, for an API edge.
//! 2. **The channel chooses the form.** Whether nulls are written and what becomes of secrets is a
//!    property of the writer, a [`Form`], and never of a field.
//! 3. **Secrets are masked by type.** `Debug` and plain serde show stars; only a [`Form`] reveals, seals
//!    or nulls a [`Secret`].
//!
//! ```
//! use openhands_protocol::{Event, Form};
//!
//! let text = br#"{"id":"e1","timestamp":"2026-11-15T19:07:54.170425","source":"user","kind":"PauseEvent"}"#;
//! let event = Event::from_slice(text)?;
//! assert_eq!(event.kind(), "PauseEvent");
//! assert_eq!(Form::SOCKET.to_vec(&event)?, text);
//! assert!(Form::REST.to_string(&event)?.contains(r#""parent_id":null"#));
//! # Ok::<(), serde_json::Error>(())
//! ```

pub mod agent;
pub mod bash;
pub mod conversation;
pub mod event;
pub mod extensions;
pub mod files;
pub mod git;
pub mod hooks;
mod ids;
mod json;
pub mod llm;
pub mod mcp;
pub mod message;
pub mod openai;
mod patch;
pub mod plugins;
mod reader;
pub mod schema;
mod secret;
pub mod secrets;
pub mod security;
pub mod server;
pub mod settings;
pub mod skills;
mod text;
mod time;
pub mod tool;
mod tree;
mod union;
pub mod v0;
mod wire;
pub mod workspace;
mod writer;

pub use event::Event;
pub use ids::{
    AgentProfileId, BashEventId, ConversationId, EventId, InvalidUuid, ResponseId,
    StoredConversationId, ToolCallId,
};
pub use json::{Extra, Json, JsonObject};
pub use patch::Patch;
pub use reader::{Opener, Reading, strictly};
pub use secret::{STARS, Secret, StarredSecret};
pub use text::UnknownWord;
pub use time::{EventTime, InvalidTime, UtcTime};
pub use tool::{Action, Observation, ToolAnnotations, ToolSpec};
pub use union::RawUnion;
pub use wire::{Tagged, Wire};
pub use writer::{Form, Names, Nulls, Sealer, Secrets};
