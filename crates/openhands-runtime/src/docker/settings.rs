//! What containers are like, and what one conversation wants of its own.

use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use openhands_protocol::ConversationId;

/// The image that a container is made of if none is named.
pub const DEFAULT_IMAGE: &str = "openhands-agent-server-rs:latest";

/// How containers are made and reached, for all conversations of one outer server.
#[derive(Debug, Clone)]
pub struct DockerSettings {
    /// The image; its entry is the server.
    pub image: String,
    /// A directory with a Dockerfile, of which the image is built if it is not there. Without it the image is pulled then.
    pub build: Option<PathBuf>,
    /// Where the engine listens: `unix:///run/docker.sock`, `tcp://host:2375` or a path. Without it the usual sockets
    /// are tried, those of rootless Docker and Podman too.
    pub host: Option<String>,
    /// Whose containers they are. Servers that share an engine have different ones and leave each other's alone; a
    /// server that is started again has the same one and finds its containers.
    pub owner: String,
    /// Bytes of memory.
    pub memory: Option<u64>,
    /// How many processors' worth of time.
    pub cpus: Option<f64>,
    /// How many processes and threads.
    pub pids: Option<u32>,
    /// The network: a name, `bridge`, `host`; the engine's default if unset.
    pub network: Option<String>,
    /// Whether all GPUs are given.
    pub gpus: bool,
    /// Whether nothing but the mounts and `/tmp` can be written.
    pub read_only: bool,
    /// The user, as in `1000:1000`. Without it: the owner of what is mounted, else that of the image.
    pub user: Option<String>,
    /// Prefixes of our paths and what they are called on the engine's machine, for an outer server that is in a
    /// container itself.
    pub path_map: Vec<(PathBuf, PathBuf)>,
    /// Where published ports are reached if not on the loopback: `DOCKER_HOST_ADDR`.
    pub host_addr: Option<String>,
    /// The address of the engine's machine whose ports lead to containers. Without it: the loopback, or what `host_addr`
    /// or the host of a remote engine stands for.
    pub bind: Option<IpAddr>,
    /// Ports of the machine from which published ones are taken; without it the engine takes free ones.
    pub port_range: Option<(u16, u16)>,
    /// How many containers wait for conversations.
    pub warm: usize,
    /// How long a container may take to be healthy.
    pub start_timeout: Duration,
    /// After how long without a sign of the outer server a container ends.
    pub unwatched: Duration,
    /// Variables of every container.
    pub env: Vec<(String, String)>,
}

impl DockerSettings {
    /// Containers of our image with generous limits, for the owner.
    pub fn new(owner: impl Into<String>) -> Self {
        Self {
            image: DEFAULT_IMAGE.to_owned(),
            build: None,
            host: None,
            owner: owner.into(),
            memory: None,
            cpus: None,
            pids: Some(4096),
            network: None,
            gpus: false,
            read_only: false,
            user: None,
            path_map: Vec::new(),
            host_addr: None,
            bind: None,
            port_range: None,
            warm: 0,
            start_timeout: Duration::from_mins(1),
            // With the time until it is noticed, and that of the end itself: gone after a minute.
            unwatched: Duration::from_secs(45),
            env: Vec::new(),
        }
    }

    /// The same, with what the environment says: `DOCKER_HOST`, `DOCKER_HOST_ADDR`, `SANDBOX_RUNTIME_CONTAINER_IMAGE`.
    #[must_use]
    pub fn with_environment(mut self, variable: impl Fn(&str) -> Option<String>) -> Self {
        let given = |name: &str| variable(name).filter(|value| !value.is_empty());
        self.host = given("DOCKER_HOST").or(self.host);
        self.host_addr = given("DOCKER_HOST_ADDR").or(self.host_addr);
        if let Some(image) = given("SANDBOX_RUNTIME_CONTAINER_IMAGE") {
            self.image = image;
        }
        self
    }

    /// What a path of ours is called on the engine's machine: the longest prefix that is mapped counts.
    pub fn path_on_host(&self, path: &Path) -> PathBuf {
        let longest = self
            .path_map
            .iter()
            .filter_map(|(ours, host)| Some((ours, host, path.strip_prefix(ours).ok()?)))
            .max_by_key(|(ours, _, _)| ours.components().count());
        match longest {
            Some((_, host, rest)) if rest.as_os_str().is_empty() => host.clone(),
            Some((_, host, rest)) => host.join(rest),
            None => path.to_owned(),
        }
    }
}

/// A directory or file of ours that is seen in a container.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mount {
    /// Its path as we see it.
    pub source: PathBuf,
    /// Its path in the container.
    pub target: PathBuf,
    /// Whether it cannot be written there.
    pub read_only: bool,
}

impl Mount {
    /// A directory that is seen under the path that it has here.
    pub fn same(path: impl Into<PathBuf>) -> Self {
        let source = path.into();
        Self {
            target: source.clone(),
            source,
            read_only: false,
        }
    }
}

/// What one conversation wants of its container.
#[derive(Debug, Clone)]
pub struct SandboxSpec {
    /// Whose container it is.
    pub conversation: ConversationId,
    /// Another image than that of the settings.
    pub image: Option<String>,
    /// What is seen inside. The owner of the first that can be written is the user inside, if the settings name none.
    pub mounts: Vec<Mount>,
    /// Variables of the container. A waiting one that is claimed has its own already: see
    /// [`DockerSandbox::late_env`](crate::docker::DockerSandbox::late_env).
    pub env: Vec<(String, String)>,
    /// Bytes of memory, in place of the settings'.
    pub memory: Option<u64>,
    /// Processors, in place of the settings'.
    pub cpus: Option<f64>,
}

impl SandboxSpec {
    /// A container that sees nothing of this machine.
    pub fn new(conversation: ConversationId) -> Self {
        Self {
            conversation,
            image: None,
            mounts: Vec::new(),
            env: Vec::new(),
            memory: None,
            cpus: None,
        }
    }

    /// The same, with a directory under its own path.
    #[must_use]
    pub fn with_directory(mut self, path: impl Into<PathBuf>) -> Self {
        self.mounts.push(Mount::same(path));
        self
    }
}

#[cfg(test)]
#[path = "settings_tests.rs"]
mod tests;
