//! Finding an engine: the one that is named, else whichever usual socket answers.

use std::path::{Path, PathBuf};

use bollard::{API_DEFAULT_VERSION, Docker as Engine};

use super::error::{DockerError, told};
use super::podman;

/// Seconds that the engine may take for an answer.
const TIMEOUT: u64 = 120;

/// An engine, and what is special about it.
#[derive(Debug, Clone)]
pub(super) struct Connection {
    pub(super) engine: Engine,
    /// Its socket on this machine, if it has one.
    pub(super) socket: Option<PathBuf>,
    /// The host of an engine that is on another machine.
    pub(super) remote: Option<String>,
    /// Whether it runs without root, so that root inside is its user outside.
    pub(super) rootless: bool,
    /// Whether it is Podman.
    pub(super) podman: bool,
    /// Whether SELinux watches over mounts.
    pub(super) selinux: bool,
}

/// Connects to the engine that is named, or to the first usual socket that answers.
pub(super) async fn connect(host: Option<&str>) -> Result<Connection, DockerError> {
    let candidates = match host {
        Some(host) => vec![host.to_owned()],
        None => usual_sockets(
            std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from),
            rustix::process::getuid().as_raw(),
        ),
    };
    let mut tried = Vec::new();
    for host in candidates {
        let path = host.strip_prefix("unix://").unwrap_or(&host);
        if path.starts_with('/') && !Path::new(path).exists() {
            tried.push(format!("{path} does not exist"));
            continue;
        }
        match try_host(&host).await {
            Ok(connection) => return Ok(connection),
            Err(error) => tried.push(format!("{host}: {}", told(&error))),
        }
    }
    Err(DockerError::NoEngine { tried })
}

async fn try_host(host: &str) -> Result<Connection, bollard::errors::Error> {
    let path = host.strip_prefix("unix://");
    let path = path.or_else(|| host.starts_with('/').then_some(host));
    let socket = path.map(PathBuf::from);
    let engine = if socket.is_some() {
        Engine::connect_with_unix(host, TIMEOUT, API_DEFAULT_VERSION)?
    } else {
        Engine::connect_with_http(host, TIMEOUT, API_DEFAULT_VERSION)?
    };
    let engine = engine.negotiate_version().await?;
    let info = engine.info().await?;
    let security = info.security_options.unwrap_or_default();
    let version = engine.version().await?;
    let has = |word: &str| security.iter().any(|option| option.contains(word));
    let parts = version.components.unwrap_or_default();
    let podman = parts.iter().any(|part| part.name.contains("Podman"));
    let rootless = match &socket {
        // It does not tell it as Docker does.
        Some(socket) if podman => podman::is_rootless(socket).await,
        _ => None,
    };
    Ok(Connection {
        remote: remote_host(host),
        socket,
        rootless: rootless.unwrap_or_else(|| has("rootless")),
        selinux: has("selinux"),
        podman,
        engine,
    })
}

/// The sockets of Docker and Podman, those of the user first if the user is not root.
fn usual_sockets(runtime_dir: Option<PathBuf>, uid: u32) -> Vec<String> {
    let runtime = runtime_dir.unwrap_or_else(|| PathBuf::from(format!("/run/user/{uid}")));
    let own = [
        runtime.join("docker.sock"),
        runtime.join("podman/podman.sock"),
    ];
    let shared = ["/var/run/docker.sock", "/run/podman/podman.sock"].map(PathBuf::from);
    // The machine's Docker first: whoever may use it usually means it.
    let [docker, podman] = shared;
    [docker]
        .into_iter()
        .chain(own)
        .chain([podman])
        .map(|path| path.to_string_lossy().into_owned())
        .collect()
}

/// The host of an engine that is reached over the network, unless it is this machine.
fn remote_host(host: &str) -> Option<String> {
    let (_, rest) = host.split_once("://")?;
    if host.starts_with("unix://") {
        return None;
    }
    let authority = rest.split('/').next()?;
    let name = authority
        .rsplit_once(':')
        .map_or(authority, |(name, _)| name);
    let is_here = ["localhost", "127.0.0.1", "[::1]"].contains(&name);
    (!is_here).then(|| name.to_owned())
}

#[cfg(test)]
#[path = "connect_tests.rs"]
mod tests;
