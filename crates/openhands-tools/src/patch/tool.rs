//! Both halves of the `apply_patch` tool.

use std::path::{Path, PathBuf};

use futures_util::future::BoxFuture;
use openhands_protocol::tool::{
    Action, ApplyPatchAction, ApplyPatchObservation, Observation, PatchChange, PatchChangeType,
    PatchCommit, ToolSpec,
};
use serde_json::{Map, Value, json};

use super::apply::{Applied, ApplyError, Change, apply_patch};
use super::parse::paths_named;
use crate::arguments::{Arguments, InvalidArguments, text};
use crate::blocking::blocking;
use crate::definition::{Hints, ToolDefinition, spec};
use crate::executor::{CallContext, ToolError, ToolExecutor};
use crate::registry::Registration;
use crate::resources::Locks;

const DONE: &str = "Done!";

const DESCRIPTION: &str = "\
Changes files of the workspace with one patch: adds, edits, deletes, moves, as many files as needed in one call. Either the \
whole patch is applied or nothing is changed.

A patch is text of this form:

*** Begin Patch
*** Update File: src/shop/cart.py
@@ class Cart:
@@     def total(self):
         amount = sum(item.price for item in self.items)
-        return amount
+        return round(amount, 2)
@@ def main():
-    print(cart.total)
+    print(cart.total())
*** Update File: docs/draft.md
*** Move to: docs/shop.md
@@
-# Draft
+# Shop
*** Add File: src/shop/__init__.py
+from .cart import Cart
+
+__all__ = [\"Cart\"]
*** Delete File: src/old_cart.py
*** End Patch

Rules
* Paths are relative to the workspace. Nothing outside of it can be changed, also not through links.
* `*** Add File:` takes the whole content, every line with a leading `+`. It replaces a file that already exists. A final \
line that is only `+` gives the file its last line break.
* `*** Update File:` takes hunks. Each line of a hunk begins with one character: a blank for a line that stays, `-` for one that \
goes, `+` for one that comes. The lines that stay or go must follow each other in the file exactly like that.
* Copy these lines from the file as it is now, with their indentation; do not guess them. Two or three unchanged lines around a \
change are enough if they occur once; otherwise name the place first.
* `@@ some line` before a hunk goes to behind that line of the file, usually the head of a class or function. Several in a row lead \
step by step into nested ones. A plain `@@` only begins the next hunk. Line numbers are not used.
* Hunks of a file stand in the order of the file, and a file stands once in a patch.
* `*** End of File` behind a hunk says that it is at the end of the file.
* `*** Move to:` directly behind `*** Update File:` renames the file; hunks may follow.

If a context is not found the answer quotes it: look at the file again and send a corrected patch.";

/// The pure half of `apply_patch`.
#[derive(Debug)]
pub struct ApplyPatchTool {
    spec: ToolSpec,
    working_dir: PathBuf,
}

impl ApplyPatchTool {
    /// The definition for a workspace.
    pub fn new(working_dir: &Path) -> Self {
        let hints = Hints {
            read_only: false,
            destructive: true,
            idempotent: false,
            open_world: false,
        };
        let schema = json!({
            "type": "object",
            "properties": {
                "patch": {
                    "type": "string",
                    "description": "The patch, from `*** Begin Patch` to `*** End Patch`.",
                },
            },
            "required": ["patch"],
        });
        Self {
            spec: spec(super::NAME, "ApplyPatch", DESCRIPTION, hints, schema),
            working_dir: working_dir.to_path_buf(),
        }
    }
}

impl ToolDefinition for ApplyPatchTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn decode(&self, arguments: &Map<String, Value>) -> Result<Action, InvalidArguments> {
        let mut given = Arguments::new(arguments);
        let action = ApplyPatchAction {
            patch: given.required("patch", text),
            ..ApplyPatchAction::default()
        };
        given.finish()?;
        Ok(Action::ApplyPatch(action))
    }

    /// The files that the patch names, under the same keys as the file editor's, so that the two never mix.
    fn locks(&self, action: &Action) -> Locks {
        let Action::ApplyPatch(action) = action else {
            return Locks::tool(super::NAME);
        };
        let paths: Vec<PathBuf> = paths_named(&action.patch)
            .into_iter()
            .map(|path| self.working_dir.join(path))
            .collect();
        Locks::files(paths.iter().map(PathBuf::as_path))
    }
}

/// The acting half of `apply_patch`.
#[derive(Debug)]
pub struct ApplyPatchExecutor {
    root: PathBuf,
}

impl ApplyPatchExecutor {
    /// An executor for the workspace at `root`.
    pub fn new(root: &Path) -> Self {
        Self {
            root: root.to_path_buf(),
        }
    }
}

impl ToolExecutor for ApplyPatchExecutor {
    fn execute(
        &self,
        action: Action,
        _cx: CallContext,
    ) -> BoxFuture<'_, Result<Observation, ToolError>> {
        Box::pin(async move {
            let Action::ApplyPatch(action) = action else {
                return Err(ToolError::wrong_action(super::NAME, &action));
            };
            let root = self.root.clone();
            // Not cancellable: it is short, and half a patch would be worse than a late answer.
            let outcome = blocking(move || apply_patch(&root, &action.patch)).await?;
            match outcome {
                Ok(applied) => Ok(Observation::ApplyPatch(observation(applied))),
                Err(ApplyError::Patch(error)) => Ok(Observation::ApplyPatch(
                    ApplyPatchObservation::with_error(error.to_string()),
                )),
                Err(ApplyError::File(problem)) => Err(ToolError::Failed(problem)),
            }
        })
    }
}

fn observation(applied: Applied) -> ApplyPatchObservation {
    let changes = applied
        .changes
        .into_iter()
        .map(|(path, change)| (path, recorded(change)))
        .collect();
    ApplyPatchObservation {
        message: DONE.to_owned(),
        fuzz: applied.fuzz,
        commit: Some(PatchCommit {
            changes,
            ..PatchCommit::default()
        }),
        ..ApplyPatchObservation::with_text(DONE)
    }
}

fn recorded(change: Change) -> PatchChange {
    let change = match change {
        Change::Added { new } => (PatchChangeType::Add, None, Some(new), None),
        Change::Deleted { old } => (PatchChangeType::Delete, Some(old), None, None),
        Change::Updated {
            old,
            new,
            move_path,
        } => (
            PatchChangeType::Update,
            Some(old),
            Some(new),
            Some(move_path),
        ),
    };
    let (change, old_content, new_content, move_path) = change;
    PatchChange {
        change,
        old_content,
        new_content,
        move_path,
        ..PatchChange::default()
    }
}

/// Both halves for the registry.
pub fn registration() -> Registration {
    Registration::single(
        |place, _| Ok(ApplyPatchTool::new(&place.working_dir)),
        |machine, _| Ok(ApplyPatchExecutor::new(&machine.place.working_dir)),
        super::NAME,
    )
}

#[cfg(test)]
#[path = "tool_tests.rs"]
mod tests;
