//! Parts of the API that come later. Lists say what there is, which is nothing; the rest says that it is not there yet.

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use openhands_protocol::agent::{
    AcpModelDiscovery, AcpModelDiscoveryRequest, ActivateMetaProfileResponse, MetaProfile,
    MetaProfileDetailResponse, MetaProfileInfo, MetaProfileListResponse,
    MetaProfileMutationResponse, MetaProfilePath,
};
use openhands_protocol::extensions::{
    AppBackendSessionResponse, BackendLogs, BackendLogsQuery, BackendRevisionRequest,
    BackendStatus, ExtensionPath, InstallCanvasExtensionRequest, InstalledCanvasExtensionResponse,
    InstalledCanvasExtensionsListResponse, UninstallCanvasExtensionResponse,
    UpdateCanvasExtensionStateRequest, UpdateCanvasExtensionStateResponse,
};
use openhands_protocol::openai::{
    ChatCompletion, OpenAiChatCompletionRequest, OpenAiModelListResponse, OpenAiResponse,
    OpenAiResponseRequest,
};
use openhands_protocol::plugins::{
    FetchPluginRequest, FetchPluginResponse, InstallPluginRequest, InstalledPluginResponse,
    InstalledPluginsListResponse, PluginMarketplaceResponse, PluginPath, PluginsRequest,
    PluginsResponse, UninstallPluginResponse, UpdatePluginResponse, UpdatePluginStateRequest,
    UpdatePluginStateResponse,
};

use crate::app::App;
use crate::http::{Access, ApiError, Body, Path, Query, Reply, Routes};

pub(crate) fn routes() -> Routes {
    plugins()
        .merge(extensions())
        .merge(backends())
        .merge(meta_profiles())
        .merge(gateway())
        .all_hidden()
}

fn plugins() -> Routes {
    const ONE: &str = "/api/plugins/installed/{plugin_name}";
    Routes::new()
        .post("/api/plugins", |_: Body<PluginsRequest>| {
            none::<PluginsResponse>()
        })
        .says("The plugins of the user and of a project")
        .answers::<PluginsResponse>(200)
        .get(
            "/api/plugins/installed",
            none::<InstalledPluginsListResponse>,
        )
        .says("The installed plugins")
        .answers::<InstalledPluginsListResponse>(200)
        .get(
            "/api/plugins/marketplace",
            none::<PluginMarketplaceResponse>,
        )
        .says("The plugins that can be installed")
        .answers::<PluginMarketplaceResponse>(200)
        .post("/api/plugins/install", |_: Body<InstallPluginRequest>| {
            later("Installing plugins")
        })
        .says("Installs a plugin")
        .answers::<InstalledPluginResponse>(200)
        .post("/api/plugins/fetch", |_: Body<FetchPluginRequest>| {
            later("Fetching plugins")
        })
        .says("Fetches a plugin without installing it")
        .answers::<FetchPluginResponse>(200)
        .get(ONE, |_: Path<PluginPath>| later("Installing plugins"))
        .says("An installed plugin")
        .answers::<InstalledPluginResponse>(200)
        .patch(
            ONE,
            |_: Path<PluginPath>, _: Body<UpdatePluginStateRequest>| later("Installing plugins"),
        )
        .says("Turns an installed plugin on or off")
        .answers::<UpdatePluginStateResponse>(200)
        .delete(ONE, |_: Path<PluginPath>| later("Installing plugins"))
        .says("Removes an installed plugin")
        .answers::<UninstallPluginResponse>(200)
        .post(
            "/api/plugins/installed/{plugin_name}/refresh",
            |_: Path<PluginPath>| later("Installing plugins"),
        )
        .says("Fetches an installed plugin again")
        .answers::<UpdatePluginResponse>(200)
}

fn extensions() -> Routes {
    const ONE: &str = "/api/canvas-extensions/installed/{extension_name}";
    Routes::new()
        .get(
            "/api/canvas-extensions/installed",
            none::<InstalledCanvasExtensionsListResponse>,
        )
        .says("The installed extensions of the web page")
        .answers::<InstalledCanvasExtensionsListResponse>(200)
        .post(
            "/api/canvas-extensions/install",
            |_: Body<InstallCanvasExtensionRequest>| later(EXTENSIONS),
        )
        .says("Installs an extension of the web page")
        .answers::<InstalledCanvasExtensionResponse>(200)
        .get(ONE, extension)
        .says("An installed extension")
        .answers::<InstalledCanvasExtensionResponse>(200)
        .patch(
            ONE,
            |_: Path<ExtensionPath>, _: Body<UpdateCanvasExtensionStateRequest>| later(EXTENSIONS),
        )
        .says("Turns an installed extension on or off")
        .answers::<UpdateCanvasExtensionStateResponse>(200)
        .delete(ONE, extension)
        .says("Removes an installed extension")
        .answers::<UninstallCanvasExtensionResponse>(200)
        .get(
            "/api/canvas-extensions/installed/{extension_name}/bundle",
            extension,
        )
        .says("The script of an extension")
        .get(
            "/api/canvas-extensions/installed/{extension_name}/icon",
            extension,
        )
        .says("The icon of an extension")
}

