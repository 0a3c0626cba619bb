//! The catalog of models.

use openhands_protocol::llm::{
    LlmModelsQuery, ModelsResponse, ProvidersResponse, VerifiedModelsResponse,
};

use crate::http::{Query, Reply, Routes};
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
