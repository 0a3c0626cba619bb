//! Agents: what they are made of, and saved ones.

mod acp;
mod condenser;
mod context;
mod critic;
mod definition;
mod meta_profile;
mod openhands;
mod profile;

pub use acp::{
    AcpAgent, AcpFileSecret, AcpModelDiscovery, AcpModelDiscoveryError, AcpModelDiscoveryRequest,
    AcpModelInfo, AcpServer, EnvPointsTo,
};
pub use condenser::{Condenser, LlmSummarizingCondenser, NoOpCondenser, PipelineCondenser};
pub use context::AgentContext;
pub use critic::{
    AgentFinishedCritic, ApiBasedCritic, Critic, CriticMode, CriticResult, EmptyPatchCritic,
    IterativeRefinementConfig, PassCritic,
};
pub use definition::{
    AgentDefinition, AgentLevel, SubAgentInfo, SubAgentsRequest, SubAgentsResponse,
};
pub use meta_profile::{
    ActivateMetaProfileResponse, MetaProfile, MetaProfileClass, MetaProfileDetailResponse,
    MetaProfileInfo, MetaProfileListResponse, MetaProfileMutationResponse, MetaProfilePath,
};
pub use openhands::{Agent, AgentSpec};
pub use profile::{
    AcpAgentProfile, ActivateAgentProfileResponse, AgentProfile, AgentProfileDetailResponse,
    AgentProfileDiagnostics, AgentProfileIdPath, AgentProfileInfo, AgentProfileListResponse,
    AgentProfileMutationResponse, AgentProfilePath, LaunchedAgentProfile,
    MaterializeAgentProfileRequest, OpenHandsAgentProfile, ProfileVerificationSettings,
    RenameAgentProfileRequest,
};
