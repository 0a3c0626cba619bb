//! The server: what it says about itself, how it is configured, how it reports errors.

mod error;
mod info;
mod init;
mod system;
mod tools;

pub use error::{ErrorBody, ErrorDetail, ErrorLocation, ValidationError};
pub use info::{
    HealthStatus, ReadyStatus, RuntimeKind, RuntimeVsCodeUrlQuery, ServerInfo, VsCodeStatus,
    VsCodeUrlQuery, VsCodeUrlResponse,
};
pub use init::{
    DeploymentKind, InitRequest, InitState, InitStatus, TelemetryExporter, TelemetrySpec,
    WebhookSpec,
};
pub use system::{
    CpuStatistics, DiskStatistics, MemoryStatistics, ProcessStatistics, SystemStatistics,
};
pub use tools::{ToolCatalogEntry, ToolCatalogResponse};
