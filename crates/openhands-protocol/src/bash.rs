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

wire! {
    /// How many bash events were removed.
    pub struct ClearedBashEvents (default) {
        cleared_count: i64 = 0,
    }
}
