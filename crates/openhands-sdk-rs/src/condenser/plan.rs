//! Whether to forget, how urgently, and from where to where.

use std::ops::Range;

use openhands_protocol::agent::LlmSummarizingCondenser;

use super::RequestSize;
use crate::view::{ItemRole, View, ViewItem};

/// Why a view should become shorter.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Reasons {
    /// It was asked for.
    pub(super) requested: bool,
    /// The view has more events than it should.
    pub(super) too_long: bool,
    /// How many tokens fit, if the view has more.
    pub(super) too_large_for: Option<u64>,
}

impl Reasons {
    pub(super) fn of(settings: &LlmSummarizingCondenser, view: &View, size: RequestSize) -> Self {
        let own_limit = settings.max_tokens.and_then(|limit| limit.try_into().ok());
        let limit: Option<u64> = own_limit.into_iter().chain(size.max_input_tokens).min();
        Self {
            requested: view.is_condensation_requested(),
            too_long: signed(view.len()) > settings.max_size,
            too_large_for: limit.filter(|limit| view.tokens() + size.tool_tokens > *limit),
        }
    }

    pub(super) fn is_none(self) -> bool {
        self == Self::default()
    }

    /// Whether the agent cannot go on before something is forgotten.
    pub(super) fn must(self) -> bool {
        self.requested || self.too_large_for.is_some()
    }
}

/// Which events of the view to forget, if enough of them can be.
pub(super) fn range(
    settings: &LlmSummarizingCondenser,
    view: &View,
    size: RequestSize,
    reasons: Reasons,
) -> Option<Range<usize>> {
    let by_request = reasons
        .requested
        .then(|| tail_of(settings, signed(view.len())));
    let by_length = reasons
        .too_long
        .then(|| tail_of(settings, settings.max_size));
    let by_tokens = reasons
        .too_large_for
        .map(|limit| tail_that_fits(settings, view, size, limit));
    // All limits are to be met, so the shortest tail decides.
    let tail = by_request
        .into_iter()
        .chain(by_length)
        .chain(by_tokens)
        .min()?;
    let end = usize::try_from(signed(view.len()).saturating_sub(tail)).ok()?;
    let start = keep_first(settings).max(behind_system_prompt(view));
    let cuts = view.cut_points();
    let range = cuts.next_from(start)?..cuts.next_from(end)?;
    has_progress(settings, view, &range).then_some(range)
}

/// Everything behind the system prompt, if a summary would make it shorter.
pub(super) fn all(view: &View) -> Option<Range<usize>> {
    let range = behind_system_prompt(view)..view.len();
    shrinks(view, &range).then_some(range)
}

/// Whether a summary can be shorter than these events: there is something, and it is not just a summary.
fn shrinks(view: &View, range: &Range<usize>) -> bool {
    let mut items = view.items().skip(range.start).take(range.len());
    let first = items.next().map(ViewItem::role);
    first.is_some_and(|role| *role != ItemRole::Summary) || items.next().is_some()
}

/// How many events may stay at the end when the view is to have half of `target` events: the first ones and the
/// summary are part of them.
pub(super) fn tail_of(settings: &LlmSummarizingCondenser, target: i64) -> i64 {
    target / 2 - settings.keep_first - 1
}

/// How many events may stay at the end when half of the tokens are to be left free.
fn tail_that_fits(
    settings: &LlmSummarizingCondenser,
    view: &View,
    size: RequestSize,
    limit: u64,
) -> i64 {
    let total = view.tokens() + size.tool_tokens;
    let excess = total.saturating_sub(limit / 2);
    let kept = keep_first(settings);
    let mut removed = 0;
    let enough = view.items().skip(kept).position(|item| {
        removed += item.tokens();
        removed > excess
    });
    let behind = view.len().saturating_sub(kept);
    signed(behind.saturating_sub(enough.map_or(behind, |last| last + 1)))
}

fn has_progress(settings: &LlmSummarizingCondenser, view: &View, range: &Range<usize>) -> bool {
    #[allow(clippy::cast_precision_loss)]
    let (forgotten, all) = (range.len() as f64, view.len() as f64);
    shrinks(view, range) && forgotten >= all * settings.minimum_progress
}

fn behind_system_prompt(view: &View) -> usize {
    view.items()
        .position(|item| *item.role() == ItemRole::System)
        .map_or(0, |at| at + 1)
}

fn keep_first(settings: &LlmSummarizingCondenser) -> usize {
    usize::try_from(settings.keep_first).unwrap_or(0)
}

fn signed(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}
