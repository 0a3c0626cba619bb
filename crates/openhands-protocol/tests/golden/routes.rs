//! Which type the bodies of each route have.

use openhands_protocol::Form;
use openhands_protocol::agent::*;
use openhands_protocol::bash::*;
use openhands_protocol::conversation::*;
use openhands_protocol::event::Event;
use openhands_protocol::extensions::*;
use openhands_protocol::files::*;
use openhands_protocol::git::*;
use openhands_protocol::hooks::*;
use openhands_protocol::llm::*;
use openhands_protocol::mcp::*;
use openhands_protocol::openai::*;
use openhands_protocol::plugins::*;
use openhands_protocol::secrets::*;
use openhands_protocol::server::*;
use openhands_protocol::settings::*;
use openhands_protocol::skills::*;
use openhands_protocol::workspace::*;

use crate::compare::{Check, exact, request};

/// What a route takes and gives.
pub(crate) struct Route {
    method: &'static str,
    path: &'static str,
    pub(crate) request: Option<Check>,
    pub(crate) response: Answer,
}

/// What a route answers when all is well.
pub(crate) enum Answer {
    /// A type of ours.
    Typed(Check),
    /// Something else, and why it has no type.
    Untyped(&'static str),
}

/// A bare number is no object type.
pub(crate) const BARE_NUMBER: &str = "a bare number";
/// Files, pages and streams are no JSON.
pub(crate) const NOT_JSON: &str = "not JSON";

fn route(
    method: &'static str,
    path: &'static str,
    request: Option<Check>,
    response: Answer,
) -> Route {
    Route {
        method,
        path,
        request,
        response,
    }
}

fn gives<T: serde::Serialize + serde::de::DeserializeOwned>() -> Answer {
    Answer::Typed(exact::<T>(Form::REST))
}

fn takes<T: serde::Serialize + serde::de::DeserializeOwned>() -> Option<Check> {
    Some(request::<T>())
}

/// Finds the route of a recorded request. Literal segments win over `{}`.
pub(crate) fn find<'a>(routes: &'a [Route], method: &str, path: &str) -> Option<&'a Route> {
    let path = path.split('?').next().unwrap_or_default();
    let found: Vec<&str> = path.split('/').collect();
    routes
        .iter()
        .filter(|route| route.method == method)
        .filter(|route| {
            let wanted: Vec<&str> = route.path.split('/').collect();
            let rest = wanted.last() == Some(&"**");
            (wanted.len() == found.len() || (rest && found.len() >= wanted.len()))
                && wanted
                    .iter()
                    .zip(&found)
                    .all(|(w, f)| *w == "{}" || *w == "**" || w == f)
        })
        .min_by_key(|route| route.path.matches(['{', '*']).count())
}

pub(crate) fn all() -> Vec<Route> {
    let mut routes = conversations();
    routes.extend(server());
    routes.extend(workspace());
    routes.extend(models());
    routes.extend(extensions());
    // The same routes exist below a conversation.
    let scoped = ["/api/bash/", "/api/file/", "/api/git/", "/api/vscode/"];
    let below: Vec<Route> = workspace()
        .into_iter()
        .filter(|route| scoped.iter().any(|prefix| route.path.starts_with(prefix)))
        .map(|route| {
            let path = route.path.replacen("/api/", "/api/conversations/{}/", 1);
            Route {
                path: path.leak(),
                ..route
            }
        })
        .collect();
    routes.extend(below);
    routes
}

