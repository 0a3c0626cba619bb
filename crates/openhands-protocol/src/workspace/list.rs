//! Directories that the user works in.

use crate::wire::wire;

wire! {
    /// A directory.
    pub struct WorkspaceItem (default) {
        id in [min_length(1) max_length(4096)]: String,
        name in [min_length(1) max_length(256)]: String,
        path in [min_length(1) max_length(4096)]: String,
        parent_path as "parentPath" when some in [max_length(4096)]: Option<String> = None,
    }

    /// A directory whose children are offered.
    pub struct WorkspaceParentItem (default) {
        id in [min_length(1) max_length(4096)]: String,
        name in [min_length(1) max_length(256)]: String,
        path in [min_length(1) max_length(4096)]: String,
    }

    /// All directories.
    pub struct WorkspacesListResponse (default) {
        workspaces: Vec<WorkspaceItem> = Vec::new(),
        workspace_parents as "workspaceParents": Vec<WorkspaceParentItem> = Vec::new(),
    }

    /// Directories to add.
    pub struct AddWorkspacesRequest (default) {
        workspaces: Vec<WorkspaceItem>,
    }

    /// Parents to add.
    pub struct AddWorkspaceParentsRequest (default) {
        parents: Vec<WorkspaceParentItem>,
    }

    /// Something was deleted.
    pub struct DeleteResponse (default) {
        deleted: bool = true,
    }
}

wire! {
    /// `workspaces.json`.
    pub struct StoredWorkspaces (default) {
        schema_version: i64 = 1,
        workspaces: Vec<WorkspaceItem> = Vec::new(),
        workspace_parents as "workspaceParents": Vec<WorkspaceParentItem> = Vec::new(),
    }
}

wire! {
    /// A directory of the list.
    pub struct WorkspaceQuery (default) {
        /// Its path.
        path: String,
    }
}
