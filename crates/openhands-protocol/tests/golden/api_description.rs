//! The types have the members, defaults, kinds and words that the reference's API description names.

use std::collections::{BTreeMap, BTreeSet};

use openhands_protocol::agent::*;
use openhands_protocol::bash::*;
use openhands_protocol::conversation::*;
use openhands_protocol::event::*;
use openhands_protocol::extensions::*;
use openhands_protocol::files::*;
use openhands_protocol::git::*;
use openhands_protocol::hooks::*;
use openhands_protocol::llm::*;
use openhands_protocol::mcp::*;
use openhands_protocol::message::*;
use openhands_protocol::openai::*;
use openhands_protocol::plugins::*;
use openhands_protocol::secrets::*;
use openhands_protocol::security::*;
use openhands_protocol::server::*;
use openhands_protocol::settings::*;
use openhands_protocol::skills::*;
use openhands_protocol::tool::*;
use openhands_protocol::workspace::*;
use openhands_protocol::{Form, Wire};
use serde_json::Value;

/// What one of our types says about itself.
struct Ours {
    schemas: &'static [&'static str],
    members: &'static [&'static str],
    /// The default value, for types that have one.
    default: Option<Value>,
}

macro_rules! types {
    ($($ty:ident $(($default:ident))? = $($schema:literal)|+;)+) => {
        vec![$((
            stringify!($ty),
            Ours {
                schemas: &[$($schema),+],
                members: <$ty as Wire>::FIELDS,
                default: types!(@default $ty $($default)?),
            },
        )),+]
    };
    (@default $ty:ident) => { None };
    (@default $ty:ident default) => { Some(Form::PEER.to_value(&$ty::default()).unwrap()) };
}