fn conversations() -> Vec<Route> {
    let events = Answer::Typed(exact::<EventPage>(Form::SEARCH));
    vec![
        route(
            "POST",
            "/api/conversations",
            takes::<StartConversationRequest>(),
            gives::<ConversationInfo>(),
        ),
        route(
            "GET",
            "/api/conversations",
            None,
            gives::<Vec<Option<ConversationInfo>>>(),
        ),
        route(
            "GET",
            "/api/conversations/search",
            None,
            gives::<ConversationPage>(),
        ),
        route(
            "GET",
            "/api/conversations/count",
            None,
            Answer::Untyped(BARE_NUMBER),
        ),
        route(
            "GET",
            "/api/conversations/{}",
            None,
            gives::<ConversationInfo>(),
        ),
        route(
            "PATCH",
            "/api/conversations/{}",
            takes::<UpdateConversationRequest>(),
            gives::<Success>(),
        ),
        route("DELETE", "/api/conversations/{}", None, gives::<Success>()),
        route(
            "GET",
            "/api/conversations/{}/agent_final_response",
            None,
            gives::<AgentResponseResult>(),
        ),
        route(
            "GET",
            "/api/conversations/{}/runtime",
            None,
            gives::<ConversationRuntimeInfo>(),
        ),
        route(
            "POST",
            "/api/conversations/{}/runtime/reprovision",
            None,
            gives::<ConversationRuntimeInfo>(),
        ),
        route(
            "GET",
            "/api/conversations/{}/events",
            takes::<Vec<String>>(),
            gives::<Vec<Option<Event>>>(),
        ),
        route("GET", "/api/conversations/{}/events/search", None, events),
        route(
            "GET",
            "/api/conversations/{}/events/count",
            None,
            Answer::Untyped(BARE_NUMBER),
        ),
        route(
            "GET",
            "/api/conversations/{}/events/{}",
            None,
            gives::<Event>(),
        ),
        route(
            "POST",
            "/api/conversations/{}/events",
            takes::<SendMessageRequest>(),
            gives::<Success>(),
        ),
        route(
            "POST",
            "/api/conversations/{}/events/respond_to_confirmation",
            takes::<ConfirmationResponseRequest>(),
            gives::<Success>(),
        ),
        route(
            "POST",
            "/api/conversations/{}/run",
            None,
            gives::<Success>(),
        ),
        route(
            "POST",
            "/api/conversations/{}/pause",
            None,
            gives::<Success>(),
        ),
        route(
            "POST",
            "/api/conversations/{}/interrupt",
            None,
            gives::<Success>(),
        ),
        route(
            "POST",
            "/api/conversations/{}/condense",
            None,
            gives::<Success>(),
        ),
        route(
            "POST",
            "/api/conversations/{}/secrets",
            takes::<UpdateSecretsRequest>(),
            gives::<Success>(),
        ),
        route(
            "POST",
            "/api/conversations/{}/confirmation_policy",
            takes::<SetConfirmationPolicyRequest>(),
            gives::<Success>(),
        ),
        route(
            "POST",
            "/api/conversations/{}/security_analyzer",
            takes::<SetSecurityAnalyzerRequest>(),
            gives::<Success>(),
        ),
        route(
            "POST",
            "/api/conversations/{}/switch_profile",
            takes::<SwitchProfileRequest>(),
            gives::<Success>(),
        ),
        route(
            "POST",
            "/api/conversations/{}/switch_llm",
            takes::<SwitchLlmRequest>(),
            gives::<Success>(),
        ),
        route(
            "POST",
            "/api/conversations/{}/switch_acp_model",
            takes::<SwitchAcpModelRequest>(),
            gives::<Success>(),
        ),
        route(
            "POST",
            "/api/conversations/{}/load_plugin",
            takes::<LoadPluginRequest>(),
            gives::<Success>(),
        ),
        route(
            "POST",
            "/api/conversations/{}/ask_agent",
            takes::<AskAgentRequest>(),
            gives::<AskAgentResponse>(),
        ),
        route(
            "POST",
            "/api/conversations/{}/fork",
            takes::<ForkConversationRequest>(),
            gives::<ConversationInfo>(),
        ),
        route(
            "POST",
            "/api/conversations/{}/navigate",
            takes::<NavigateConversationRequest>(),
            gives::<ConversationInfo>(),
        ),
        route(
            "POST",
            "/api/conversations/{}/goal",
            takes::<StartGoalRequest>(),
            gives::<Success>(),
        ),
        route(
            "POST",
            "/api/conversations/{}/goal/stop",
            None,
            gives::<Success>(),
        ),
        route(
            "POST",
            "/api/conversations/{}/goal/resume",
            None,
            gives::<Success>(),
        ),
        route(
            "POST",
            "/api/conversations/{}/children",
            takes::<StartChildConversationRequest>(),
            gives::<StartChildConversationResponse>(),
        ),
        route(
            "GET",
            "/api/conversations/{}/workspace",
            None,
            Answer::Untyped(NOT_JSON),
        ),
        route(
            "GET",
            "/api/conversations/{}/workspace/**",
            None,
            Answer::Untyped(NOT_JSON),
        ),
    ]
}

