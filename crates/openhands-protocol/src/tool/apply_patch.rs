//! The apply_patch tool: several file changes in one text.

use indexmap::IndexMap;

use super::observation::observation;
use crate::text::words;
use crate::wire::wire;

words! {
    /// What a patch does to a file.
    pub enum PatchChangeType {
        Add = "add",
        Delete = "delete",
        Update = "update",
    }
}

wire! {
    /// A patch to apply.
    pub struct ApplyPatchAction ["kind" = "ApplyPatchAction"] (default) {
        patch: String,
    }

    /// What a patch did to one file.
    pub struct PatchChange (default) {
        change as "type": PatchChangeType,
        old_content: Option<String> = None,
        new_content: Option<String> = None,
        move_path: Option<String> = None,
    }

    /// What a patch did, by path.
    pub struct PatchCommit (default) {
        changes: IndexMap<String, PatchChange> = IndexMap::new(),
    }
}

observation! {
    /// What applying a patch answered.
    pub struct ApplyPatchObservation ["kind" = "ApplyPatchObservation"] {
        message: String = String::new(),
        /// How far context had to be bent to match; 0 is exact.
        fuzz: u64 = 0,
        commit: Option<PatchCommit> = None,
    }
}
