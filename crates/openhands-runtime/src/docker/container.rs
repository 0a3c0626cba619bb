//! The container as it is asked of the engine.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::net::Ipv4Addr;
use std::os::unix::fs::MetadataExt as _;

use bollard::models::{
    ContainerCreateBody, DeviceRequest, HealthConfig, HostConfig, Mount as EngineMount, MountType,
    PortBinding, PortMap, ResourcesUlimits,
};
use openhands_protocol::{ConversationId, Secret};
use rustix::process::Resource;
use sha2::{Digest as _, Sha256};

use super::connect::Connection;
use super::error::DockerError;
use super::reach::{PORTS, Reach, ports_in};
use super::settings::{DockerSettings, Mount, SandboxSpec};

/// Which outer server a container belongs to.
pub(super) const OWNER: &str = "dev.openhands.owner";
/// Which conversation it was made for.
pub(super) const CONVERSATION: &str = "dev.openhands.conversation";
/// That it was made before there was a conversation.
pub(super) const WARM: &str = "dev.openhands.warm";
/// The variable with the key of the inner server.
pub(super) const KEY: &str = "OH_SESSION_API_KEYS_0";

/// Where the inner server keeps what is its own.
const STATE: &str = "/tmp/.openhands-server";

/// How many files a process may have open under Podman: as many as the reference's client gives.
const MOST_FILES: i64 = 65_536;
/// How many processes a user may have under Podman, over all containers. It lowers its own limit to the number of processes that
/// the kernel can count, which is no less than this. The limit of a container is another.
const MOST_PROCESSES: i64 = 32_768;

/// What a container is made for.
#[derive(Debug, Clone)]
pub(super) enum Purpose {
    /// A conversation.
    Conversation(SandboxSpec),
    /// Whoever comes first and wants this user; without one it is the server's own, which is root.
    Warm(Option<String>),
}

/// Everything that decides what a container is like.
#[derive(Debug)]
pub(super) struct Plan<'a> {
    pub(super) settings: &'a DockerSettings,
    pub(super) connection: &'a Connection,
    pub(super) reach: &'a Reach,
    pub(super) purpose: &'a Purpose,
    pub(super) key: &'a Secret,
}

/// The name of the container of a conversation. The owner is part of it, so that copies of a conversation in two
/// servers do not meet.
pub(super) fn name_of(owner: &str, conversation: ConversationId) -> String {
    format!("openhands-{}-{}", mark_of(owner), conversation.hex())
}

/// The name of a container that waits. It is no conversation's: nobody may take it for one.
fn waiting_name(owner: &str) -> Result<String, DockerError> {
    Ok(format!(
        "openhands-{}-warm-{}",
        mark_of(owner),
        random::<8>()?
    ))
}

fn mark_of(owner: &str) -> String {
    hex(Sha256::digest(owner.as_bytes()).iter().take(4))
}

/// So many random bytes as text.
pub(super) fn random<const BYTES: usize>() -> Result<String, DockerError> {
    let mut bytes = [0_u8; BYTES];
    getrandom::fill(&mut bytes)
        .map_err(|error| DockerError::Settings(format!("no random numbers: {error}")))?;
    Ok(hex(bytes.iter()))
}

