//! Types on the OpenHands wire and on disk.

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
mod secret;
pub mod secrets;
pub mod security;
pub mod server;
pub mod settings;
pub mod skills;
mod text;
mod time;
pub mod tool;
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
