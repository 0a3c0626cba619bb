//! The server: what it says about itself, how it is configured, how it reports errors.

mod error;
mod info;
mod init;
mod tools;

pub use error::{ErrorBody, ErrorDetail, ErrorLocation, ValidationError};
pub use info::{
    HealthStatus, ReadyStatus, RuntimeKind, ServerInfo, VsCodeStatus, VsCodeUrlQuery,
    VsCodeUrlResponse,
};
pub use init::{
    DeploymentKind, InitRequest, InitState, InitStatus, TelemetryExporter, TelemetrySpec,
    WebhookSpec,
};
pub use tools::{ToolCatalogEntry, ToolCatalogResponse};