fn server() -> Vec<Route> {
    vec![
        route("GET", "/", None, gives::<ServerInfo>()),
        route("GET", "/server_info", None, gives::<ServerInfo>()),
        route("GET", "/alive", None, gives::<HealthStatus>()),
        route("GET", "/health", None, gives::<HealthStatus>()),
        route("GET", "/ready", None, gives::<ReadyStatus>()),
        route("GET", "/docs", None, Answer::Untyped(NOT_JSON)),
        route("GET", "/redoc", None, Answer::Untyped(NOT_JSON)),
        route(
            "GET",
            "/openapi.json",
            None,
            Answer::Untyped("a description of the API, not part of it"),
        ),
        route("GET", "/api/init", None, gives::<InitStatus>()),
        route(
            "POST",
            "/api/init",
            takes::<InitRequest>(),
            gives::<InitStatus>(),
        ),
        route("GET", "/api/tools/", None, gives::<Vec<String>>()),
        route(
            "GET",
            "/api/tools/catalog",
            None,
            gives::<ToolCatalogResponse>(),
        ),
        route(
            "POST",
            "/api/auth/workspace-session",
            None,
            Answer::Untyped(NOT_JSON),
        ),
        route(
            "DELETE",
            "/api/auth/workspace-session",
            None,
            Answer::Untyped(NOT_JSON),
        ),
        route(
            "GET",
            "/v1/models",
            None,
            gives::<OpenAiModelListResponse>(),
        ),
        route(
            "POST",
            "/v1/chat/completions",
            takes::<OpenAiChatCompletionRequest>(),
            gives::<ChatCompletion>(),
        ),
        route(
            "POST",
            "/v1/responses",
            takes::<OpenAiResponseRequest>(),
            gives::<OpenAiResponse>(),
        ),
    ]
}

fn workspace() -> Vec<Route> {
    vec![
        route(
            "GET",
            "/api/bash/bash_events/search",
            None,
            gives::<BashEventPage>(),
        ),
        route(
            "GET",
            "/api/bash/bash_events/{}",
            None,
            gives::<BashEvent>(),
        ),
        route(
            "GET",
            "/api/bash/bash_events/",
            takes::<Vec<String>>(),
            gives::<Vec<Option<BashEvent>>>(),
        ),
        route(
            "DELETE",
            "/api/bash/bash_events",
            None,
            gives::<ClearedBashEvents>(),
        ),
        route(
            "POST",
            "/api/bash/start_bash_command",
            takes::<ExecuteBashRequest>(),
            gives::<BashCommand>(),
        ),
        route(
            "POST",
            "/api/bash/execute_bash_command",
            takes::<ExecuteBashRequest>(),
            gives::<BashOutput>(),
        ),
        route(
            "POST",
            "/api/bash/bash_commands/{}/stop",
            None,
            gives::<Success>(),
        ),
        route("GET", "/api/file/home", None, gives::<HomeResponse>()),
        route(
            "GET",
            "/api/file/search_subdirs",
            None,
            gives::<SubdirectoryPage>(),
        ),
        route("GET", "/api/file/download", None, Answer::Untyped(NOT_JSON)),
        route("GET", "/api/file/archive", None, Answer::Untyped(NOT_JSON)),
        route(
            "GET",
            "/api/file/download-trajectory/{}",
            None,
            Answer::Untyped(NOT_JSON),
        ),
        route(
            "POST",
            "/api/file/upload",
            None,
            gives::<FileUploadResult>(),
        ),
        route(
            "POST",
            "/api/file/create_directory",
            None,
            gives::<Success>(),
        ),
        route("GET", "/api/git/changes", None, gives::<Vec<GitChange>>()),
        route("GET", "/api/git/diff", None, gives::<GitDiff>()),
        route("GET", "/api/git/commits", None, gives::<GitCommitsPage>()),
        route(
            "GET",
            "/api/git/commits/{}/changes",
            None,
            gives::<Vec<GitChange>>(),
        ),
        route(
            "GET",
            "/api/git/repositories/search",
            None,
            gives::<GitProviderRepositoryPage>(),
        ),
        route("GET", "/api/vscode/url", None, gives::<VsCodeUrlResponse>()),
        route("GET", "/api/vscode/status", None, gives::<VsCodeStatus>()),
        route(
            "GET",
            "/api/workspaces",
            None,
            gives::<WorkspacesListResponse>(),
        ),
        route(
            "POST",
            "/api/workspaces",
            takes::<AddWorkspacesRequest>(),
            gives::<WorkspacesListResponse>(),
        ),
        route("DELETE", "/api/workspaces", None, gives::<DeleteResponse>()),
        route(
            "POST",
            "/api/workspaces/parents",
            takes::<AddWorkspaceParentsRequest>(),
            gives::<WorkspacesListResponse>(),
        ),
        route(
            "DELETE",
            "/api/workspaces/parents",
            None,
            gives::<DeleteResponse>(),
        ),
    ]
}

