//! Commands that run beside the agent, and their output.

use crate::ids::BashEventId;
use crate::text::words;
use crate::time::UtcTime;
use crate::union::union;
use crate::wire::wire;

wire! {
    /// A command was started.
    pub struct BashCommand ["kind" = "BashCommand"] {
        command: String,
        cwd: Option<String> = None,
        timeout: i64 = 300,
        id: BashEventId = BashEventId::random(),
        timestamp: UtcTime = UtcTime::now(),
    }

    /// A piece of output, or the end of a command.
    pub struct BashOutput ["kind" = "BashOutput"] {
        id: BashEventId = BashEventId::random(),
        timestamp: UtcTime = UtcTime::now(),
        command_id: BashEventId,
        order: i64 = 0,
        exit_code: Option<i64> = None,
        stdout: Option<String> = None,
        stderr: Option<String> = None,
    }

    /// A client frame was refused.
    pub struct BashError ["kind" = "BashError"] {
        id: BashEventId = BashEventId::random(),
        timestamp: UtcTime = UtcTime::now(),
        code: String,
        detail: String,
    }
}

union! {
    /// What happened to a command.
    pub enum BashEvent by "kind" {
        Command(BashCommand),
        Output(BashOutput),
        Error(BashError),
    }
}

wire! {
    /// A command to run.
    pub struct ExecuteBashRequest (default) {
        command: String,
        cwd: Option<String> = None,
        timeout: i64 = 300,
    }
}

words! {
    /// The order of a page.
    pub enum BashEventSortOrder {
        Timestamp = "TIMESTAMP",
        TimestampDesc = "TIMESTAMP_DESC",
    }
}

words! {
    /// Kinds of stored events.
    pub enum BashEventKind {
        Command = "BashCommand",
        Output = "BashOutput",
    }
}

wire! {
    /// Which bash events to list.
    pub struct SearchBashEventsQuery (default) {
        /// Only this kind.
        kind as "kind__eq": Option<BashEventKind> = None,
        /// Only output of this command.
        command_id as "command_id__eq": Option<BashEventId> = None,
        /// Not before this time; without a zone it is UTC.
        from as "timestamp__gte": Option<UtcTime> = None,
        /// Before this time; without a zone it is UTC.
        before as "timestamp__lt": Option<UtcTime> = None,
        /// Only output whose order is greater: what is new since the last look.
        after_order as "order__gt": Option<i64> = None,
        /// Which way the list goes.
        sort_order: BashEventSortOrder = BashEventSortOrder::Timestamp,
        /// `next_page_id` of the page before.
        page_id: Option<String> = None,
        /// How many at most.
        limit in [gt(0.0) le(100.0)]: i64 = 100,
    }

    /// A bash event in the path.
    pub struct BashEventPath (default) {
        /// Its id, without dashes.
        event_id: String,
    }

    /// A command in the path.
    pub struct BashCommandPath {
        /// Its id.
        command_id: BashEventId,
    }
}

wire! {
    /// How many bash events were removed.
    pub struct ClearedBashEvents (default) {
        cleared_count: i64 = 0,
    }
}
