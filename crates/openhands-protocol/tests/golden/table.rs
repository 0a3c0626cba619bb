//! The routes of the V1 API: `METHOD path (request) => answer`.

use indexmap::IndexMap;
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

use crate::compare::{exact, request};
use crate::routes::{Answer, BARE_NUMBER, NOT_JSON, Route};

/// A description of the API is no body of it.
const DESCRIPTION: &str = "a description of the API, not part of it";

/// What a route answers: a type, a type in another form than REST answers have, or a reason for none.
macro_rules! answer {
    ([untyped $reason:expr]) => {
        Answer::Untyped($reason)
    };
    ([$ty:ty]) => {
        Answer::Typed(exact::<$ty>(Form::REST))
    };
    ([$ty:ty, $form:expr]) => {
        Answer::Typed(exact::<$ty>($form))
    };
}

macro_rules! routes {
    ($($method:ident $path:literal $(($request:ty))? => $answer:tt)*) => {
        vec![$(Route {
            method: stringify!($method),
            path: $path,
            request: None$(.or(Some(request::<$request>())))?,
            response: answer!($answer),
        }),*]
    };
}

pub(crate) fn conversations() -> Vec<Route> {
    routes! {
        POST "/api/conversations" (StartConversationRequest) => [ConversationInfo]
        GET "/api/conversations" => [Vec<Option<ConversationInfo>>]
        GET "/api/conversations/search" => [ConversationPage]
        GET "/api/conversations/count" => [untyped BARE_NUMBER]
        GET "/api/conversations/{}" => [ConversationInfo]
        PATCH "/api/conversations/{}" (UpdateConversationRequest) => [Success]
        DELETE "/api/conversations/{}" => [Success]
        GET "/api/conversations/{}/agent_final_response" => [AgentResponseResult]
        GET "/api/conversations/{}/runtime" => [ConversationRuntimeInfo]
        POST "/api/conversations/{}/runtime/reprovision" => [ConversationRuntimeInfo]
        GET "/api/conversations/{}/events" (Vec<String>) => [Vec<Option<Event>>]
        GET "/api/conversations/{}/events/search" => [EventPage, Form::SEARCH]
        GET "/api/conversations/{}/events/count" => [untyped BARE_NUMBER]
        GET "/api/conversations/{}/events/{}" => [Event]
        POST "/api/conversations/{}/events" (SendMessageRequest) => [Success]
        POST "/api/conversations/{}/events/respond_to_confirmation" (ConfirmationResponseRequest) => [Success]
        POST "/api/conversations/{}/run" => [Success]
        POST "/api/conversations/{}/pause" => [Success]
        POST "/api/conversations/{}/interrupt" => [Success]
        POST "/api/conversations/{}/condense" => [Success]
        POST "/api/conversations/{}/secrets" (UpdateSecretsRequest) => [Success]
        POST "/api/conversations/{}/confirmation_policy" (SetConfirmationPolicyRequest) => [Success]
        POST "/api/conversations/{}/security_analyzer" (SetSecurityAnalyzerRequest) => [Success]
        POST "/api/conversations/{}/switch_profile" (SwitchProfileRequest) => [Success]
        POST "/api/conversations/{}/switch_llm" (SwitchLlmRequest) => [Success]
        POST "/api/conversations/{}/switch_acp_model" (SwitchAcpModelRequest) => [Success]
        POST "/api/conversations/{}/load_plugin" (LoadPluginRequest) => [Success]
        POST "/api/conversations/{}/ask_agent" (AskAgentRequest) => [AskAgentResponse]
        POST "/api/conversations/{}/fork" (ForkConversationRequest) => [ConversationInfo]
        POST "/api/conversations/{}/navigate" (NavigateConversationRequest) => [ConversationInfo]
        POST "/api/conversations/{}/goal" (StartGoalRequest) => [Success]
        POST "/api/conversations/{}/goal/stop" => [Success]
        POST "/api/conversations/{}/goal/resume" => [Success]
        POST "/api/conversations/{}/children" (StartChildConversationRequest) => [StartChildConversationResponse]
        GET "/api/conversations/{}/workspace" => [untyped NOT_JSON]
        GET "/api/conversations/{}/workspace/**" => [untyped NOT_JSON]
    }
}

pub(crate) fn server() -> Vec<Route> {
    routes! {
        GET "/" => [ServerInfo]
        GET "/server_info" => [ServerInfo]
        GET "/alive" => [HealthStatus]
        GET "/health" => [HealthStatus]
        GET "/ready" => [ReadyStatus]
        GET "/docs" => [untyped NOT_JSON]
        GET "/redoc" => [untyped NOT_JSON]
        GET "/openapi.json" => [untyped DESCRIPTION]
        GET "/api/init" => [InitStatus]
        POST "/api/init" (InitRequest) => [InitStatus]
        GET "/api/tools/" => [Vec<String>]
        GET "/api/tools/catalog" => [ToolCatalogResponse]
        POST "/api/auth/workspace-session" => [untyped NOT_JSON]
        DELETE "/api/auth/workspace-session" => [untyped NOT_JSON]
        GET "/v1/models" => [OpenAiModelListResponse]
        POST "/v1/chat/completions" (OpenAiChatCompletionRequest) => [ChatCompletion]
        POST "/v1/responses" (OpenAiResponseRequest) => [OpenAiResponse]
    }
}

