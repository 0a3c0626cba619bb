//! What is under way in a browser at one moment, to tell what an action begins from what went on before it.

use super::pages::{Known, TabRecord};
use std::collections::{HashMap, HashSet};

/// What was under way at one moment. Those who wait for the effects of an action need not wait for it.
#[derive(Debug, Clone, Default)]
pub struct Underway {
    downloads: HashSet<String>,
    tabs: HashMap<String, Begun>,
}

/// What a tab had begun.
#[derive(Debug, Clone, Copy, Default)]
struct Begun {
    is_loading: bool,
    requests: u64,
    navigations: u64,
}

impl Underway {
    pub(crate) fn now(known: &Known) -> Self {
        let begun = |tab: &TabRecord| Begun {
            is_loading: tab.is_loading(),
            requests: tab.requests,
            navigations: tab.navigations,
        };
        Self {
            downloads: known.downloads.keys().cloned().collect(),
            tabs: known
                .tabs
                .iter()
                .map(|tab| (tab.target.clone(), begun(tab)))
                .collect(),
        }
    }

    /// Whether nothing goes on in a tab that it has begun since.
    pub(crate) fn is_settled(&self, tab: &TabRecord) -> bool {
        let before = self.tabs.get(&tab.target).copied().unwrap_or_default();
        let is_requested = tab.requested && tab.requests > before.requests;
        // A page that loaded then may never end; another one in its place is what the action asked for.
        let is_new = !before.is_loading || tab.navigations > before.navigations;
        !(is_requested || tab.is_loading() && is_new)
    }

    /// Whether no download goes on that has begun since.
    pub(crate) fn has_saved(&self, known: &Known) -> bool {
        known
            .downloads
            .keys()
            .all(|guid| self.downloads.contains(guid))
    }
}
