//! A model sums up the middle of a long history.

use std::ops::Range;
use std::sync::Arc;

use openhands_llm::{CallOptions, ChatModel, ChatRequest, Completion, LlmError, LlmErrorKind};
use openhands_protocol::agent::LlmSummarizingCondenser;
use openhands_protocol::event::{Condensation, EventHeader, Source};
use openhands_protocol::message::Content;
use openhands_protocol::{EventId, Extra};
use tokio_util::sync::CancellationToken;

use super::plan::{self, Reasons};
use super::preview;
use super::{CondenseError, Condensed, Connect, Forgotten, RequestSize};
use crate::view::{View, ViewItem};

/// Asks the condenser's model for a summary, if there is a reason to.
pub(super) async fn condense(
    settings: &LlmSummarizingCondenser,
    view: &View,
    size: RequestSize,
    connect: &Connect<'_>,
    cancel: &CancellationToken,
) -> Result<Condensed, CondenseError> {
    let reasons = Reasons::of(settings, view, size);
    if reasons.is_none() {
        return Ok(Condensed::Nothing);
    }
    let must = reasons.must();
    let model = match connect(&settings.llm) {
        Ok(model) => model,
        Err(error) if must => return Err(CondenseError::Model(error)),
        Err(error) => return Ok(later(&error)),
    };
    let summary = Summary {
        settings,
        view,
        model,
        cancel,
    };
    if let Some(range) = plan::range(settings, view, size, reasons) {
        match summary.of(range.clone(), usize::MAX).await {
            Ok(completion) => return Ok(summary.event(&range, completion)),
            Err(error) if error.kind == LlmErrorKind::Cancelled => {
                return Err(CondenseError::Cancelled);
            }
            Err(error) if !must => return Ok(later(&error)),
            Err(error) => {
                tracing::warn!(%error, "no summary of a part; everything is summed up instead");
            }
        }
    } else if !must {
        tracing::debug!("nothing can be forgotten now; the condensation is left for later");
        return Ok(Condensed::Nothing);
    }
    summary.of_everything().await
}

fn later(error: &LlmError) -> Condensed {
    tracing::warn!(%error, "no summary; the condensation is left for later");
    Condensed::Nothing
}

/// A summary that is being made.
struct Summary<'a> {
    settings: &'a LlmSummarizingCondenser,
    view: &'a View,
    model: Arc<dyn ChatModel>,
    cancel: &'a CancellationToken,
}

impl Summary<'_> {
    /// Sums up all that follows the system prompt, with shorter texts at each try.
    async fn of_everything(&self) -> Result<Condensed, CondenseError> {
        let range = plan::all(self.view).ok_or(CondenseError::NothingToForget)?;
        let attempts = self.settings.hard_context_reset_max_retries.clamp(1, 100);
        let attempts = u32::try_from(attempts).unwrap_or(1);
        let mut max_chars = usize::MAX;
        let mut last = LlmError::no_response();
        for _ in 0..attempts {
            match self.of(range.clone(), max_chars).await {
                Ok(completion) => return Ok(self.event(&range, completion)),
                Err(error) if error.kind == LlmErrorKind::Cancelled => {
                    return Err(CondenseError::Cancelled);
                }
                Err(error) => last = error,
            }
            max_chars = self.shorter(&range, max_chars);
            tracing::warn!(error = %last, max_chars, "no summary; trying with shorter texts");
        }
        Err(CondenseError::NoSummary {
            attempts,
            source: last,
        })
    }

    fn items(&self, range: &Range<usize>) -> impl Iterator<Item = &ViewItem> {
        self.view.items().skip(range.start).take(range.len())
    }

    async fn of(&self, range: Range<usize>, max_chars: usize) -> Result<Completion, LlmError> {
        let request = ChatRequest {
            options: CallOptions {
                // The summary is used whole.
                stream: self.settings.llm.stream.then_some(false),
                ..CallOptions::default()
            },
            ..ChatRequest::new(preview::question(self.items(&range), max_chars))
        };
        self.model.complete(request, self.cancel.clone()).await
    }

    /// The next shorter limit for the text of an event.
    fn shorter(&self, range: &Range<usize>, max_chars: usize) -> usize {
        let longest = || {
            self.items(range)
                .map(|item| preview::preview(item).chars().count())
                .max()
                .unwrap_or_default()
        };
        let limit = if max_chars == usize::MAX {
            longest()
        } else {
            max_chars
        };
        #[allow(
            clippy::cast_precision_loss,
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss
        )]
        let scaled = (limit as f64 * self.settings.hard_context_reset_context_scaling) as usize;
        scaled.min(limit)
    }

    fn event(&self, range: &Range<usize>, completion: Completion) -> Condensed {
        let text = Content::join_text(&completion.message.content);
        let has_text = completion
            .message
            .content
            .iter()
            .any(|part| part.as_text().is_some());
        let condensation = Condensation {
            header: EventHeader::now(Source::Environment),
            forgotten_event_ids: self
                .items(range)
                .map(ViewItem::id)
                .map(EventId::clone)
                .collect(),
            summary: has_text.then_some(text),
            summary_offset: i64::try_from(range.start).ok(),
            llm_response_id: completion.response_id.clone(),
            extra: Extra::EMPTY,
        };
        Condensed::Forgotten(Box::new(Forgotten {
            condensation,
            completion,
            llm: (*self.settings.llm).clone(),
        }))
    }
}