pub(crate) fn workspace() -> Vec<Route> {
    routes! {
        GET "/api/bash/bash_events/search" => [BashEventPage]
        GET "/api/bash/bash_events/{}" => [BashEvent]
        GET "/api/bash/bash_events/" (Vec<String>) => [Vec<Option<BashEvent>>]
        DELETE "/api/bash/bash_events" => [ClearedBashEvents]
        POST "/api/bash/start_bash_command" (ExecuteBashRequest) => [BashCommand]
        POST "/api/bash/execute_bash_command" (ExecuteBashRequest) => [BashOutput]
        POST "/api/bash/bash_commands/{}/stop" => [Success]
        GET "/api/file/home" => [HomeResponse]
        GET "/api/file/search_subdirs" => [SubdirectoryPage]
        GET "/api/file/download" => [untyped NOT_JSON]
        GET "/api/file/archive" => [untyped NOT_JSON]
        GET "/api/file/download-trajectory/{}" => [untyped NOT_JSON]
        POST "/api/file/upload" => [FileUploadResult]
        POST "/api/file/create_directory" => [Success]
        GET "/api/git/changes" => [Vec<GitChange>]
        GET "/api/git/diff" => [GitDiff]
        GET "/api/git/commits" => [GitCommitsPage]
        GET "/api/git/commits/{}/changes" => [Vec<GitChange>]
        GET "/api/git/repositories/search" => [GitProviderRepositoryPage]
        GET "/api/vscode/url" => [VsCodeUrlResponse]
        GET "/api/vscode/status" => [VsCodeStatus]
        GET "/api/workspaces" => [WorkspacesListResponse]
        POST "/api/workspaces" (AddWorkspacesRequest) => [WorkspacesListResponse]
        DELETE "/api/workspaces" => [DeleteResponse]
        POST "/api/workspaces/parents" (AddWorkspaceParentsRequest) => [WorkspacesListResponse]
        DELETE "/api/workspaces/parents" => [DeleteResponse]
    }
}

pub(crate) fn models() -> Vec<Route> {
    routes! {
        GET "/api/llm/providers" => [ProvidersResponse]
        GET "/api/llm/models" => [ModelsResponse]
        GET "/api/llm/models/verified" => [VerifiedModelsResponse]
        GET "/api/llm/subscription/openai/models" => [SubscriptionModelsResponse]
        GET "/api/llm/subscription/openai/status" => [SubscriptionStatusResponse]
        POST "/api/llm/subscription/openai/device/start" => [SubscriptionDeviceStartResponse]
        POST "/api/llm/subscription/openai/device/poll" (SubscriptionDevicePollRequest) => [SubscriptionStatusResponse]
        POST "/api/llm/subscription/openai/logout" => [SubscriptionStatusResponse]
        GET "/api/llm/provider-connections" => [Vec<ProviderConnectionResponse>]
        POST "/api/llm/provider-connections" (ProviderConnectionCreateRequest) => [ProviderConnectionResponse]
        PATCH "/api/llm/provider-connections/{}" (ProviderConnectionUpdateRequest) => [ProviderConnectionResponse]
        DELETE "/api/llm/provider-connections/{}" => [ProviderConnectionResponse]
        POST "/api/acp/models" (AcpModelDiscoveryRequest) => [AcpModelDiscovery]
        GET "/api/profiles" => [ProfileListResponse]
        GET "/api/profiles/{}" => [ProfileDetailResponse]
        POST "/api/profiles/{}" (SaveProfileRequest) => [ProfileMutationResponse]
        DELETE "/api/profiles/{}" => [ProfileMutationResponse]
        POST "/api/profiles/{}/rename" (RenameProfileRequest) => [ProfileMutationResponse]
        POST "/api/profiles/{}/activate" => [ActivateProfileResponse]
        POST "/api/profiles/{}/validate" (ValidateProfileRequest) => [ValidateProfileResponse]
        GET "/api/agent-profiles" => [AgentProfileListResponse]
        GET "/api/agent-profiles/{}" => [AgentProfileDetailResponse]
        POST "/api/agent-profiles/{}" (AgentProfile) => [AgentProfileMutationResponse]
        DELETE "/api/agent-profiles/{}" => [AgentProfileMutationResponse]
        POST "/api/agent-profiles/{}/rename" (RenameAgentProfileRequest) => [AgentProfileMutationResponse]
        POST "/api/agent-profiles/{}/activate" => [ActivateAgentProfileResponse]
        POST "/api/agent-profiles/{}/materialize" (MaterializeAgentProfileRequest) => [AgentProfileDiagnostics]
        GET "/api/meta-profiles" => [MetaProfileListResponse]
        GET "/api/meta-profiles/{}" => [MetaProfileDetailResponse]
        POST "/api/meta-profiles/{}" (MetaProfile) => [MetaProfileMutationResponse]
        DELETE "/api/meta-profiles/{}" => [MetaProfileMutationResponse]
        POST "/api/meta-profiles/{}/activate" => [ActivateMetaProfileResponse]
        GET "/api/settings" => [SettingsResponse]
        PATCH "/api/settings" (SettingsUpdateRequest) => [SettingsResponse]
        GET "/api/settings/agent-schema" => [SettingsSchema]
        GET "/api/settings/conversation-schema" => [SettingsSchema]
        // Of these answers only the servers were recorded.
        POST "/api/settings/mcp/{}" (McpServer) => [IndexMap<String, McpServer>]
        PATCH "/api/settings/mcp/{}" (McpServerPatch) => [IndexMap<String, McpServer>]
        DELETE "/api/settings/mcp/{}" => [IndexMap<String, McpServer>]
        GET "/api/settings/secrets" => [SecretsListResponse]
        PUT "/api/settings/secrets" (SecretCreateRequest) => [SecretItemResponse]
        GET "/api/settings/secrets/{}" => [untyped NOT_JSON]
        DELETE "/api/settings/secrets/{}" => [DeleteResponse]
        POST "/api/mcp/test" (McpTestRequest) => [McpTestResponse]
        POST "/api/mcp/oauth/start" (McpTestRequest) => [McpOauthStartResponse]
        GET "/api/mcp/oauth/status/{}" => [McpOauthStatusResponse]
        POST "/api/mcp/oauth/callback/{}" (McpOauthCallbackRequest) => [McpOauthStatusResponse]
    }
}

