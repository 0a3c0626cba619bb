//! How an agent forgets.

use crate::llm::Llm;
use crate::schema::Telling;
use crate::union::union;
use crate::wire::wire;

wire! {
    /// Lets a model sum up the middle of a long history.
    pub struct LlmSummarizingCondenser ["kind" = "LLMSummarizingCondenser"] (default) {
        llm: Box<Llm>,
        max_size in [gt(0.0)]: i64 = 240,
        max_tokens: Option<i64> = None,
        keep_first in [ge(0.0)]: i64 = 2,
        minimum_progress in [gt(0.0) lt(1.0)]: f64 = 0.1,
        hard_context_reset_max_retries in [gt(0.0)]: i64 = 5,
        hard_context_reset_context_scaling in [gt(0.0) lt(1.0)]: f64 = 0.8,
    }

    /// Forgets nothing.
    pub struct NoOpCondenser ["kind" = "NoOpCondenser"] (default) {
    }

    /// Several condensers, one after the other.
    pub struct PipelineCondenser ["kind" = "PipelineCondenser"] (default) {
        condensers: Vec<Condenser>,
    }
}

union! {
    /// What shortens the view of the history.
    pub enum Condenser by "kind" {
        LlmSummarizing(LlmSummarizingCondenser),
        NoOp(NoOpCondenser),
        Pipeline(PipelineCondenser),
    }
    told Telling::Class {
        path: "openhands.sdk.context.condenser.base.CondenserBase",
        default: None,
    }
}
