//! The older API inside a sandbox: one action in, one observation out.

mod action;
mod observation;
mod server;

pub use action::{
    BrowseAction, BrowseArgs, BrowseInteractiveAction, BrowseInteractiveArgs, ConfirmationState,
    EditAction, EditArgs, ExecuteActionRequest, FileImpl, ReadAction, ReadArgs, RunAction, RunArgs,
    RunIpythonAction, RunIpythonArgs, V0Action, V0Source, WriteAction, WriteArgs,
};
pub use observation::{
    BrowseExtras, BrowseObservation, DownloadExtras, DownloadObservation, EditExtras,
    EditObservation, ErrorExtras, ErrorObservation, ReadExtras, ReadObservation, RunExtras,
    RunIpythonExtras, RunIpythonObservation, RunObservation, V0Observation, WriteExtras,
    WriteObservation,
};
pub use server::{
    AliveStatus, ConnectionToken, DiskUse, IoUse, ListFilesRequest, McpServerUpdated,
    McpStdioServer, MemoryUse, ServerInfo, SystemResources, UploadedFile,
};
