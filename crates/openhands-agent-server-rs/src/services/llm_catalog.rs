//! The names of providers and models that a user can choose from.

use std::sync::LazyLock;

use indexmap::IndexMap;
use serde::Deserialize;

/// What `data/make_llm_catalog.py` wrote.
const DATA: &str = include_str!("../../data/llm_catalog.json");

static CATALOG: LazyLock<LlmCatalog> = LazyLock::new(|| {
    serde_json::from_str(DATA).unwrap_or_else(|error| {
        tracing::error!(%error, "the catalog of models cannot be read");
        LlmCatalog::default()
    })
});

/// Names of providers and models.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct LlmCatalog {
    /// All providers, sorted.
    pub(crate) providers: Vec<String>,
    /// Models that are known to work well, by provider, the best first.
    pub(crate) verified: IndexMap<String, Vec<String>>,
    /// Models of subscriptions, by vendor.
    subscription: IndexMap<String, Vec<String>>,
    /// All models, sorted.
    models: Vec<String>,
}

/// The catalog that comes with this program.
pub(crate) fn catalog() -> &'static LlmCatalog {
    &CATALOG
}

impl LlmCatalog {
    /// All models, or those of one provider.
    pub(crate) fn models(&self, provider: Option<&str>) -> Vec<String> {
        let Some(provider) = provider else {
            return self.models.clone();
        };
        let verified = self.verified.get(provider).map_or(&[][..], Vec::as_slice);
        self.models
            .iter()
            .filter(|model| {
                let own = self.provider_of(model);
                // A name with a slash may be verified for one provider and belong to another.
                let is_elsewhere = model.contains('/') && own.is_some_and(|own| own != provider);
                own == Some(provider) || verified.contains(model) && !is_elsewhere
            })
            .cloned()
            .collect()
    }

    /// The models of a subscription, sorted.
    pub(crate) fn subscription_models(&self, vendor: &str) -> Vec<String> {
        self.subscription.get(vendor).cloned().unwrap_or_default()
    }

    /// Whose model it is, if its name tells.
    fn provider_of<'a>(&'a self, model: &'a str) -> Option<&'a str> {
        let parts = match model.split_once('/') {
            Some(parts) => Some(parts),
            // `gpt-4.1` has a version and no provider.
            None => model
                .split_once('.')
                .filter(|(_, rest)| !rest.starts_with(|c: char| c.is_ascii_digit())),
        };
        let Some((prefix, _)) = parts else {
            let mut verified = self.verified.iter();
            return verified
                .find(|(_, models)| models.iter().any(|known| known == model))
                .map(|(provider, _)| provider.as_str());
        };
        self.providers
            .iter()
            .find(|provider| *provider == prefix)
            .map(String::as_str)
    }
}
