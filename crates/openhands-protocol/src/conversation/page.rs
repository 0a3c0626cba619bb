//! Pages of lists.

use crate::bash::BashEvent;
use crate::conversation::ConversationInfo;
use crate::event::Event;
use crate::files::SubdirectoryEntry;
use crate::wire::wire;

wire! {
    /// Conversations.
    pub struct ConversationPage (default) {
        items: Vec<ConversationInfo>,
        /// Hex id of the first conversation of the next page.
        next_page_id when always: Option<String> = None,
    }

    /// Events of a conversation.
    pub struct EventPage (default) {
        items: Vec<Event>,
        /// Id of the first event of the next page.
        next_page_id when always: Option<String> = None,
    }

    /// Bash events.
    pub struct BashEventPage (default) {
        items: Vec<BashEvent>,
        next_page_id when always: Option<String> = None,
    }

    /// Directories.
    pub struct SubdirectoryPage (default) {
        items: Vec<SubdirectoryEntry>,
        next_page_id when always: Option<String> = None,
    }
}
