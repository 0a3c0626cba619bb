use pretty_assertions::assert_eq;
use serde_json::json;

use super::Limits;
use crate::docker::settings::{DockerSettings, SandboxSpec};
use openhands_protocol::ConversationId;

#[test]
fn only_what_is_not_that_of_all_is_changed() {
    let mut settings = DockerSettings::new("me");
    settings.memory = Some(512);
    settings.cpus = Some(2.0);
    let mut spec = SandboxSpec::new(ConversationId::random());
    assert_eq!(Limits::of(&settings, &spec), None);
    spec.memory = Some(512);
    spec.cpus = Some(2.0);
    assert_eq!(Limits::of(&settings, &spec), None);
    spec.memory = Some(600);
    let limits = Limits::of(&settings, &spec).unwrap();
    let docker = limits.for_docker();
    assert_eq!(
        (docker.memory, docker.memory_swap, docker.nano_cpus),
        (Some(600), Some(600), None)
    );
    assert_eq!(
        limits.for_podman(),
        json!({"memory": {"limit": 600, "swap": 600}})
    );
    spec.memory = None;
    spec.cpus = Some(0.5);
    let limits = Limits::of(&settings, &spec).unwrap();
    assert_eq!(limits.for_docker().nano_cpus, Some(500_000_000));
    assert_eq!(
        limits.for_podman(),
        json!({"cpu": {"quota": 50_000, "period": 100_000}})
    );
}
