//! Conversations: their state, what is shown of them, what can be asked of them.

mod goal;
mod info;
mod page;
mod query;
mod request;
mod rules;
mod session;
mod start_request;
mod state;
mod stats;
mod status;
mod stored;

pub use goal::{GoalState, GoalStatus, GoalVerdict};
pub use info::{ConversationInfo, ConversationSortOrder, EventSortOrder};
pub use page::{BashEventPage, ConversationPage, EventPage, SubdirectoryPage};
pub use query::{
    BatchConversationsQuery, ConversationPath, CountConversationsQuery, CountEventsQuery,
    EventPath, IncludeSkillsQuery, SearchConversationsQuery, SearchEventsQuery,
};
pub use request::{
    AgentResponseResult, AskAgentRequest, AskAgentResponse, ConfirmationResponseRequest,
    ForkConversationRequest, Isolation, LoadPluginRequest, NavigateConversationRequest,
    SendMessageRequest, SetConfirmationPolicyRequest, SetSecurityAnalyzerRequest,
    StartChildConversationRequest, StartChildConversationResponse, StartGoalRequest, Success,
    SwitchAcpModelRequest, SwitchLlmRequest, SwitchProfileRequest, UpdateConversationRequest,
    UpdateSecretsRequest,
};
pub use session::{
    AuthFrame, DeltaFrame, DeltaKind, DurableFrame, ErrorFrame, ItemAbortedFrame, ItemStartedFrame,
    SessionFrame, SyncFrame, TransientFrame,
};
pub use start_request::{
    AgentLaunchAdditions, ClientToolSpec, ConversationContainerOptions,
    ConversationWorktreeOptions, StartConversationRequest, WorktreeBase,
};
pub use state::ConversationState;
pub use stats::{ConversationStats, ConversationStatsSnapshot};
pub use status::{
    ConversationRuntimeError, ConversationRuntimeInfo, ConversationRuntimeStatus, ExecutionStatus,
};
pub use stored::{OwnerLease, StoredConversation};
