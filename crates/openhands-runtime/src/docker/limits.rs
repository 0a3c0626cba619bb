//! The limits of a container that runs already: a conversation may want others than all have.

use bollard::models::ContainerUpdateBody;
use serde_json::{Value, json};

use super::Docker;
use super::container::{nano_cpus, whole};
use super::error::{is_status, told};
use super::podman;
use super::settings::{DockerSettings, SandboxSpec};

/// Microseconds of which processors are a share.
const PERIOD: i32 = 100_000;

/// Limits that are to be changed.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Limits {
    memory: Option<i64>,
    cpus: Option<f64>,
}

impl Limits {
    /// None if the conversation wants none that are not those of all.
    fn of(settings: &DockerSettings, spec: &SandboxSpec) -> Option<Self> {
        let memory = spec.memory.filter(|_| spec.memory != settings.memory);
        let limits = Self {
            memory: memory.and_then(whole),
            cpus: spec.cpus.filter(|_| spec.cpus != settings.cpus),
        };
        (limits.memory.is_some() || limits.cpus.is_some()).then_some(limits)
    }

    fn for_docker(self) -> ContainerUpdateBody {
        ContainerUpdateBody {
            memory: self.memory,
            // As much with swap as without: no swap.
            memory_swap: self.memory,
            nano_cpus: self.cpus.map(nano_cpus),
            ..ContainerUpdateBody::default()
        }
    }

    fn for_podman(self) -> Value {
        let memory = self.memory.map(|bytes| {
            let both = json!({"limit": bytes, "swap": bytes});
            ("memory".to_owned(), both)
        });
        let cpu = self.cpus.map(|cpus| {
            #[expect(
                clippy::cast_possible_truncation,
                reason = "a number of processors is small"
            )]
            let quota = (cpus * f64::from(PERIOD)).round() as i64;
            let share = json!({"quota": quota, "period": PERIOD});
            ("cpu".to_owned(), share)
        });
        Value::Object(memory.into_iter().chain(cpu).collect())
    }
}

impl Docker {
    /// Gives a container the limits that a conversation wants, where they are not those of all. If it says that it cannot, the
    /// container has those of all.
    pub(super) async fn limit(&self, id: &str, spec: &SandboxSpec) -> Result<(), String> {
        let Some(limits) = Limits::of(self.settings(), spec) else {
            return Ok(());
        };
        let changed = self.engine().update_container(id, limits.for_docker());
        match (changed.await, &self.connection().socket) {
            (Ok(()), _) => Ok(()),
            // Podman 4 does not know the way in which Docker is asked for that.
            (Err(error), Some(socket)) if self.connection().podman && is_status(&error, &[404]) => {
                podman::update(socket, id, &limits.for_podman()).await
            }
            (Err(error), _) => Err(told(&error)),
        }
    }
}

#[cfg(test)]
#[path = "limits_tests.rs"]
mod tests;
