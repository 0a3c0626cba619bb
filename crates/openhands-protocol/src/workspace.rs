//! Workspaces: where the files are.

mod kinds;
mod list;
mod path;

pub use kinds::{LocalWorkspace, RemoteWorkspace, Workspace};
pub use list::{
    AddWorkspaceParentsRequest, AddWorkspacesRequest, DeleteResponse, StoredWorkspaces,
    WorkspaceItem, WorkspaceParentItem, WorkspaceQuery, WorkspacesListResponse,
};
pub use path::{RuntimePath, WorkspaceFilePath, WorkspacePath};
