//! Frames of the session socket.

use crate::event::Event;
use crate::ids::EventId;
use crate::secret::Secret;
use crate::text::words;
use crate::union::union;
use crate::wire::wire;

words! {
    /// What a delta is a piece of.
    pub enum DeltaKind {
        Text = "text",
        Reasoning = "reasoning",
    }
}

wire! {
    /// The first frame: which events will be replayed.
    pub struct SyncFrame ["type" = "sync"] (default) {
        from_seq: Option<i64> = None,
        through_seq: Option<i64> = None,
    }

    /// A stored event and its place in the log.
    pub struct DurableFrame ["type" = "durable"] {
        seq: i64,
        event: Event,
    }

    /// An event that is not stored.
    pub struct TransientFrame ["type" = "transient"] {
        event: Event,
    }

    /// An answer begins.
    pub struct ItemStartedFrame ["type" = "item_started"] (default) {
        /// Id of the event that is to come.
        item_id: EventId,
        attempt: i64,
        anchor_seq: i64,
    }

    /// A piece of an answer.
    pub struct DeltaFrame ["type" = "delta"] (default) {
        item_id: EventId,
        attempt: i64,
        order: i64,
        kind: DeltaKind,
        content: String,
        chunk_id: Option<String> = None,
        choice_index: Option<i64> = None,
    }

    /// An answer will not come.
    pub struct ItemAbortedFrame ["type" = "item_aborted"] (default) {
        item_id: EventId,
        attempt: i64,
        reason: String,
    }

    /// A client frame was refused.
    pub struct ErrorFrame ["type" = "error"] (default) {
        code: String,
        detail: String,
    }

    /// The first frame of a client that has not shown its key yet.
    pub struct AuthFrame ["type" = "auth"] (default) {
        session_api_key: Option<Secret> = None,
    }
}

union! {
    /// A frame that the server sends on the session socket.
    pub enum SessionFrame by "type" {
        Sync(SyncFrame),
        Durable(DurableFrame),
        Transient(TransientFrame),
        ItemStarted(ItemStartedFrame),
        Delta(DeltaFrame),
        ItemAborted(ItemAbortedFrame),
        Error(ErrorFrame),
    }
}