pub(crate) fn extensions() -> Vec<Route> {
    routes! {
        POST "/api/skills" (SkillsRequest) => [SkillsResponse]
        GET "/api/skills/catalog" => [SkillCatalogResponse]
        POST "/api/skills/sync" => [SyncResponse]
        POST "/api/skills/install" (InstallSkillRequest) => [InstalledSkillResponse]
        GET "/api/skills/installed" => [InstalledSkillsListResponse]
        GET "/api/skills/installed/{}" => [InstalledSkillResponse]
        PATCH "/api/skills/installed/{}" (UpdateSkillStateRequest) => [UpdateSkillStateResponse]
        DELETE "/api/skills/installed/{}" => [UninstallSkillResponse]
        POST "/api/skills/installed/{}/refresh" => [UpdateSkillResponse]
        GET "/api/skills/marketplace" => [SkillMarketplaceResponse]
        POST "/api/sub-agents" (SubAgentsRequest) => [SubAgentsResponse]
        POST "/api/plugins" (PluginsRequest) => [PluginsResponse]
        POST "/api/plugins/fetch" (FetchPluginRequest) => [FetchPluginResponse]
        POST "/api/plugins/install" (InstallPluginRequest) => [InstalledPluginResponse]
        GET "/api/plugins/installed" => [InstalledPluginsListResponse]
        GET "/api/plugins/installed/{}" => [InstalledPluginResponse]
        PATCH "/api/plugins/installed/{}" (UpdatePluginStateRequest) => [UpdatePluginStateResponse]
        DELETE "/api/plugins/installed/{}" => [UninstallPluginResponse]
        POST "/api/plugins/installed/{}/refresh" => [UpdatePluginResponse]
        GET "/api/plugins/marketplace" => [PluginMarketplaceResponse]
        POST "/api/hooks" (HooksRequest) => [HooksResponse]
        POST "/api/canvas-extensions/install" (InstallCanvasExtensionRequest) => [InstalledCanvasExtensionResponse]
        GET "/api/canvas-extensions/installed" => [InstalledCanvasExtensionsListResponse]
        GET "/api/canvas-extensions/installed/{}" => [InstalledCanvasExtensionResponse]
        PATCH "/api/canvas-extensions/installed/{}" (UpdateCanvasExtensionStateRequest) => [UpdateCanvasExtensionStateResponse]
        DELETE "/api/canvas-extensions/installed/{}" => [UninstallCanvasExtensionResponse]
        GET "/api/canvas-extensions/installed/{}/backend" => [BackendStatus]
        POST "/api/canvas-extensions/installed/{}/backend/prepare" (BackendRevisionRequest) => [BackendStatus]
        POST "/api/canvas-extensions/installed/{}/backend/start" (BackendRevisionRequest) => [BackendStatus]
        POST "/api/canvas-extensions/installed/{}/backend/stop" => [BackendStatus]
        GET "/api/canvas-extensions/installed/{}/backend/logs" => [BackendLogs]
        DELETE "/api/canvas-extensions/installed/{}/backend/data" => [BackendStatus]
        GET "/api/canvas-extensions/installed/{}/bundle" => [untyped NOT_JSON]
        GET "/api/canvas-extensions/installed/{}/icon" => [untyped NOT_JSON]
        POST "/app-backends/{}/session" => [AppBackendSessionResponse]
    }
}
