//! Runtimes in containers for the conversations of one program: a container for each, which its sub-agents share.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Weak};

use openhands_protocol::ConversationId;
use parking_lot::Mutex;
use tokio_util::task::AbortOnDropHandle;

use super::Docker;
use super::error::DockerError;
use super::pool::WarmPool;
use super::progress::Progress;
use super::runtime::{DockerRuntime, Placement};
use super::settings::SandboxSpec;
use crate::remote::RemoteRequest;

/// Where the tools of a conversation keep files, below its own directory. The rest of that is not seen inside.
const TOOLS: &str = "tools";

/// Makes runtimes in containers.
#[derive(Debug)]
pub struct DockerRuntimes {
    docker: Docker,
    pool: Option<Arc<WarmPool>>,
    progress: Progress,
    rooms: Mutex<HashMap<ConversationId, Room>>,
    /// Removes what was made and will never be started.
    _tidy: AbortOnDropHandle<()>,
}

/// The container of a conversation while someone uses it, and where tools keep files in it.
#[derive(Debug)]
struct Room {
    place: Weak<Placement>,
    kept: Option<PathBuf>,
}

impl DockerRuntimes {
    /// Containers as the settings of the engine say; as many wait as these want. Called in a runtime of tokio, in which what
    /// was made and will never be started is looked for.
    pub fn new(docker: &Docker, progress: Progress) -> Self {
        let has_pool = docker.settings().warm > 0;
        Self {
            docker: docker.clone(),
            pool: has_pool.then(|| Arc::new(WarmPool::start(docker))),
            progress,
            rooms: Mutex::default(),
            _tidy: docker.keep_tidy(),
        }
    }

    /// A runtime for a conversation: in a container of its own, or in that of the conversation for which it works. The
    /// working directory is seen inside under its own path.
    pub fn runtime(&self, mut request: RemoteRequest) -> Result<DockerRuntime, DockerError> {
        let is_owner = request.conversation == request.root;
        let mut rooms = self.rooms.lock();
        rooms.retain(|_, room| room.place.strong_count() > 0);
        if let Some(room) = rooms.get(&request.root)
            && let Some(place) = room.place.upgrade()
        {
            request.place.persistence_dir = room.kept.as_ref().map(|kept| {
                if is_owner {
                    kept.clone()
                } else {
                    kept.join(request.conversation.hex())
                }
            });
            return Ok(DockerRuntime::at(place, request, is_owner));
        }
        let kept = request
            .place
            .persistence_dir
            .take()
            .map(|dir| dir.join(TOOLS));
        let mut spec = SandboxSpec::new(request.root);
        for directory in [Some(&request.place.working_dir), kept.as_ref()]
            .into_iter()
            .flatten()
        {
            std::fs::create_dir_all(directory).map_err(|source| DockerError::File {
                action: "making",
                path: directory.clone(),
                source,
            })?;
            spec = spec.with_directory(directory);
        }
        request.place.persistence_dir.clone_from(&kept);
        let place = Placement::new(&self.docker, self.pool.clone(), spec, self.progress.clone());
        let place = Arc::new(place);
        let room = Room {
            place: Arc::downgrade(&place),
            kept,
        };
        rooms.insert(request.root, room);
        Ok(DockerRuntime::at(place, request, is_owner))
    }

    /// Removes the containers that wait, and waits for the end of what was given up while it was made.
    pub async fn close(&self) {
        if let Some(pool) = &self.pool {
            pool.close().await;
        }
        self.docker.settled().await;
    }
}
