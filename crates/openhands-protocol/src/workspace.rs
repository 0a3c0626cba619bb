//! Workspaces: where the files are.

mod kinds;
mod list;

pub use kinds::{LocalWorkspace, RemoteWorkspace, Workspace};
pub use list::{
    AddWorkspaceParentsRequest, AddWorkspacesRequest, DeleteResponse, StoredWorkspaces,
    WorkspaceItem, WorkspaceParentItem, WorkspacesListResponse,
};
