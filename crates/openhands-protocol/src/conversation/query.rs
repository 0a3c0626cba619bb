//! Parameters in the paths and queries of the routes of conversations and their events.

use crate::conversation::{ConversationSortOrder, EventSortOrder, ExecutionStatus};
use crate::event::Source;
use crate::ids::{ConversationId, EventId};
use crate::time::EventTime;
use crate::wire::wire;

wire! {
    /// Which conversation.
    pub struct ConversationPath {
        conversation_id: ConversationId,
    }

    /// Which event of which conversation.
    pub struct EventPath {
        conversation_id: ConversationId,
        event_id: EventId,
    }

    /// Whether skills are shown whole.
    pub struct IncludeSkillsQuery (default) {
        include_skills: bool = false,
    }

    /// Which conversations.
    pub struct SearchConversationsQuery (default) {
        page_id: Option<String> = None,
        limit in [gt(0.0) le(100.0)]: i64 = 100,
        status: Option<ExecutionStatus> = None,
        sort_order: ConversationSortOrder = ConversationSortOrder::CreatedAtDesc,
        include_skills: bool = false,
    }

    /// Which conversations are counted.
    pub struct CountConversationsQuery (default) {
        status: Option<ExecutionStatus> = None,
    }

    /// Some conversations by id.
    pub struct BatchConversationsQuery (default) {
        ids in [max_length(99)]: Vec<ConversationId>,
        include_skills: bool = false,
    }

    /// Which events.
    pub struct SearchEventsQuery (default) {
        page_id: Option<String> = None,
        limit in [gt(0.0) le(100.0)]: i64 = 100,
        kind: Option<String> = None,
        source: Option<Source> = None,
        body: Option<String> = None,
        sort_order: EventSortOrder = EventSortOrder::Timestamp,
        since as "timestamp__gte": Option<EventTime> = None,
        before as "timestamp__lt": Option<EventTime> = None,
    }

    /// Which events are counted.
    pub struct CountEventsQuery (default) {
        kind: Option<String> = None,
        source: Option<Source> = None,
        body: Option<String> = None,
        since as "timestamp__gte": Option<EventTime> = None,
        before as "timestamp__lt": Option<EventTime> = None,
    }
}
