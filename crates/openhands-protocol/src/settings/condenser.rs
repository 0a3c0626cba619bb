//! How new agents forget.

use crate::schema::Telling;
use crate::union::union;
use crate::wire::wire;

wire! {
    /// A model sums up.
    pub struct LlmSummarizingCondenserSettings ["condenser_kind" = "llm_summarizing"] (default) {
        enabled: bool = true,
        max_size in [ge(20.0)]: i64 = 240,
        max_tokens in [gt(0.0)]: Option<i64> = None,
        keep_first in [ge(0.0)]: i64 = 2,
        minimum_progress in [gt(0.0) lt(1.0)]: f64 = 0.1,
        hard_context_reset_max_retries in [gt(0.0)]: i64 = 5,
        hard_context_reset_context_scaling in [gt(0.0) lt(1.0)]: f64 = 0.8,
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
    told Telling::Tag { found_using: "_condenser_settings_discriminator()" }
}

impl Default for CondenserSettings {
    fn default() -> Self {
        Self::LlmSummarizing(LlmSummarizingCondenserSettings::default())
    }
}