fn types() -> Vec<(&'static str, Ours)> {
    types! {
        AcpAgent = "ACPAgent-Input" | "ACPAgent-Output";
        AcpAgentProfile = "ACPAgentProfile";
        AcpAgentSettings (default) = "ACPAgentSettings";
        AcpFileSecret (default) = "ACPFileSecretSpec";
        AcpModelDiscovery (default) = "ACPModelDiscovery";
        AcpModelDiscoveryError (default) = "ACPModelDiscoveryError";
        AcpModelDiscoveryRequest (default) = "ACPModelDiscoveryRequest";
        AcpModelInfo (default) = "ACPModelInfo";
        AcpToolCallEvent = "ACPToolCallEvent";
        ActionEvent = "ActionEvent";
        ActivateAgentProfileResponse (default) = "ActivateAgentProfileResponse";
        ActivateMetaProfileResponse (default) = "ActivateMetaProfileResponse";
        ActivateProfileResponse (default) = "ActivateProfileResponse";
        AddWorkspaceParentsRequest (default) = "AddWorkspaceParentsRequest";
        AddWorkspacesRequest (default) = "AddWorkspacesRequest";
        Agent = "Agent-Input" | "Agent-Output";
        AgentContext (default) = "AgentContext-Input" | "AgentContext-Output";
        AgentDefinition (default) = "AgentDefinition";
        AgentErrorEvent = "AgentErrorEvent";
        AgentFinishedCritic (default) = "AgentFinishedCritic-Input" | "AgentFinishedCritic-Output";
        AgentLaunchAdditions (default) = "AgentLaunchAdditions";
        AgentProfileDetailResponse (default) = "AgentProfileDetailResponse";
        AgentProfileDiagnostics (default) = "AgentProfileDiagnostics";
        AgentProfileInfo (default) = "AgentProfileInfo";
        AgentProfileListResponse (default) = "AgentProfileListResponse";
        AgentProfileMutationResponse (default) = "AgentProfileMutationResponse";
        AgentResponseResult (default) = "AgentResponseResult";
        AlwaysConfirm (default) = "AlwaysConfirm-Input" | "AlwaysConfirm-Output";
        ApiBasedCritic = "APIBasedCritic-Input" | "APIBasedCritic-Output";
        AppBackendSessionResponse = "AppBackendSessionResponse";
        AskAgentRequest (default) = "AskAgentRequest";
        AskAgentResponse (default) = "AskAgentResponse";
        AskOracleAction (default) = "AskOracleAction";
        AskOracleObservation (default) = "AskOracleObservation";
        BackendLogs (default) = "BackendLogs";
        BackendRevisionRequest (default) = "BackendRevisionRequest";
        BackendStatus (default) = "BackendStatus";
        BashCommand = "BashCommand";
        BashError = "BashError";
        BashEventPage (default) = "BashEventPage";
        BashOutput = "BashOutput";
        BrowserAction (default) = "BrowserAction";
        BrowserClickAction (default) = "BrowserClickAction";
        BrowserCloseTabAction (default) = "BrowserCloseTabAction";
        BrowserGetContentAction (default) = "BrowserGetContentAction";
        BrowserGetStateAction (default) = "BrowserGetStateAction";
        BrowserGetStorageAction (default) = "BrowserGetStorageAction";
        BrowserGoBackAction (default) = "BrowserGoBackAction";
        BrowserListTabsAction (default) = "BrowserListTabsAction";
        BrowserNavigateAction (default) = "BrowserNavigateAction";
        BrowserObservation (default) = "BrowserObservation";
        BrowserScrollAction (default) = "BrowserScrollAction";
        BrowserSetStorageAction (default) = "BrowserSetStorageAction";
        BrowserStartRecordingAction (default) = "BrowserStartRecordingAction";
        BrowserStopRecordingAction (default) = "BrowserStopRecordingAction";
        BrowserSwitchTabAction (default) = "BrowserSwitchTabAction";
        BrowserTypeAction (default) = "BrowserTypeAction";
        CanvasExtensionBackend (default) = "CanvasExtensionBackend";
        CanvasExtensionBackendArtifact (default) = "CanvasExtensionBackendArtifact";
        CanvasExtensionBackendHealth (default) = "CanvasExtensionBackendHealth";
        CanvasExtensionContributes (default) = "CanvasExtensionContributes";
        CanvasExtensionManifest (default) = "CanvasExtensionManifest";
        CanvasExtensionPage (default) = "CanvasExtensionPage";
        ChatCompletion (default) = "ChatCompletion";
        ChatCompletionMessage (default) = "ChatCompletionMessage";
        Choice (default) = "Choice";
        ClassifyAndSwitchLlmAction (default) = "ClassifyAndSwitchLLMAction";
        ClassifyAndSwitchLlmObservation (default) = "ClassifyAndSwitchLLMObservation";
        ClientToolObservation (default) = "ClientToolObservation";
        ClientToolSpec (default) = "ClientToolSpec-Input" | "ClientToolSpec-Output";
        CmdOutputMetadata (default) = "CmdOutputMetadata";
        CompletionTokensDetails (default) = "CompletionTokensDetails";
        CompletionUsage (default) = "CompletionUsage";
        Condensation = "Condensation";
        CondensationRequest = "CondensationRequest";
        CondensationSummaryEvent = "CondensationSummaryEvent";
        ConfirmRisky (default) = "ConfirmRisky-Input" | "ConfirmRisky-Output";
        ConfirmationResponseRequest (default) = "ConfirmationResponseRequest";
        ConversationContainerOptions (default) = "ConversationContainerOptions";
        ConversationErrorEvent = "ConversationErrorEvent";
        ConversationInfo = "ConversationInfo";
        ConversationPage (default) = "ConversationPage";
        ConversationRuntimeError (default) = "ConversationRuntimeError";
        ConversationRuntimeInfo (default) = "ConversationRuntimeInfo";
        ConversationStateUpdateEvent = "ConversationStateUpdateEvent";
        ConversationWorktreeOptions (default) = "ConversationWorktreeOptions";
        Cost (default) = "Cost";
        CriticResult (default) = "CriticResult";
        DelegateAction (default) = "DelegateAction";
        DelegateObservation (default) = "DelegateObservation";
        DeleteResponse (default) = "DeleteResponse";
        EditAction (default) = "EditAction";
        EditObservation (default) = "EditObservation";
        EmptyPatchCritic (default) = "EmptyPatchCritic-Input" | "EmptyPatchCritic-Output";
        EnsembleSecurityAnalyzer (default) = "EnsembleSecurityAnalyzer-Input" | "EnsembleSecurityAnalyzer-Output";
        ErrorBody (default) = "HTTPValidationError";
        ErrorClassification (default) = "ErrorClassification";
        ExecuteBashRequest (default) = "ExecuteBashRequest";
        ExposedUrl (default) = "ExposedUrl";
        FallbackStrategy (default) = "FallbackStrategy";
        FetchPluginRequest (default) = "FetchPluginRequest";
        FetchPluginResponse (default) = "FetchPluginResponse";
        FileBrowserEntry (default) = "FileBrowserEntry";
        FileEditorAction (default) = "FileEditorAction";
        FileEditorObservation (default) = "FileEditorObservation";
        FileEntry = "FileEntry";
        FileUploadResult (default) = "FileUploadResult";
        FinishAction (default) = "FinishAction";
        FinishObservation (default) = "FinishObservation";
        ForkConversationRequest (default) = "ForkConversationRequest";
        GitChange (default) = "GitChange";
        GitCommit (default) = "GitCommit";
        GitCommitsPage (default) = "GitCommitsPage";
        GitDiff (default) = "GitDiff";
        GitProviderRepository (default) = "GitProviderRepository";
        GitProviderRepositoryPage (default) = "GitProviderRepositoryPage";
        GlobAction (default) = "GlobAction";
        GlobObservation (default) = "GlobObservation";
        GraySwanAnalyzer (default) = "GraySwanAnalyzer-Input" | "GraySwanAnalyzer-Output";
        GrepAction (default) = "GrepAction";
        GrepObservation (default) = "GrepObservation";
        HealthStatus (default) = "HealthStatus";
        HomeResponse (default) = "HomeResponse";
        HookConfig (default) = "HookConfig";
        HookDefinition (default) = "HookDefinition";
        HookExecutionEvent = "HookExecutionEvent";
        HookMatcher (default) = "HookMatcher";
        HooksRequest (default) = "HooksRequest";
        HooksResponse (default) = "HooksResponse";
        ImageContent (default) = "ImageContent";
        InitRequest (default) = "InitRequest";
        InitStatus (default) = "InitStatus";
        InputMetadata (default) = "InputMetadata";
        InstallCanvasExtensionRequest (default) = "InstallCanvasExtensionRequest";
        InstallPluginRequest (default) = "InstallPluginRequest";
        InstallSkillRequest (default) = "InstallSkillRequest";
        InstalledCanvasExtensionResponse (default) = "InstalledCanvasExtensionResponse";
        InstalledCanvasExtensionsListResponse (default) = "InstalledCanvasExtensionsListResponse";
        InstalledPluginResponse (default) = "InstalledPluginResponse";
        InstalledPluginsListResponse (default) = "InstalledPluginsListResponse";
        InstalledSkillResponse (default) = "InstalledSkillResponse";
        InstalledSkillsListResponse (default) = "InstalledSkillsListResponse";
        InterruptEvent = "InterruptEvent";
        InvokeSkillAction (default) = "InvokeSkillAction";
        InvokeSkillObservation (default) = "InvokeSkillObservation";
        IterativeRefinementConfig (default) = "IterativeRefinementConfig";
        KeywordTrigger (default) = "KeywordTrigger";
        LaunchedAgentProfile = "LaunchedAgentProfile";
        ListDirectoryAction (default) = "ListDirectoryAction";
        ListDirectoryObservation (default) = "ListDirectoryObservation";
        Llm (default) = "LLM-Input" | "LLM-Output";
        LlmCompletionLogEvent = "LLMCompletionLogEvent";
        LlmSecurityAnalyzer (default) = "LLMSecurityAnalyzer-Input" | "LLMSecurityAnalyzer-Output";
        LlmSummarizingCondenser (default) = "LLMSummarizingCondenser-Input" | "LLMSummarizingCondenser-Output";
        LlmSummarizingCondenserSettings (default) = "LLMSummarizingCondenserSettings";
        LoadPluginRequest (default) = "Body_load_conversation_plugin_api_conversations__conversation_id__load_plugin_post";
        LocalWorkspace (default) = "LocalWorkspace-Input" | "LocalWorkspace-Output";
        LookupSecret (default) = "LookupSecret-Input" | "LookupSecret-Output";
        MarketplacePluginInfo (default) = "MarketplacePluginInfo";
        MarketplaceRegistration (default) = "MarketplaceRegistration";
        MarketplaceSkillInfo (default) = "MarketplaceSkillInfo";
        MaterializeAgentProfileRequest (default) = "MaterializeAgentProfileRequest";
        McpApiKeyAuth (default) = "MCPApiKeyAuthCredential-Input" | "MCPApiKeyAuthCredential-Output";
        McpBasicAuth (default) = "MCPBasicAuthCredential-Input" | "MCPBasicAuthCredential-Output";
        McpBearerAuth (default) = "MCPBearerAuthCredential-Input" | "MCPBearerAuthCredential-Output";
        McpHeaderAuth (default) = "MCPHeaderAuthCredential-Input" | "MCPHeaderAuthCredential-Output";
        McpNoneAuth (default) = "MCPNoneAuthCredential";
        McpOauthAuth (default) = "MCPOAuthAuthCredential-Input" | "MCPOAuthAuthCredential-Output";
        McpOauthAuthentication (default) = "MCPOAuthAuthentication-Input" | "MCPOAuthAuthentication-Output";
        McpOauthCallbackRequest (default) = "MCPOAuthCallbackRequest";
        McpOauthClientInfoState (default) = "MCPOAuthClientInfoState-Input" | "MCPOAuthClientInfoState-Output";
        McpOauthStartResponse (default) = "MCPOAuthStartResponse";
        McpOauthState (default) = "MCPOAuthState-Input" | "MCPOAuthState-Output";
        McpOauthStateResponse (default) = "MCPOAuthStateResponse";
        McpOauthStatusResponse (default) = "MCPOAuthStatusResponse";
        McpOauthTokenState (default) = "MCPOAuthTokenState-Input" | "MCPOAuthTokenState-Output";
        McpServer (default) = "MCPServer-Input" | "MCPServer-Output";
        McpServerPatch (default) = "MCPServerPatch";
        McpTestFailure (default) = "MCPTestFailure";
        McpTestRequest (default) = "MCPTestRequest";
        McpTestServer (default) = "_RemoteMCPServerSpec" | "_StdioMCPServerSpec";
        McpTestSuccess (default) = "MCPTestSuccess";
        McpToolAction (default) = "MCPToolAction";
        McpToolCallResult (default) = "MCPToolCallResult";
        McpToolCallSpec (default) = "MCPToolCallSpec";
        McpToolObservation (default) = "MCPToolObservation";
        Message (default) = "Message";
        MessageEvent = "MessageEvent";
        MessageToolCall (default) = "MessageToolCall";
        MetaProfile (default) = "MetaProfile";
        MetaProfileClass (default) = "MetaProfileClass";
        MetaProfileDetailResponse (default) = "MetaProfileDetailResponse";
        MetaProfileInfo (default) = "MetaProfileInfo";
        MetaProfileListResponse (default) = "MetaProfileListResponse";
        MetaProfileMutationResponse (default) = "MetaProfileMutationResponse";
        Metrics (default) = "Metrics";
        MetricsSnapshot (default) = "MetricsSnapshot";
        Model (default) = "Model";
        ModelsResponse (default) = "ModelsResponse";
        NavigateConversationRequest (default) = "NavigateConversationRequest";
        NeverConfirm (default) = "NeverConfirm-Input" | "NeverConfirm-Output";
        NoOpCondenser (default) = "NoOpCondenser-Input" | "NoOpCondenser-Output";
        NoOpCondenserSettings (default) = "NoOpCondenserSettings";
        ObservationEvent = "ObservationEvent";
        OpenAiChatCompletionRequest (default) = "OpenAIChatCompletionRequest";
        OpenAiChatMessage (default) = "OpenAIChatMessage";
        OpenAiContentPart (default) = "OpenAIContentPart";
        OpenAiImageUrl (default) = "OpenAIImageURL";
        OpenAiModelListResponse (default) = "OpenAIModelListResponse";
        OpenAiResponse (default) = "OpenAIResponse";
        OpenAiResponseInputContentPart (default) = "OpenAIResponseInputContentPart";
        OpenAiResponseInputMessage = "OpenAIResponseInputMessage";
        OpenAiResponseInputTokensDetails (default) = "OpenAIResponseInputTokensDetails";
        OpenAiResponseOutputMessage (default) = "OpenAIResponseOutputMessage";
        OpenAiResponseOutputText (default) = "OpenAIResponseOutputText";
        OpenAiResponseOutputTokensDetails (default) = "OpenAIResponseOutputTokensDetails";
        OpenAiResponseRequest = "OpenAIResponseRequest";
        OpenAiResponseUsage (default) = "OpenAIResponseUsage";
        OpenAiStreamOptions (default) = "OpenAIStreamOptions";
        OpenHandsAgentProfile = "OpenHandsAgentProfile";
        OrgConfig (default) = "OrgConfig";
        PassCritic (default) = "PassCritic-Input" | "PassCritic-Output";
        PathTrigger (default) = "PathTrigger";
        PatternSecurityAnalyzer (default) = "PatternSecurityAnalyzer-Input" | "PatternSecurityAnalyzer-Output";
        PauseEvent = "PauseEvent";
        PipelineCondenser (default) = "PipelineCondenser-Input" | "PipelineCondenser-Output";
        PlanningFileEditorAction (default) = "PlanningFileEditorAction";
        PlanningFileEditorObservation (default) = "PlanningFileEditorObservation";
        PluginInfo (default) = "PluginInfo";
        PluginMarketplaceResponse (default) = "openhands__agent_server__plugins_router__MarketplaceCatalogResponse";
        PluginSkillSummary (default) = "PluginSkillSummary";
        PluginSource (default) = "PluginSource";
        PluginsRequest (default) = "PluginsRequest";
        PluginsResponse (default) = "PluginsResponse";
        PolicyRailSecurityAnalyzer (default) = "PolicyRailSecurityAnalyzer-Input" | "PolicyRailSecurityAnalyzer-Output";
        ProfileDetailResponse (default) = "ProfileDetailResponse";
        ProfileInfo (default) = "ProfileInfo";
        ProfileListResponse (default) = "ProfileListResponse";
        ProfileMutationResponse (default) = "ProfileMutationResponse";
        ProfileVerificationSettings (default) = "ProfileVerificationSettings";
        PromptTokensDetails (default) = "PromptTokensDetails";
        ProviderConnectionCreateRequest = "ProviderConnectionCreateRequest";
        ProviderConnectionResponse (default) = "ProviderConnectionResponse";
        ProviderConnectionUpdateRequest (default) = "ProviderConnectionUpdateRequest";
        ProvidersResponse (default) = "ProvidersResponse";
        ReadFileAction (default) = "ReadFileAction";
        ReadFileObservation (default) = "ReadFileObservation";
        ReasoningItem (default) = "ReasoningItemModel";
        RedactedThinkingBlock (default) = "RedactedThinkingBlock";
        RemoteWorkspace (default) = "RemoteWorkspace";
        RenameAgentProfileRequest (default) = "RenameAgentProfileRequest";
        RenameProfileRequest (default) = "RenameProfileRequest";
        ResponseLatency (default) = "ResponseLatency";
        SandboxConfig (default) = "SandboxConfig";
        SaveProfileRequest (default) = "SaveProfileRequest";
        SecretCreateRequest = "SecretCreateRequest";
        SecretItemResponse (default) = "SecretItemResponse";
        SecretRegistry (default) = "SecretRegistry";
        SecretsListResponse (default) = "SecretsListResponse";
        SecurityAnalysisEvent = "SecurityAnalysisEvent";
        SendMessageRequest (default) = "SendMessageRequest";
        ServerErrorEvent = "ServerErrorEvent";
        ServerInfo (default) = "ServerInfo";
        SetConfirmationPolicyRequest = "SetConfirmationPolicyRequest";
        SetSecurityAnalyzerRequest (default) = "SetSecurityAnalyzerRequest";
        SettingsChoice (default) = "SettingsChoice";
        SettingsFieldSchema (default) = "SettingsFieldSchema";
        SettingsResponse (default) = "SettingsResponse";
        SettingsSchema (default) = "SettingsSchema";
        SettingsSectionSchema (default) = "SettingsSectionSchema";
        SettingsUpdateRequest (default) = "SettingsUpdateRequest";
        Skill (default) = "Skill-Input" | "Skill-Output";
        SkillCatalogEntry (default) = "SkillCatalogEntry";
        SkillCatalogResponse (default) = "SkillCatalogResponse";
        SkillInfo (default) = "SkillInfo";
        SkillMarketplaceResponse (default) = "openhands__agent_server__skills_router__MarketplaceCatalogResponse";
        SkillResources (default) = "SkillResources";
        SkillsRequest (default) = "SkillsRequest";
        SkillsResponse (default) = "SkillsResponse";
        StartChildConversationAction (default) = "StartChildConversationAction";
        StartChildConversationObservation (default) = "StartChildConversationObservation";
        StartChildConversationRequest (default) = "StartChildConversationRequest";
        StartChildConversationResponse = "StartChildConversationResponse";
        StartConversationRequest = "StartConversationRequest";
        StartGoalRequest (default) = "StartGoalRequest";
        StaticSecret (default) = "StaticSecret-Input" | "StaticSecret-Output";
        StreamingDeltaEvent = "StreamingDeltaEvent";
        SubAgentInfo (default) = "SubAgentInfo";
        SubAgentsRequest (default) = "SubAgentsRequest";
        SubAgentsResponse (default) = "SubAgentsResponse";
        SubdirectoryEntry (default) = "SubdirectoryEntry";
        SubdirectoryPage (default) = "SubdirectoryPage";
        SubscriptionDevicePollRequest (default) = "SubscriptionDevicePollRequest";
        SubscriptionDeviceStartResponse (default) = "SubscriptionDeviceStartResponse";
        SubscriptionModelsResponse (default) = "SubscriptionModelsResponse";
        SubscriptionStatusResponse (default) = "SubscriptionStatusResponse";
        Success (default) = "Success";
        SwitchAcpModelRequest (default) = "Body_switch_conversation_acp_model_api_conversations__conversation_id__switch_acp_model_post";
        SwitchLlmAction (default) = "SwitchLLMAction";
        SwitchLlmObservation (default) = "SwitchLLMObservation";
        SwitchLlmRequest (default) = "Body_switch_conversation_llm_api_conversations__conversation_id__switch_llm_post";
        SwitchProfileRequest (default) = "Body_switch_conversation_profile_api_conversations__conversation_id__switch_profile_post";
        SyncResponse (default) = "SyncResponse";
        SystemPromptEvent = "SystemPromptEvent";
        TaskAction (default) = "TaskAction";
        TaskItem (default) = "TaskItem";
        TaskObservation (default) = "TaskObservation";
        TaskTrackerAction (default) = "TaskTrackerAction";
        TaskTrackerObservation (default) = "TaskTrackerObservation";
        TaskTrigger (default) = "TaskTrigger";
        TelemetrySpec (default) = "TelemetrySpec";
        TerminalAction (default) = "TerminalAction";
        TerminalObservation (default) = "TerminalObservation";
        TextContent (default) = "TextContent";
        ThinkAction (default) = "ThinkAction";
        ThinkObservation (default) = "ThinkObservation";
        ThinkingText (default) = "ThinkingBlock";
        TokenEvent = "TokenEvent";
        TokenUsage (default) = "TokenUsage";
        Tool (default) = "Tool-Input" | "openhands__sdk__tool__spec__Tool";
        ToolAnnotations (default) = "ToolAnnotations-Input" | "openhands__sdk__tool__tool__ToolAnnotations";
        ToolCatalogEntry (default) = "ToolCatalogEntry";
        ToolCatalogResponse (default) = "ToolCatalogResponse";
        ToolDefinition (default) = "AskOracleTool" | "BrowserClickTool" | "BrowserCloseTabTool" | "BrowserGetContentTool" | "BrowserGetStateTool" | "BrowserGetStorageTool" | "BrowserGoBackTool" | "BrowserListTabsTool" | "BrowserNavigateTool" | "BrowserScrollTool" | "BrowserSetStorageTool" | "BrowserStartRecordingTool" | "BrowserStopRecordingTool" | "BrowserSwitchTabTool" | "BrowserToolSet" | "BrowserTypeTool" | "ClassifyAndSwitchLLMTool" | "ClientTool" | "EditTool" | "FileEditorTool" | "FinishTool" | "GlobTool" | "GrepTool" | "InvokeSkillTool" | "ListDirectoryTool" | "MCPToolDefinition" | "PlanningFileEditorTool" | "ReadFileTool" | "StartChildConversationTool" | "SwitchLLMTool" | "TaskTool" | "TaskToolSet" | "TaskTrackerTool" | "TerminalTool" | "ThinkTool" | "VisionInspectTool" | "WorkflowTool" | "WorkflowToolSet" | "WriteFileTool";
        ToolShieldLlmSecurityAnalyzer (default) = "ToolShieldLLMSecurityAnalyzer-Input" | "ToolShieldLLMSecurityAnalyzer-Output";
        UninstallCanvasExtensionResponse (default) = "UninstallCanvasExtensionResponse";
        UninstallPluginResponse (default) = "UninstallPluginResponse";
        UninstallSkillResponse (default) = "UninstallSkillResponse";
        UpdateCanvasExtensionStateRequest (default) = "UpdateCanvasExtensionStateRequest";
        UpdateCanvasExtensionStateResponse (default) = "UpdateCanvasExtensionStateResponse";
        UpdateConversationRequest (default) = "UpdateConversationRequest";
        UpdatePluginResponse (default) = "UpdatePluginResponse";
        UpdatePluginStateRequest (default) = "UpdatePluginStateRequest";
        UpdatePluginStateResponse (default) = "UpdatePluginStateResponse";
        UpdateSecretsRequest (default) = "UpdateSecretsRequest";
        UpdateSkillResponse (default) = "UpdateSkillResponse";
        UpdateSkillStateRequest (default) = "UpdateSkillStateRequest";
        UpdateSkillStateResponse (default) = "UpdateSkillStateResponse";
        UserRejectObservation = "UserRejectObservation";
        ValidateProfileError (default) = "ValidateProfileError";
        ValidateProfileRequest (default) = "ValidateProfileRequest";
        ValidateProfileResponse (default) = "ValidateProfileResponse";
        ValidationError (default) = "ValidationError";
        VerifiedModelsResponse (default) = "VerifiedModelsResponse";
        VisionInspectAction (default) = "VisionInspectAction";
        VisionInspectObservation (default) = "VisionInspectObservation";
        VsCodeUrlResponse (default) = "VSCodeUrlResponse";
        WebhookSpec (default) = "WebhookSpec";
        WorkflowAction (default) = "WorkflowAction";
        WorkflowObservation (default) = "WorkflowObservation";
        WorkspaceItem (default) = "WorkspaceItem";
        WorkspaceParentItem (default) = "WorkspaceParentItem";
        WorkspacesListResponse (default) = "WorkspacesListResponse";
        WriteFileAction (default) = "WriteFileAction";
        WriteFileObservation (default) = "WriteFileObservation";
    }
}

