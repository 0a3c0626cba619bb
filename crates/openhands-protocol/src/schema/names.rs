//! What the reference calls our types.

/// Parts of names that the reference writes in capitals.
const CAPITALS: &[(&str, &str)] = &[
    ("Acp", "ACP"),
    ("Llm", "LLM"),
    ("Mcp", "MCP"),
    ("Oauth", "OAuth"),
    ("OpenAi", "OpenAI"),
    ("VsCode", "VSCode"),
    ("ApiBased", "APIBased"),
    ("ImageUrl", "ImageURL"),
];

/// Names that are simply other ones.
const OTHERS: &[(&str, &str)] = &[
    ("AcpFileSecret", "ACPFileSecretSpec"),
    ("AgentSpec", "AgentBase"),
    ("BashEvent", "BashEventBase"),
    ("Condenser", "CondenserBase"),
    ("ConfirmationPolicy", "ConfirmationPolicyBase"),
    ("Critic", "CriticBase"),
    ("ErrorBody", "HTTPValidationError"),
    ("ExecutionStatus", "ConversationExecutionStatus"),
    ("McpApiKeyAuth", "MCPApiKeyAuthCredential"),
    ("McpBasicAuth", "MCPBasicAuthCredential"),
    ("McpBearerAuth", "MCPBearerAuthCredential"),
    ("McpHeaderAuth", "MCPHeaderAuthCredential"),
    ("McpNoneAuth", "MCPNoneAuthCredential"),
    ("McpOauthAuth", "MCPOAuthAuthCredential"),
    ("ReasoningItem", "ReasoningItemModel"),
    ("SecurityAnalyzer", "SecurityAnalyzerBase"),
    ("ThinkingBlock", "AnyThinkingBlock"),
    ("ThinkingText", "ThinkingBlock"),
    ("Workspace", "BaseWorkspace"),
];

/// Enums that are classes in the reference.
const CLASSES: &[&str] = &[
    "BashEventSortOrder",
    "ConversationRuntimeStatus",
    "ConversationSortOrder",
    "EventSortOrder",
    "ExecutionStatus",
    "FailureKind",
    "GitChangeStatus",
    "GitProvider",
    "HookType",
    "SecurityRisk",
    "SettingProminence",
];

/// The name of one of our types in the reference.
pub(super) fn in_reference(name: &str) -> String {
    if let Some((_, other)) = OTHERS.iter().find(|(ours, _)| *ours == name) {
        return (*other).to_owned();
    }
    CAPITALS
        .iter()
        .fold(name.to_owned(), |name, (ours, theirs)| {
            name.replace(ours, theirs)
        })
}

/// Whether an enum of ours is a class in the reference.
pub(super) fn is_class(name: &str) -> bool {
    CLASSES.contains(&name)
}
