//! Chooses a model per call.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use futures_util::future::BoxFuture;
use openhands_protocol::message::Content;
use tokio_util::sync::CancellationToken;

use crate::error::LlmError;
use crate::features::ModelFeatures;
use crate::model::{ChatModel, ChatRequest, PartStream};
use crate::tokens::estimate_tokens;

/// How a model is chosen.
enum Rule {
    /// The second model takes what it can: no images, and no more than fits.
    Multimodal { secondary: Arc<dyn ChatModel> },
    /// Any model, by chance.
    Random {
        others: Vec<Arc<dyn ChatModel>>,
        state: AtomicU64,
    },
}

/// A model that passes each call on to one of several.
pub struct RouterModel {
    primary: Arc<dyn ChatModel>,
    rule: Rule,
}

impl std::fmt::Debug for RouterModel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RouterModel").finish_non_exhaustive()
    }
}

impl RouterModel {
    /// Calls with images, and calls too long for the secondary model, go to the primary one; others to the secondary.
    pub fn multimodal(primary: Arc<dyn ChatModel>, secondary: Arc<dyn ChatModel>) -> Self {
        Self {
            primary,
            rule: Rule::Multimodal { secondary },
        }
    }

    /// Calls go to any of the models. The same seed gives the same choices.
    pub fn random(primary: Arc<dyn ChatModel>, others: Vec<Arc<dyn ChatModel>>, seed: u64) -> Self {
        Self {
            primary,
            rule: Rule::Random {
                others,
                state: AtomicU64::new(seed),
            },
        }
    }

    fn choose(&self, request: &ChatRequest) -> &Arc<dyn ChatModel> {
        match &self.rule {
            Rule::Multimodal { secondary } => {
                let fits = secondary
                    .features()
                    .context_window
                    .is_none_or(|window| estimate_tokens(request) <= window);
                if fits && !has_images(request) {
                    secondary
                } else {
                    &self.primary
                }
            }
            Rule::Random { others, state } => {
                let count = u64::try_from(others.len())
                    .unwrap_or(u64::MAX)
                    .saturating_add(1);
                let pick = mix(state.fetch_add(STEP, Ordering::Relaxed)) % count;
                let other = usize::try_from(pick)
                    .ok()
                    .and_then(|pick| pick.checked_sub(1));
                other
                    .and_then(|other| others.get(other))
                    .unwrap_or(&self.primary)
            }
        }
    }
}

impl ChatModel for RouterModel {
    fn stream(
        &self,
        request: ChatRequest,
        cancel: CancellationToken,
    ) -> BoxFuture<'_, Result<PartStream, LlmError>> {
        self.choose(&request).stream(request, cancel)
    }

    fn features(&self) -> &ModelFeatures {
        self.primary.features()
    }
}

fn has_images(request: &ChatRequest) -> bool {
    let mut parts = request.messages.iter().flat_map(|message| &message.content);
    parts.any(|part| matches!(part, Content::Image(_)))
}

/// Step and mixer of SplitMix64: spreads a counter evenly.
const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

fn mix(state: u64) -> u64 {
    let state = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let state = (state ^ (state >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    state ^ (state >> 31)
}

#[cfg(test)]
#[path = "router_tests.rs"]
mod tests;
