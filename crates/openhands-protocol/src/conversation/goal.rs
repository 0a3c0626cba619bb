//! The goal loop: the value of the `goal` state update.

use crate::text::words;
use crate::wire::wire;

words! {
    /// How far a goal is.
    pub enum GoalState {
        Running = "running",
        Complete = "complete",
        Capped = "capped",
        Interrupted = "interrupted",
    }
}

wire! {
    /// What the judge said about a round.
    pub struct GoalVerdict (default) {
        score: f64,
        complete: bool,
        missing: String = String::new(),
    }

    /// How far a goal is.
    pub struct GoalStatus (default) {
        active: bool,
        status: GoalState,
        iteration: i64,
        max_iterations: i64,
        objective: String,
        verdict: Option<GoalVerdict> = None,
    }
}