fn models() -> Vec<Route> {
    let agent_profile = takes::<AgentProfile>();
    let mcp_entries = || Answer::Typed(exact::<indexmap::IndexMap<String, McpServer>>(Form::REST));
    vec![
        route(
            "GET",
            "/api/llm/providers",
            None,
            gives::<ProvidersResponse>(),
        ),
        route("GET", "/api/llm/models", None, gives::<ModelsResponse>()),
        route(
            "GET",
            "/api/llm/models/verified",
            None,
            gives::<VerifiedModelsResponse>(),
        ),
        route(
            "GET",
            "/api/llm/subscription/openai/models",
            None,
            gives::<SubscriptionModelsResponse>(),
        ),
        route(
            "GET",
            "/api/llm/subscription/openai/status",
            None,
            gives::<SubscriptionStatusResponse>(),
        ),
        route(
            "POST",
            "/api/llm/subscription/openai/device/start",
            None,
            gives::<SubscriptionDeviceStartResponse>(),
        ),
        route(
            "POST",
            "/api/llm/subscription/openai/device/poll",
            takes::<SubscriptionDevicePollRequest>(),
            gives::<SubscriptionStatusResponse>(),
        ),
        route(
            "POST",
            "/api/llm/subscription/openai/logout",
            None,
            gives::<SubscriptionStatusResponse>(),
        ),
        route(
            "GET",
            "/api/llm/provider-connections",
            None,
            gives::<Vec<ProviderConnectionResponse>>(),
        ),
        route(
            "POST",
            "/api/llm/provider-connections",
            takes::<ProviderConnectionCreateRequest>(),
            gives::<ProviderConnectionResponse>(),
        ),
        route(
            "PATCH",
            "/api/llm/provider-connections/{}",
            takes::<ProviderConnectionUpdateRequest>(),
            gives::<ProviderConnectionResponse>(),
        ),
        route(
            "DELETE",
            "/api/llm/provider-connections/{}",
            None,
            gives::<ProviderConnectionResponse>(),
        ),
        route(
            "POST",
            "/api/acp/models",
            takes::<AcpModelDiscoveryRequest>(),
            gives::<AcpModelDiscovery>(),
        ),
        route("GET", "/api/profiles", None, gives::<ProfileListResponse>()),
        route(
            "GET",
            "/api/profiles/{}",
            None,
            gives::<ProfileDetailResponse>(),
        ),
        route(
            "POST",
            "/api/profiles/{}",
            takes::<SaveProfileRequest>(),
            gives::<ProfileMutationResponse>(),
        ),
        route(
            "DELETE",
            "/api/profiles/{}",
            None,
            gives::<ProfileMutationResponse>(),
        ),
        route(
            "POST",
            "/api/profiles/{}/rename",
            takes::<RenameProfileRequest>(),
            gives::<ProfileMutationResponse>(),
        ),
        route(
            "POST",
            "/api/profiles/{}/activate",
            None,
            gives::<ActivateProfileResponse>(),
        ),
        route(
            "POST",
            "/api/profiles/{}/validate",
            takes::<ValidateProfileRequest>(),
            gives::<ValidateProfileResponse>(),
        ),
        route(
            "GET",
            "/api/agent-profiles",
            None,
            gives::<AgentProfileListResponse>(),
        ),
        route(
            "GET",
            "/api/agent-profiles/{}",
            None,
            gives::<AgentProfileDetailResponse>(),
        ),
        route(
            "POST",
            "/api/agent-profiles/{}",
            agent_profile,
            gives::<AgentProfileMutationResponse>(),
        ),
        route(
            "DELETE",
            "/api/agent-profiles/{}",
            None,
            gives::<AgentProfileMutationResponse>(),
        ),
        route(
            "POST",
            "/api/agent-profiles/{}/rename",
            takes::<RenameAgentProfileRequest>(),
            gives::<AgentProfileMutationResponse>(),
        ),
        route(
            "POST",
            "/api/agent-profiles/{}/activate",
            None,
            gives::<ActivateAgentProfileResponse>(),
        ),
        route(
            "POST",
            "/api/agent-profiles/{}/materialize",
            takes::<MaterializeAgentProfileRequest>(),
            gives::<AgentProfileDiagnostics>(),
        ),
        route(
            "GET",
            "/api/meta-profiles",
            None,
            gives::<MetaProfileListResponse>(),
        ),
        route(
            "GET",
            "/api/meta-profiles/{}",
            None,
            gives::<MetaProfileDetailResponse>(),
        ),
        route(
            "POST",
            "/api/meta-profiles/{}",
            takes::<MetaProfile>(),
            gives::<MetaProfileMutationResponse>(),
        ),
        route(
            "DELETE",
            "/api/meta-profiles/{}",
            None,
            gives::<MetaProfileMutationResponse>(),
        ),
        route(
            "POST",
            "/api/meta-profiles/{}/activate",
            None,
            gives::<ActivateMetaProfileResponse>(),
        ),
        route("GET", "/api/settings", None, gives::<SettingsResponse>()),
        route(
            "PATCH",
            "/api/settings",
            takes::<SettingsUpdateRequest>(),
            gives::<SettingsResponse>(),
        ),
        route(
            "GET",
            "/api/settings/agent-schema",
            None,
            gives::<SettingsSchema>(),
        ),
        route(
            "GET",
            "/api/settings/conversation-schema",
            None,
            gives::<SettingsSchema>(),
        ),
        // Of these answers only the servers were recorded.
        route(
            "POST",
            "/api/settings/mcp/{}",
            takes::<McpServer>(),
            mcp_entries(),
        ),
        route(
            "PATCH",
            "/api/settings/mcp/{}",
            takes::<McpServerPatch>(),
            mcp_entries(),
        ),
        route("DELETE", "/api/settings/mcp/{}", None, mcp_entries()),
        route(
            "GET",
            "/api/settings/secrets",
            None,
            gives::<SecretsListResponse>(),
        ),
        route(
            "PUT",
            "/api/settings/secrets",
            takes::<SecretCreateRequest>(),
            gives::<SecretItemResponse>(),
        ),
        route(
            "GET",
            "/api/settings/secrets/{}",
            None,
            Answer::Untyped(NOT_JSON),
        ),
        route(
            "DELETE",
            "/api/settings/secrets/{}",
            None,
            gives::<DeleteResponse>(),
        ),
        route(
            "POST",
            "/api/mcp/test",
            takes::<McpTestRequest>(),
            gives::<McpTestResponse>(),
        ),
        route(
            "POST",
            "/api/mcp/oauth/start",
            takes::<McpTestRequest>(),
            gives::<McpOauthStartResponse>(),
        ),
        route(
            "GET",
            "/api/mcp/oauth/status/{}",
            None,
            gives::<McpOauthStatusResponse>(),
        ),
        route(
            "POST",
            "/api/mcp/oauth/callback/{}",
            takes::<McpOauthCallbackRequest>(),
            gives::<McpOauthStatusResponse>(),
        ),
    ]
}

