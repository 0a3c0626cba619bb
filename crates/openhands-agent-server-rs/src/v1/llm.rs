//! The catalog of models.

use axum::http::StatusCode;
use openhands_protocol::llm::{
    LlmModelsQuery, ModelsResponse, ProvidersResponse, SubscriptionDevicePollRequest,
    SubscriptionDeviceStartResponse, SubscriptionModelsResponse, SubscriptionStatusResponse,
    VerifiedModelsResponse,
};

use crate::http::{ApiError, Body, Query, Reply, Routes};
use crate::services::llm_catalog::catalog;

pub(crate) fn routes() -> Routes {
    Routes::new()
        .get("/api/llm/providers", providers)
        .says("The names of all providers")
        .answers::<ProvidersResponse>(200)
        .get("/api/llm/models", models)
        .says("The names of all models, or of those of a provider")
        .answers::<ModelsResponse>(200)
        .get("/api/llm/models/verified", verified)
        .says("The models that are known to work well, by provider")
        .answers::<VerifiedModelsResponse>(200)
        .merge(subscription().all_hidden())
}

/// Signing in with a subscription is not there yet, so nobody is signed in.
fn subscription() -> Routes {
    Routes::new()
        .get("/api/llm/subscription/openai/models", subscription_models)
        .says("The models of a subscription")
        .answers::<SubscriptionModelsResponse>(200)
        .get("/api/llm/subscription/openai/status", not_connected)
        .says("Whether a subscription is connected")
        .answers::<SubscriptionStatusResponse>(200)
        .post("/api/llm/subscription/openai/device/start", start_login)
        .says("Starts to sign in with a subscription")
        .answers::<SubscriptionDeviceStartResponse>(200)
        .post("/api/llm/subscription/openai/device/poll", poll_login)
        .says("How far signing in is")
        .answers::<SubscriptionStatusResponse>(200)
        .post("/api/llm/subscription/openai/logout", not_connected)
        .says("Signs out")
        .answers::<SubscriptionStatusResponse>(200)
}

async fn subscription_models() -> Reply<SubscriptionModelsResponse> {
    Reply(SubscriptionModelsResponse {
        models: catalog().subscription_models("openai"),
        ..SubscriptionModelsResponse::default()
    })
}

async fn not_connected() -> Reply<SubscriptionStatusResponse> {
    Reply(SubscriptionStatusResponse::default())
}

async fn start_login() -> ApiError {
    ApiError::masked(
        StatusCode::NOT_IMPLEMENTED,
        "Signing in with a subscription is not there yet",
    )
}

async fn poll_login(_: Body<SubscriptionDevicePollRequest>) -> ApiError {
    ApiError::not_found("Subscription device login not found or expired")
}

async fn providers() -> Reply<ProvidersResponse> {
    Reply(ProvidersResponse {
        providers: catalog().providers.clone(),
        ..ProvidersResponse::default()
    })
}

async fn models(Query(query): Query<LlmModelsQuery>) -> Reply<ModelsResponse> {
    Reply(ModelsResponse {
        models: catalog().models(query.provider.as_deref()),
        ..ModelsResponse::default()
    })
}

async fn verified() -> Reply<VerifiedModelsResponse> {
    Reply(VerifiedModelsResponse {
        models: catalog().verified.clone(),
        ..VerifiedModelsResponse::default()
    })
}
