//! Types on the OpenHands wire and on disk.

mod ids;
mod json;
pub mod message;
mod reader;
mod secret;
mod text;
mod time;
pub mod tool;
mod union;
mod wire;
mod writer;

pub use ids::{
    AgentProfileId, BashEventId, ConversationId, EventId, InvalidUuid, ResponseId, ToolCallId,
};
pub use json::{Extra, Json, JsonObject};
pub use reader::{Opener, Reading, strictly};
pub use secret::{STARS, Secret};
pub use text::UnknownWord;
pub use time::{EventTime, InvalidTime, UtcTime};
pub use tool::{Action, Observation, ToolAnnotations, ToolSpec};
pub use union::RawUnion;
pub use wire::{Tagged, Wire};
pub use writer::{Form, Nulls, Sealer, Secrets};
