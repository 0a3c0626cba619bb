//! Containers that do not run and that nobody will start: their server died between making and starting them, or their engine
//! died before it removed them.

use std::collections::HashSet;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use bollard::models::{ContainerSummary, ContainerSummaryStateEnum as State};
use bollard::query_parameters::RemoveContainerOptionsBuilder;
use tokio_util::task::AbortOnDropHandle;

use super::Docker;
use super::container::OWNER;
use super::error::{DockerError, is_status, told};

/// How often it is looked. What is left over goes at the second sight, so within a minute.
const PERIOD: Duration = Duration::from_secs(20);
/// After how long a container of another owner that was never started is nobody's: no start takes so long.
const OTHERS: Duration = Duration::from_mins(10);

/// Which containers were left over when it was looked last.
#[derive(Debug, Default)]
pub struct Leftovers(HashSet<String>);

impl Leftovers {
    /// Removes what was left over last time too, and gives the ids. A container that runs is never removed.
    ///
    /// Those of this owner that no start in this process has; seen twice, because an earlier server of the same owner may
    /// just be ending. Those of other owners only if they were never started and are old: an owner that never comes back
    /// leaves nothing for ever, and one that lives misses nothing.
    pub async fn remove(&mut self, docker: &Docker) -> Result<Vec<String>, DockerError> {
        let now = SystemTime::now();
        // The clock of another machine says nothing.
        let now = docker.connection().remote.is_none().then_some(now);
        let mut left = HashSet::new();
        for container in docker.not_running().await? {
            if !docker.is_underway(container.names.as_ref())
                && is_left(&docker.settings().owner, &container, now)
            {
                left.extend(container.id);
            }
        }
        let mut removed = Vec::new();
        for id in left.intersection(&self.0) {
            if docker.remove_if_not_running(id).await {
                removed.push(id.clone());
            }
        }
        self.0 = left;
        Ok(removed)
    }
}

/// Whether a container that does not run is left over, as an owner sees it who knows what time it is at the engine.
fn is_left(owner: &str, container: &ContainerSummary, now: Option<SystemTime>) -> bool {
    let labels = container.labels.as_ref();
    let is_own = labels
        .and_then(|labels| labels.get(OWNER))
        .is_some_and(|label| label == owner);
    let was_never_started = container.state == Some(State::CREATED);
    is_own || (was_never_started && now.is_some_and(|now| is_old(container, now)))
}

fn is_old(container: &ContainerSummary, now: SystemTime) -> bool {
    let seconds = container.created.map(u64::try_from);
    let Some(Ok(seconds)) = seconds else {
        return false;
    };
    let made = UNIX_EPOCH + Duration::from_secs(seconds);
    now.duration_since(made).is_ok_and(|age| age >= OTHERS)
}

impl Docker {
    /// Removes leftovers again and again, as long as the handle is there.
    pub fn keep_tidy(&self) -> AbortOnDropHandle<()> {
        let docker = self.clone();
        AbortOnDropHandle::new(tokio::spawn(async move {
            let mut leftovers = Leftovers::default();
            let mut ticks = tokio::time::interval(PERIOD);
            ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
            loop {
                ticks.tick().await;
                match leftovers.remove(&docker).await {
                    Ok(removed) if removed.is_empty() => {}
                    Ok(removed) => {
                        let count = removed.len();
                        tracing::info!(count, "removed containers that were left over");
                    }
                    // An engine that is away has nothing left over that matters now.
                    Err(error) => {
                        tracing::debug!("containers that are left over cannot be found: {error}");
                    }
                }
            }
        }))
    }

    /// Containers of all owners that do not run, and are not frozen.
    async fn not_running(&self) -> Result<Vec<ContainerSummary>, DockerError> {
        let mut listed = self.with_label(OWNER).await?;
        let is_at_rest = |state| matches!(state, State::CREATED | State::EXITED | State::DEAD);
        listed.retain(|container| container.state.is_some_and(is_at_rest));
        Ok(listed)
    }

    /// Whether a container was removed. Without force: the engine refuses if it was started meanwhile.
    async fn remove_if_not_running(&self, id: &str) -> bool {
        let options = RemoveContainerOptionsBuilder::new().v(true).build();
        match self.engine().remove_container(id, Some(options)).await {
            Ok(()) => true,
            Err(error) if is_status(&error, &[404, 409]) => false,
            Err(error) => {
                tracing::warn!(container = id, "not removed: {}", told(&error));
                false
            }
        }
    }
}

#[cfg(test)]
#[path = "leftovers_tests.rs"]
mod tests;
