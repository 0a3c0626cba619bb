//! Models: how to reach them, what they cost, which exist.

mod catalog;
mod config;
mod metrics;
mod profile;
mod provider_connection;

pub use catalog::{
    LlmModelsQuery, ModelsResponse, ProvidersResponse, SubscriptionDevicePollRequest,
    SubscriptionDeviceStartResponse, SubscriptionModelsResponse, SubscriptionStatusResponse,
    VerifiedModelsResponse,
};
pub use config::{
    FallbackStrategy, Llm, LlmApiMode, LlmAuthType, ReasoningEffort, ReasoningSummary,
};
pub use metrics::{Cost, Metrics, MetricsSnapshot, ResponseLatency, TokenUsage};
pub use profile::{
    ActivateProfileResponse, ProfileDetailResponse, ProfileInfo, ProfileListResponse,
    ProfileMutationResponse, ProfilePath, RenameProfileRequest, SaveProfileRequest,
    ValidateProfileError, ValidateProfileRequest, ValidateProfileResponse,
};
pub use provider_connection::{
    ProviderConnectionCreateRequest, ProviderConnectionPath, ProviderConnectionResponse,
    ProviderConnectionUpdateRequest, StoredProviderConnection, StoredProviderConnections,
};
