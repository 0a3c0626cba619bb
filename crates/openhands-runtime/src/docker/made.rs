//! A container on its way: made, but not yet anybody's.

use std::collections::HashSet;

use super::Docker;
use super::sandbox::DockerSandbox;

/// The name of a container whose start is under way in this process. What is left over is told from it by that.
#[derive(Debug)]
pub(super) struct Underway {
    docker: Docker,
    name: String,
}

impl Underway {
    pub(super) fn new(docker: &Docker, name: &str) -> Self {
        docker.underway().send_modify(|names| {
            names.insert(name.to_owned());
        });
        Self {
            docker: docker.clone(),
            name: name.to_owned(),
        }
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }
}

impl Drop for Underway {
    fn drop(&mut self) {
        self.docker.underway().send_modify(|names| {
            names.remove(&self.name);
        });
    }
}

/// A container that is removed unless it is kept: also when its start is cancelled.
#[derive(Debug)]
pub(super) struct Made(Option<(String, Underway)>);

impl Made {
    pub(super) fn new(id: String, underway: Underway) -> Self {
        Self(Some((id, underway)))
    }

    pub(super) fn id(&self) -> &str {
        self.0.as_ref().map_or("", |(id, _)| id)
    }

    pub(super) fn keep(mut self) {
        self.0 = None;
    }
}

impl Drop for Made {
    fn drop(&mut self) {
        let Some((id, underway)) = self.0.take() else {
            return;
        };
        // Without a runtime nothing can be asked of the engine: the next one of this owner finds it.
        let Ok(runtime) = tokio::runtime::Handle::try_current() else {
            return;
        };
        let docker = underway.docker.clone();
        let removing = async move {
            underway.docker.remove_by_id(&id).await;
        };
        docker.tasks().spawn_on(removing, &runtime);
    }
}

/// A container that had waited, on its way to a conversation. It is removed unless it arrives: nobody else would take it.
#[derive(Debug)]
pub(super) struct Claiming(Option<(String, Docker)>);

impl Claiming {
    pub(super) fn new(sandbox: &DockerSandbox) -> Self {
        Self(Some((sandbox.id().to_owned(), sandbox.docker().clone())))
    }

    pub(super) fn keep(mut self) {
        self.0 = None;
    }
}

impl Drop for Claiming {
    fn drop(&mut self) {
        let Some((id, docker)) = self.0.take() else {
            return;
        };
        // Without a runtime it ends by itself, within a minute.
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            let tasks = docker.tasks().clone();
            tasks.spawn_on(async move { docker.remove_by_id(&id).await }, &runtime);
        }
    }
}

impl Docker {
    /// Resolves when what was given up is removed. For the end of a program: what it leaves then nobody removes.
    pub async fn settled(&self) {
        self.tasks().close();
        self.tasks().wait().await;
    }

    /// Resolves when no start of a container of this name is under way here, and nothing is left of one that was given up.
    pub(super) async fn no_longer_underway(&self, name: &str) {
        let mut names = self.underway().subscribe();
        // The sender lives as long as this.
        let _ = names.wait_for(|names| !names.contains(name)).await;
    }

    /// Whether one of these names, as the engine lists them, is that of a start that is under way here.
    pub(super) fn is_underway(&self, names: Option<&Vec<String>>) -> bool {
        let underway: &HashSet<String> = &self.underway().borrow();
        let mut names = names.into_iter().flatten();
        names.any(|name| underway.contains(name.trim_start_matches('/')))
    }
}
