//! Which models exist.

use indexmap::IndexMap;

use crate::wire::wire;

wire! {
    /// Which models to list.
    pub struct LlmModelsQuery (default) {
        /// Only those of this provider.
        provider: Option<String> = None,
    }

    /// Names of the providers.
    pub struct ProvidersResponse (default) {
        providers: Vec<String>,
    }

    /// Names of the models.
    pub struct ModelsResponse (default) {
        models: Vec<String>,
    }

    /// Models known to work well, by provider.
    pub struct VerifiedModelsResponse (default) {
        models: IndexMap<String, Vec<String>>,
    }

    /// Models of a subscription.
    pub struct SubscriptionModelsResponse (default) {
        vendor: String = "openai".to_owned(),
        models: Vec<String>,
    }

    /// Whether a subscription is connected.
    pub struct SubscriptionStatusResponse (default) {
        vendor: String = "openai".to_owned(),
        connected: bool,
        account_email: Option<String> = None,
        expires_at: Option<i64> = None,
    }

    /// A device login that was started.
    pub struct SubscriptionDeviceStartResponse (default) {
        device_code: String,
        user_code: String,
        verification_uri: String,
        verification_uri_complete: Option<String> = None,
        expires_at: i64,
        interval_seconds: i64,
    }

    /// Asks how far a device login is.
    pub struct SubscriptionDevicePollRequest (default) {
        device_code: String,
    }
}
