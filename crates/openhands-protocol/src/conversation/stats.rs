//! What a conversation has used so far.

use indexmap::IndexMap;

use crate::llm::{Metrics, MetricsSnapshot};
use crate::wire::wire;

wire! {
    /// Use of models by usage id, with one entry per call.
    pub struct ConversationStats (default) {
        usage_to_metrics: IndexMap<String, Metrics> = IndexMap::new(),
    }

    /// Use of models by usage id, sums only: the form of the `stats` state update.
    pub struct ConversationStatsSnapshot (default) {
        usage_to_metrics: IndexMap<String, MetricsSnapshot> = IndexMap::new(),
    }
}
