//! How new agents forget.

use crate::union::union;
use crate::wire::wire;

wire! {
    /// A model sums up.
    pub struct LlmSummarizingCondenserSettings ["condenser_kind" = "llm_summarizing"] (default) {
        enabled: bool = true,
        max_size: i64 = 240,
        max_tokens: Option<i64> = None,
        keep_first: i64 = 2,
        minimum_progress: f64 = 0.1,
        hard_context_reset_max_retries: i64 = 5,
        hard_context_reset_context_scaling: f64 = 0.8,
    }

    /// Nothing is forgotten.
    pub struct NoOpCondenserSettings ["condenser_kind" = "no_op"] (default) {
        enabled: bool = true,
    }
}

union! {
    /// How new agents forget.
    pub enum CondenserSettings by "condenser_kind" {
        LlmSummarizing(LlmSummarizingCondenserSettings),
        NoOp(NoOpCondenserSettings),
    }
    default LlmSummarizing(LlmSummarizingCondenserSettings)
}

impl Default for CondenserSettings {
    fn default() -> Self {
        Self::LlmSummarizing(LlmSummarizingCondenserSettings::default())
    }
}