/// Kinds of a union, by schema.
fn unions() -> Vec<(&'static str, &'static [&'static str])> {
    vec![
        ("Action", Action::KINDS),
        ("AgentBase-Input", AgentSpec::KINDS),
        ("AgentBase-Output", AgentSpec::KINDS),
        ("BaseWorkspace", Workspace::KINDS),
        ("CondenserBase-Input", Condenser::KINDS),
        ("CondenserBase-Output", Condenser::KINDS),
        ("ConfirmationPolicyBase-Input", ConfirmationPolicy::KINDS),
        ("ConfirmationPolicyBase-Output", ConfirmationPolicy::KINDS),
        ("CriticBase-Input", Critic::KINDS),
        ("CriticBase-Output", Critic::KINDS),
        ("Event", Event::KINDS),
        ("Observation", Observation::KINDS),
        ("SecretSource-Input", SecretSource::KINDS),
        ("SecretSource-Output", SecretSource::KINDS),
        ("SecurityAnalyzerBase-Input", SecurityAnalyzer::KINDS),
        ("SecurityAnalyzerBase-Output", SecurityAnalyzer::KINDS),
        ("BashEventBase", BashEvent::KINDS),
    ]
}

/// Words of an enum, by schema.
fn enums() -> Vec<(&'static str, &'static [&'static str])> {
    vec![
        ("BashEventSortOrder", BashEventSortOrder::WORDS),
        ("ConversationExecutionStatus", ExecutionStatus::WORDS),
        (
            "ConversationRuntimeStatus",
            ConversationRuntimeStatus::WORDS,
        ),
        ("ConversationSortOrder", ConversationSortOrder::WORDS),
        ("EventSortOrder", EventSortOrder::WORDS),
        ("FailureKind", FailureKind::WORDS),
        ("GitChangeStatus", GitChangeStatus::WORDS),
        ("GitProvider", GitProvider::WORDS),
        ("HookType", HookType::WORDS),
        ("SecurityRisk", SecurityRisk::WORDS),
        ("SettingProminence", SettingProminence::WORDS),
    ]
}

/// Schemas without a type of ours, and why.
const WITHOUT_TYPE: &[(&str, &[&str])] = &[
    (
        "parts of a chat completion that the server never makes: kept as free-form JSON",
        &[
            "Annotation",
            "AnnotationURLCitation",
            "ChatCompletionAudio",
            "ChatCompletionMessageCustomToolCall",
            "ChatCompletionMessageFunctionToolCall",
            "ChatCompletionTokenLogprob",
            "ChoiceLogprobs",
            "Custom",
            "Function",
            "FunctionCall",
            "Moderation",
            "ModerationInputError",
            "ModerationInputModerationResults",
            "ModerationInputModerationResultsResult",
            "ModerationOutputError",
            "ModerationOutputModerationResults",
            "ModerationOutputModerationResultsResult",
            "TopLogprob",
        ],
    ),
    (
        "a tool as its MCP server describes it: kept as free-form JSON",
        &[
            "Icon",
            "ToolExecution",
            "mcp__types__Tool",
            "mcp__types__ToolAnnotations",
        ],
    ),
    (
        "a union whose kinds have the same members: one type, with the kind as text",
        &["ToolDefinition"],
    ),
    (
        "multipart, no JSON",
        &[
            "Body_upload_file_query_api_conversations__runtime_conversation_id__file_upload_post",
            "Body_upload_file_query_api_file_upload_post",
        ],
    ),
    (
        "a map or any value, without members of its own",
        &[
            "ConversationStats",
            "JSONValue",
            "MCPConfig",
            "MCPConfigPatch",
            "TraceMetadataValue",
        ],
    ),
];

/// Members that the description does not name, and why we have them.
const EXTRA_MEMBERS: &[(&str, &str, &str)] = &[
    ("Llm", "schema_version", "in the file of a saved model"),
    ("ErrorBody", "exception", "in answers with status 5xx"),
    ("ErrorBody", "error_id", "in answers with status 5xx"),
    ("ErrorBody", "traceback", "in answers of a debugging server"),
    ("ErrorBody", "errors", "in answers of the V0 server"),
    (
        "McpServer",
        "sandbox",
        "ours: it runs where the tools of its conversation run",
    ),
    ("McpServerPatch", "sandbox", "the same"),
];

/// Members that are not fields: the tag of a union and the header of an event.
const NOT_FIELDS: &[&str] = &["id", "timestamp", "source", "parent_id"];
const TAGS: &[&str] = &["kind", "type", "strategy", "condenser_kind", "agent_kind"];

fn description() -> BTreeMap<String, Value> {
    serde_json::from_str(include_str!("../fixtures/openapi-members.json")).unwrap()
}

#[test]
fn every_schema_has_a_type_or_a_reason() {
    let types = types();
    let mut known: BTreeSet<&str> = types
        .iter()
        .flat_map(|(_, ours)| ours.schemas)
        .copied()
        .collect();
    known.extend(unions().iter().map(|(schema, _)| *schema));
    known.extend(enums().iter().map(|(schema, _)| *schema));
    known.extend(WITHOUT_TYPE.iter().flat_map(|(_, schemas)| *schemas));
    let described = description();
    let missing: Vec<_> = described
        .keys()
        .filter(|name| !known.contains(name.as_str()))
        .collect();
    assert_eq!(missing, Vec::<&String>::new(), "schemas without a type");
    assert_eq!(described.len(), 489);
    assert_eq!(
        known.len(),
        489,
        "the table names schemas that do not exist"
    );
}

#[test]
fn types_have_the_members_of_their_schemas_and_no_others() {
    let described = description();
    let mut problems = Vec::new();
    for (name, ours) in types() {
        let mut theirs = BTreeSet::new();
        for schema in ours.schemas {
            let members = described[*schema]["members"].as_object().unwrap();
            let is_event = members.contains_key("parent_id") && members.contains_key("timestamp");
            for member in members.keys() {
                theirs.insert(member.as_str());
                let in_header = is_event && NOT_FIELDS.contains(&member.as_str());
                let known = ours.members.contains(&member.as_str()) || in_header;
                if !known && !TAGS.contains(&member.as_str()) {
                    problems.push(format!("{name} lacks {schema}.{member}"));
                }
            }
        }
        for member in ours
            .members
            .iter()
            .filter(|member| !theirs.contains(**member))
        {
            if !EXTRA_MEMBERS
                .iter()
                .any(|(ty, extra, _)| *ty == name && extra == member)
            {
                problems.push(format!("{name}.{member} is in none of {:?}", ours.schemas));
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn defaults_are_those_of_the_description() {
    let described = description();
    let mut problems = Vec::new();
    let mut compared = 0;
    for (name, ours) in types() {
        let Some(default) = &ours.default else {
            continue;
        };
        for schema in ours.schemas {
            for (member, about) in described[*schema]["members"].as_object().unwrap() {
                let Some(theirs) = about.get("default") else {
                    continue;
                };
                let Some(found) = default.get(member) else {
                    continue;
                };
                compared += 1;
                let same = found == theirs
                    || (found.as_f64().is_some() && found.as_f64() == theirs.as_f64());
                if !same {
                    problems.push(format!("{name}.{member}: ours {found}, theirs {theirs}"));
                }
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    assert_eq!(compared, 340, "defaults that were compared");
}

#[test]
fn unions_know_all_kinds_and_enums_all_words() {
    let described = description();
    for (schema, kinds) in unions() {
        for kind in described[schema]["kinds"].as_array().unwrap() {
            assert!(
                kinds.contains(&kind.as_str().unwrap()),
                "{schema} lacks {kind}"
            );
        }
    }
    for (schema, words) in enums() {
        let theirs: BTreeSet<&str> = described[schema]["words"]
            .as_array()
            .unwrap()
            .iter()
            .map(|word| word.as_str().unwrap())
            .collect();
        assert_eq!(
            words.iter().copied().collect::<BTreeSet<_>>(),
            theirs,
            "{schema}"
        );
    }
}
