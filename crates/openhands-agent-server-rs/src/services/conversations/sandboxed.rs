//! Which conversations work in containers, and what their containers are made for.

use std::path::Path;
use std::sync::Arc;

use openhands_protocol::ConversationId;
use openhands_protocol::conversation::{
    ConversationRuntimeInfo, ConversationRuntimeStatus, StoredConversation,
};
use openhands_protocol::server::RuntimeKind;
use openhands_sdk_rs::tools::absolute;

use crate::config::Config;
use crate::services::conversations::{Catalog, Conversations, Entry, RefusedRequest, worktree};
use crate::services::sandboxes::{Kept, Sandboxes, Slot, SlotPlan, find_repository, mounts_of};

/// What is said of a conversation whose tools run in this process: nothing could be missing.
pub(crate) fn local_runtime_info() -> ConversationRuntimeInfo {
    ConversationRuntimeInfo {
        runtime_status: ConversationRuntimeStatus::Available,
        can_resume: true,
        ..ConversationRuntimeInfo::default()
    }
}

/// Finds the slots of conversations that work in containers.
#[derive(Debug, Clone)]
pub(super) struct SlotFinder {
    pub(super) config: Arc<Config>,
    pub(super) catalog: Arc<Catalog>,
    pub(super) sandboxes: Arc<Sandboxes>,
}

impl SlotFinder {
    /// The slot of a conversation; none if it works on this machine.
    pub(super) fn slot(&self, id: ConversationId) -> Option<Arc<Slot>> {
        if let Some(slot) = self.sandboxes.slot(id) {
            return Some(slot);
        }
        let entry = self.catalog.read().get(&id).cloned()?;
        // Asked with every poll of a conversation: nothing is copied for those that work here.
        let kind = entry.look(|meta| kind_of(&self.config, meta));
        if kind != RuntimeKind::Docker || entry.is_deleted() {
            return None;
        }
        let meta = entry.meta();
        let working_dir = entry.working_dir();
        let root = &self.config.conversation_worktree_root;
        let root = absolute(root);
        let tree = worktree::of_workspace(&root, &working_dir);
        let worktree = tree
            .as_deref()
            .and_then(|tree| Some((tree.parent()?, tree)));
        Some(
            self.sandboxes
                .slot_for(id, || plan(&self.config, &meta, &working_dir, worktree)),
        )
    }

    /// The slot of a conversation that is being made.
    pub(super) fn slot_of_new(
        &self,
        stored: &StoredConversation,
        worktree: Option<(&Path, &Path)>,
    ) -> Arc<Slot> {
        let working_dir = absolute(Path::new(&stored.workspace.working_dir));
        self.sandboxes.slot_for(stored.id.into(), || {
            plan(&self.config, stored, &working_dir, worktree)
        })
    }
}

/// A conversation that is being made. Its container is removed if it comes to nothing, also because its caller went away.
#[derive(Debug)]
pub(super) struct Unfinished {
    finder: SlotFinder,
    id: ConversationId,
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        let is_known = self.finder.catalog.read().contains_key(&self.id);
        if is_known || self.finder.sandboxes.slot(self.id).is_none() {
            return;
        }
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            let (sandboxes, id) = (Arc::clone(&self.finder.sandboxes), self.id);
            runtime.spawn(async move { sandboxes.remove(id).await });
        }
    }
}

/// Where a conversation works: as it was chosen when it was made, else as the server is set up.
pub(super) fn kind_of(config: &Config, meta: &StoredConversation) -> RuntimeKind {
    let chosen = meta.conversation_runtime.clone();
    chosen.unwrap_or_else(|| config.conversation_runtime.clone())
}

fn plan(
    config: &Config,
    meta: &StoredConversation,
    working_dir: &Path,
    worktree: Option<(&Path, &Path)>,
) -> SlotPlan {
    let id: ConversationId = meta.id.into();
    let kept = absolute(&config.conversations_path);
    let directory = kept.join(id.hex()).join("sandbox");
    let observations = kept.join(id.hex()).join("observations");
    let kept = Kept {
        by_tools: &directory,
        by_server: &observations,
    };
    SlotPlan {
        conversation: id,
        mounts: mounts_of(working_dir, kept, worktree),
        init_git: worktree.is_none() && find_repository(working_dir).is_none(),
        working_dir: working_dir.to_owned(),
        directory,
        observations,
        options: meta.container.clone().unwrap_or_default(),
    }
}

impl Conversations {
    /// Where the tools of a conversation run, if that is a container.
    pub(crate) fn sandbox(&self, id: ConversationId) -> Option<Arc<Slot>> {
        self.finder.slot(id)
    }

    /// What is said of the place where the tools of a conversation run.
    pub(crate) fn runtime_info(&self, id: ConversationId) -> ConversationRuntimeInfo {
        self.sandbox(id)
            .map_or_else(local_runtime_info, |slot| slot.info())
    }

    /// Where a new conversation is to work. What it works in is kept with it where it could be another.
    pub(crate) fn choose_runtime(
        &self,
        asked: Option<RuntimeKind>,
    ) -> Result<Option<RuntimeKind>, RefusedRequest> {
        let usual = &self.config.conversation_runtime;
        let is_selectable = self.config.conversation_runtime_selectable;
        match asked {
            Some(RuntimeKind::Local | RuntimeKind::Docker) if is_selectable => Ok(asked),
            Some(kind) if kind != *usual => Err(RefusedRequest::Invalid(format!(
                "This server only runs {} conversations",
                usual.as_str()
            ))),
            None if *usual == RuntimeKind::Local && !is_selectable => Ok(None),
            _ => Ok(Some(usual.clone())),
        }
    }

    /// Removes containers of conversations that are not in memory and were not used for so long.
    pub(super) async fn evict_sandboxes(&self, idle: std::time::Duration) {
        let rests = |id| self.entry(id).is_none_or(|entry| entry.loaded().is_none());
        self.sandboxes.evict(idle, rests).await;
    }

    /// Watches over the container of a conversation until there is one of that id.
    pub(super) fn unfinished(&self, id: ConversationId) -> Unfinished {
        Unfinished {
            finder: self.finder.clone(),
            id,
        }
    }

    /// Whether a conversation works in a container.
    pub(super) fn is_sandboxed(&self, meta: &StoredConversation) -> bool {
        kind_of(&self.config, meta) == RuntimeKind::Docker
    }

    /// Looks for the containers of the last server, where there may be some.
    pub(super) fn take_up_sandboxes(&self) {
        let is_used = |entry: &Arc<Entry>| entry.look(|meta| self.is_sandboxed(meta));
        let may_have = self.config.conversation_runtime == RuntimeKind::Docker
            || self.config.conversation_runtime_selectable
            || self.catalog.read().values().any(is_used);
        if may_have {
            let finder = self.finder.clone();
            self.sandboxes.take_up(move |id| finder.slot(id));
        }
    }
}
