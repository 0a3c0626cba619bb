//! A real browser: Chromium without a window, driven over a pair of pipes by Chromium's own protocol (CDP).
//!
//! ```text
//!   V1: browser_tool_set            V0: browse, browse_interactive
//!            │                                  │
//!            └────────────┬─────────────────────┘
//!                      Browser ── tabs ── Tab (frames, scripts, mouse, keyboard, picture)
//!                         │
//!            Cdp: commands ▼  ▲ events ──► Pages (what is open, what loads) and Notes (dialogs, downloads, errors)
//!                      Chromium: guarded process, private profile, no open port
//! ```
//!
//! Every wait is for an event of the browser, with a limit; only memory, and in V0 an element that is not ready yet, are
//! looked at again and again. A page that crashes, or a browser that does, fails the call that it was in, and the next call
//! finds an empty tab or a fresh browser.

mod cdp;
mod chromium;
pub mod content;
pub mod elements;
mod error;
mod events;
mod frames;
pub mod gym;
mod hidden;
mod input;
mod isolated;
pub mod keys;
mod memory;
mod notes;
mod pages;
mod profile;
mod session;
mod settings;
mod tab;
pub mod tool;
mod underway;
pub mod variables;

pub use chromium::find;
pub use error::{BrowserError, HOW_TO_INSTALL};
pub use frames::Frame;
pub use hidden::HiddenTab;
pub use input::{Button, Mouse};
pub use isolated::IsolatedWorld;
pub use notes::Note;
pub(crate) use notes::shortened;
pub use pages::{FileChooser, Heard};
pub use session::Browser;
pub use settings::{BrowserSettings, DialogPolicy};
pub use tab::{Opened, RemoteObject, Tab};
pub use underway::Underway;