fn backends() -> Routes {
    const SESSION: &str = "/app-backends/{extension_name}/session";
    Routes::new()
        .get(
            "/api/canvas-extensions/installed/{extension_name}/backend",
            extension,
        )
        .says("What the backend of an extension is doing")
        .answers::<BackendStatus>(200)
        .post(
            "/api/canvas-extensions/installed/{extension_name}/backend/prepare",
            |_: Path<ExtensionPath>, _: Body<BackendRevisionRequest>| later(EXTENSIONS),
        )
        .says("Makes the backend of an extension ready to start")
        .answers::<BackendStatus>(200)
        .post(
            "/api/canvas-extensions/installed/{extension_name}/backend/start",
            |_: Path<ExtensionPath>, _: Body<BackendRevisionRequest>| later(EXTENSIONS),
        )
        .says("Starts the backend of an extension")
        .answers::<BackendStatus>(200)
        .post(
            "/api/canvas-extensions/installed/{extension_name}/backend/stop",
            extension,
        )
        .says("Stops the backend of an extension")
        .answers::<BackendStatus>(200)
        .get(
            "/api/canvas-extensions/installed/{extension_name}/backend/logs",
            |_: Path<ExtensionPath>, _: Query<BackendLogsQuery>| later(EXTENSIONS),
        )
        .says("What the backend of an extension wrote")
        .answers::<BackendLogs>(200)
        .delete(
            "/api/canvas-extensions/installed/{extension_name}/backend/data",
            extension,
        )
        .says("Removes what the backend of an extension keeps")
        .answers::<BackendStatus>(200)
        .post(SESSION, extension)
        .access(Access::Key)
        .says("Lets a page use the backend of an extension")
        .answers::<AppBackendSessionResponse>(200)
        .delete(SESSION, extension)
        .access(Access::Key)
        .says("Ends what a page may do with the backend of an extension")
        .answers_nothing(204)
}

fn meta_profiles() -> Routes {
    const ONE: &str = "/api/meta-profiles/{name}";
    Routes::new()
        .get("/api/meta-profiles", list_meta_profiles)
        .says("The rules for choosing a saved model by the task")
        .answers::<MetaProfileListResponse>(200)
        .get(ONE, |_: Path<MetaProfilePath>| later(META_PROFILES))
        .says("One set of rules")
        .answers::<MetaProfileDetailResponse>(200)
        .post(ONE, |_: Path<MetaProfilePath>, _: Body<MetaProfile>| {
            later(META_PROFILES)
        })
        .says("Saves a set of rules")
        .answers::<MetaProfileMutationResponse>(201)
        .delete(ONE, |_: Path<MetaProfilePath>| later(META_PROFILES))
        .says("Removes a set of rules")
        .answers::<MetaProfileMutationResponse>(200)
        .post(
            "/api/meta-profiles/{name}/activate",
            |_: Path<MetaProfilePath>| later(META_PROFILES),
        )
        .says("Chooses models by a set of rules")
        .answers::<ActivateMetaProfileResponse>(200)
}

fn gateway() -> Routes {
    Routes::new()
        .get("/v1/models", none::<OpenAiModelListResponse>)
        .says("The models of the OpenAI-compatible gateway")
        .answers::<OpenAiModelListResponse>(200)
        .post(
            "/v1/chat/completions",
            |_: Body<OpenAiChatCompletionRequest>| later("The OpenAI-compatible gateway"),
        )
        .says("Has an agent answer a chat")
        .answers::<ChatCompletion>(200)
        .post("/v1/responses", |_: Body<OpenAiResponseRequest>| {
            later("The OpenAI-compatible gateway")
        })
        .says("Has an agent answer a request")
        .answers::<OpenAiResponse>(200)
        .post("/api/acp/models", |_: Body<AcpModelDiscoveryRequest>| {
            later("Agents of the Agent Client Protocol")
        })
        .says("The models of an agent of the Agent Client Protocol")
        .answers::<AcpModelDiscovery>(200)
}

const EXTENSIONS: &str = "Extensions of the web page";
const META_PROFILES: &str = "Changing meta-profiles";

/// An empty answer.
async fn none<T: Default>() -> Reply<T> {
    Reply(T::default())
}

async fn later(what: &'static str) -> ApiError {
    let reason = format!("{what}: not there yet");
    ApiError::masked(StatusCode::NOT_IMPLEMENTED, reason)
}

async fn extension(_: Path<ExtensionPath>) -> ApiError {
    later(EXTENSIONS).await
}

/// Another server may have saved some.
async fn list_meta_profiles(
    State(app): State<Arc<App>>,
) -> Result<Reply<MetaProfileListResponse>, ApiError> {
    let list = app.stores.run(|stores| {
        let mut meta_profiles = Vec::new();
        for name in stores.meta_profiles.names()? {
            // One that cannot be read is passed over.
            if let Ok(Some(profile)) = stores.meta_profiles.load(&name) {
                meta_profiles.push(MetaProfileInfo {
                    name,
                    classifier_model: Some(profile.classifier_model),
                    num_classes: i64::try_from(profile.classes.len()).unwrap_or(i64::MAX),
                    ..MetaProfileInfo::default()
                });
            }
        }
        Ok(MetaProfileListResponse {
            meta_profiles,
            active_meta_profile: stores.settings.load()?.active_meta_profile,
            ..MetaProfileListResponse::default()
        })
    });
    Ok(Reply(list.await?))
}