/// Bytes as text.
fn hex<'a>(bytes: impl Iterator<Item = &'a u8>) -> String {
    bytes.fold(String::new(), |mut text, byte| {
        // Writing to a string does not fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// The user inside: the one that is named, else the owner of the first directory that can be written, else none, which
/// is the image's.
pub(super) fn user_for(
    settings: &DockerSettings,
    connection: &Connection,
    mounts: &[Mount],
) -> Result<Option<String>, DockerError> {
    if settings.user.is_some() {
        return Ok(settings.user.clone());
    }
    let Some(mount) = mounts.iter().find(|mount| !mount.read_only) else {
        return Ok(None);
    };
    let metadata = std::fs::metadata(&mount.source).map_err(|source| DockerError::File {
        action: "looking at",
        path: mount.source.clone(),
        source,
    })?;
    let is_ours = metadata.uid() == rustix::process::geteuid().as_raw();
    if connection.rootless && !connection.podman && is_ours {
        // Root inside is the user who runs the engine.
        return Ok(Some("0:0".to_owned()));
    }
    Ok(Some(format!("{}:{}", metadata.uid(), metadata.gid())))
}

impl Plan<'_> {
    pub(super) fn image(&self) -> &str {
        match self.purpose {
            Purpose::Conversation(SandboxSpec {
                image: Some(image), ..
            }) => image,
            _ => &self.settings.image,
        }
    }

    fn mounts(&self) -> &[Mount] {
        match self.purpose {
            Purpose::Conversation(spec) => &spec.mounts,
            Purpose::Warm(_) => &[],
        }
    }

    /// The user, or none for the image's. A waiting container is at first root's: only root can move directories into it,
    /// and those that it moves are mostly its own.
    pub(super) fn user(&self) -> Result<Option<String>, DockerError> {
        match self.purpose {
            Purpose::Conversation(spec) => user_for(self.settings, self.connection, &spec.mounts),
            Purpose::Warm(user) => {
                let user = self.settings.user.as_ref().or(user.as_ref());
                Ok(Some(user.map_or("0:0", String::as_str).to_owned()))
            }
        }
    }

    /// What the container is called. It is known before the container is there, so that one that is left over is told from one
    /// that is being made.
    pub(super) fn name(&self) -> Result<String, DockerError> {
        let owner = &self.settings.owner;
        match self.purpose {
            Purpose::Conversation(spec) => Ok(name_of(owner, spec.conversation)),
            Purpose::Warm(_) => waiting_name(owner),
        }
    }

    /// The whole request.
    pub(super) fn body(&self) -> Result<ContainerCreateBody, DockerError> {
        let user = self.user()?;
        Ok(ContainerCreateBody {
            image: Some(self.image().to_owned()),
            cmd: Some(self.command()),
            env: Some(self.environment(user.as_deref())),
            user,
            labels: Some(self.labels()),
            exposed_ports: self
                .reach
                .is_published()
                .then(|| PORTS.map(|port| format!("{port}/tcp")).to_vec()),
            // The image's would start a process every ten seconds, and count as a sign of the outer server.
            healthcheck: Some(HealthConfig {
                test: Some(vec!["NONE".to_owned()]),
                ..HealthConfig::default()
            }),
            attach_stdout: Some(true),
            attach_stderr: Some(true),
            stop_timeout: Some(5),
            host_config: Some(self.host_config()?),
            ..ContainerCreateBody::default()
        })
    }

    fn command(&self) -> Vec<String> {
        let [host, port] = self.reach.listening();
        let unwatched = self.settings.unwatched.as_secs().max(1).to_string();
        [
            "--host",
            &host,
            "--port",
            &port,
            "--exit-when-unwatched",
            &unwatched,
        ]
        .map(str::to_owned)
        .to_vec()
    }

    fn environment(&self, user: Option<&str>) -> Vec<String> {
        let mut env = vec![
            format!("{KEY}={}", self.key.expose().unwrap_or_default()),
            format!("OH_CONVERSATIONS_PATH={STATE}/conversations"),
            format!("OH_BASH_EVENTS_DIR={STATE}/bash_events"),
            format!("OH_WORKSPACE_PATH={STATE}/project"),
            format!("OH_PERSISTENCE_DIR={STATE}/settings"),
            format!("OH_VSCODE_PORT={}", self.reach.vscode_inside()),
        ];
        let is_root = user.is_some_and(|user| user == "0" || user.starts_with("0:"));
        // Root's home cannot be written then, and another user of this machine has none in the image.
        if self.settings.read_only || (user.is_some() && !is_root) {
            env.push("HOME=/tmp".to_owned());
        }
        let given = match self.purpose {
            Purpose::Conversation(spec) => spec.env.as_slice(),
            Purpose::Warm(_) => &[],
        };
        let all = self.settings.env.iter().chain(given);
        env.extend(all.map(|(name, value)| format!("{name}={value}")));
        env
    }

    fn labels(&self) -> HashMap<String, String> {
        let mut labels = HashMap::from([(OWNER.to_owned(), self.settings.owner.clone())]);
        match self.purpose {
            Purpose::Conversation(spec) => {
                labels.insert(CONVERSATION.to_owned(), spec.conversation.hex());
            }
            Purpose::Warm(_) => {
                labels.insert(WARM.to_owned(), "true".to_owned());
            }
        }
        labels
    }

    fn host_config(&self) -> Result<HostConfig, DockerError> {
        let (memory, cpus) = match self.purpose {
            Purpose::Conversation(spec) => (spec.memory, spec.cpus),
            Purpose::Warm(_) => (None, None),
        };
        let memory = memory.or(self.settings.memory).and_then(whole);
        let mut security = vec!["no-new-privileges".to_owned()];
        if self.connection.selinux {
            security.push("label=disable".to_owned());
        }
        Ok(HostConfig {
            auto_remove: Some(true),
            memory,
            // As much with swap as without: no swap.
            memory_swap: memory,
            nano_cpus: cpus.or(self.settings.cpus).map(nano_cpus),
            pids_limit: self.settings.pids.map(i64::from),
            ulimits: Some(self.ulimits()),
            cap_drop: Some(vec!["ALL".to_owned()]),
            security_opt: Some(security),
            network_mode: self.settings.network.clone(),
            port_bindings: self.port_bindings()?,
            mounts: Some(self.mounts().iter().map(|mount| self.bind(mount)).collect()),
            readonly_rootfs: Some(self.settings.read_only),
            tmpfs: self.settings.read_only.then(|| {
                let options = "rw,exec,nosuid,nodev,mode=1777".to_owned();
                ["/tmp", "/var/tmp", "/run"]
                    .map(|path| (path.to_owned(), options.clone()))
                    .into()
            }),
            device_requests: self.settings.gpus.then(|| {
                vec![DeviceRequest {
                    count: Some(-1),
                    capabilities: Some(vec![vec!["gpu".to_owned()]]),
                    ..DeviceRequest::default()
                }]
            }),
            userns_mode: (self.connection.podman && self.connection.rootless)
                .then(|| "keep-id".to_owned()),
            ..HostConfig::default()
        })
    }

    /// No dumps of memory. Podman raises some limits where none are named, and fails where it may not; what this process has it
    /// may have too.
    fn ulimits(&self) -> Vec<ResourcesUlimits> {
        let mut limits = vec![ulimit("core", 0)];
        if self.connection.podman {
            let own = |resource, most: i64| {
                let hard = rustix::process::getrlimit(resource).maximum;
                let hard = hard.and_then(whole);
                hard.map_or(most, |hard| hard.min(most))
            };
            limits.push(ulimit("nofile", own(Resource::Nofile, MOST_FILES)));
            limits.push(ulimit("nproc", own(Resource::Nproc, MOST_PROCESSES)));
        }
        limits
    }

    fn port_bindings(&self) -> Result<Option<PortMap>, DockerError> {
        let Some(address) = self.reach.published_on() else {
            return Ok(None);
        };
        let bind = |(inside, outside): (u16, String)| {
            let binding = PortBinding {
                host_ip: Some(address.clone()),
                host_port: Some(outside),
            };
            (format!("{inside}/tcp"), Some(vec![binding]))
        };
        let outside = match self.settings.port_range {
            None => [(); 4].map(|()| String::new()),
            // It takes one port, or none.
            Some(range) if self.connection.podman => {
                let address = address.parse().unwrap_or(Ipv4Addr::LOCALHOST.into());
                let is_here = self.connection.remote.is_none();
                ports_in(range, address, is_here)?.map(|port| port.to_string())
            }
            Some((first, last)) => [(); 4].map(|()| format!("{first}-{last}")),
        };
        Ok(Some(PORTS.into_iter().zip(outside).map(bind).collect()))
    }

    fn bind(&self, mount: &Mount) -> EngineMount {
        let source = self.settings.path_on_host(&mount.source);
        EngineMount {
            typ: Some(MountType::BIND),
            source: Some(source.to_string_lossy().into_owned()),
            target: Some(mount.target.to_string_lossy().into_owned()),
            read_only: Some(mount.read_only),
            ..EngineMount::default()
        }
    }
}

fn ulimit(name: &str, limit: i64) -> ResourcesUlimits {
    ResourcesUlimits {
        name: Some(name.to_owned()),
        soft: Some(limit),
        hard: Some(limit),
    }
}

/// A number of bytes as the engine counts them.
pub(super) fn whole(bytes: u64) -> Option<i64> {
    i64::try_from(bytes).ok()
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "a number of processors is small"
)]
pub(super) fn nano_cpus(cpus: f64) -> i64 {
    (cpus * 1e9).round() as i64
}

#[cfg(test)]
#[path = "container_tests.rs"]
mod tests;