fn extensions() -> Vec<Route> {
    vec![
        route(
            "POST",
            "/api/skills",
            takes::<SkillsRequest>(),
            gives::<SkillsResponse>(),
        ),
        route(
            "GET",
            "/api/skills/catalog",
            None,
            gives::<SkillCatalogResponse>(),
        ),
        route("POST", "/api/skills/sync", None, gives::<SyncResponse>()),
        route(
            "POST",
            "/api/skills/install",
            takes::<InstallSkillRequest>(),
            gives::<InstalledSkillResponse>(),
        ),
        route(
            "GET",
            "/api/skills/installed",
            None,
            gives::<InstalledSkillsListResponse>(),
        ),
        route(
            "GET",
            "/api/skills/installed/{}",
            None,
            gives::<InstalledSkillResponse>(),
        ),
        route(
            "PATCH",
            "/api/skills/installed/{}",
            takes::<UpdateSkillStateRequest>(),
            gives::<UpdateSkillStateResponse>(),
        ),
        route(
            "DELETE",
            "/api/skills/installed/{}",
            None,
            gives::<UninstallSkillResponse>(),
        ),
        route(
            "POST",
            "/api/skills/installed/{}/refresh",
            None,
            gives::<UpdateSkillResponse>(),
        ),
        route(
            "GET",
            "/api/skills/marketplace",
            None,
            gives::<SkillMarketplaceResponse>(),
        ),
        route(
            "POST",
            "/api/sub-agents",
            takes::<SubAgentsRequest>(),
            gives::<SubAgentsResponse>(),
        ),
        route(
            "POST",
            "/api/plugins",
            takes::<PluginsRequest>(),
            gives::<PluginsResponse>(),
        ),
        route(
            "POST",
            "/api/plugins/fetch",
            takes::<FetchPluginRequest>(),
            gives::<FetchPluginResponse>(),
        ),
        route(
            "POST",
            "/api/plugins/install",
            takes::<InstallPluginRequest>(),
            gives::<InstalledPluginResponse>(),
        ),
        route(
            "GET",
            "/api/plugins/installed",
            None,
            gives::<InstalledPluginsListResponse>(),
        ),
        route(
            "GET",
            "/api/plugins/installed/{}",
            None,
            gives::<InstalledPluginResponse>(),
        ),
        route(
            "PATCH",
            "/api/plugins/installed/{}",
            takes::<UpdatePluginStateRequest>(),
            gives::<UpdatePluginStateResponse>(),
        ),
        route(
            "DELETE",
            "/api/plugins/installed/{}",
            None,
            gives::<UninstallPluginResponse>(),
        ),
        route(
            "POST",
            "/api/plugins/installed/{}/refresh",
            None,
            gives::<UpdatePluginResponse>(),
        ),
        route(
            "GET",
            "/api/plugins/marketplace",
            None,
            gives::<PluginMarketplaceResponse>(),
        ),
        route(
            "POST",
            "/api/hooks",
            takes::<HooksRequest>(),
            gives::<HooksResponse>(),
        ),
        route(
            "POST",
            "/api/canvas-extensions/install",
            takes::<InstallCanvasExtensionRequest>(),
            gives::<InstalledCanvasExtensionResponse>(),
        ),
        route(
            "GET",
            "/api/canvas-extensions/installed",
            None,
            gives::<InstalledCanvasExtensionsListResponse>(),
        ),
        route(
            "GET",
            "/api/canvas-extensions/installed/{}",
            None,
            gives::<InstalledCanvasExtensionResponse>(),
        ),
        route(
            "PATCH",
            "/api/canvas-extensions/installed/{}",
            takes::<UpdateCanvasExtensionStateRequest>(),
            gives::<UpdateCanvasExtensionStateResponse>(),
        ),
        route(
            "DELETE",
            "/api/canvas-extensions/installed/{}",
            None,
            gives::<UninstallCanvasExtensionResponse>(),
        ),
        route(
            "GET",
            "/api/canvas-extensions/installed/{}/backend",
            None,
            gives::<BackendStatus>(),
        ),
        route(
            "POST",
            "/api/canvas-extensions/installed/{}/backend/prepare",
            takes::<BackendRevisionRequest>(),
            gives::<BackendStatus>(),
        ),
        route(
            "POST",
            "/api/canvas-extensions/installed/{}/backend/start",
            takes::<BackendRevisionRequest>(),
            gives::<BackendStatus>(),
        ),
        route(
            "POST",
            "/api/canvas-extensions/installed/{}/backend/stop",
            None,
            gives::<BackendStatus>(),
        ),
        route(
            "GET",
            "/api/canvas-extensions/installed/{}/backend/logs",
            None,
            gives::<BackendLogs>(),
        ),
        route(
            "DELETE",
            "/api/canvas-extensions/installed/{}/backend/data",
            None,
            gives::<BackendStatus>(),
        ),
        route(
            "GET",
            "/api/canvas-extensions/installed/{}/bundle",
            None,
            Answer::Untyped(NOT_JSON),
        ),
        route(
            "GET",
            "/api/canvas-extensions/installed/{}/icon",
            None,
            Answer::Untyped(NOT_JSON),
        ),
        route(
            "POST",
            "/app-backends/{}/session",
            None,
            gives::<AppBackendSessionResponse>(),
        ),
    ]
}
