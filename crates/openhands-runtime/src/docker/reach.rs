//! How the inner server of a container is reached.

use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener};

use bollard::models::ContainerInspectResponse;

use super::connect::Connection;
use super::error::DockerError;
use super::settings::DockerSettings;

/// The ports inside: the server, VS Code, and two for what agents serve.
pub(super) const PORTS: [u16; 4] = [8000, 8001, 8011, 8012];

/// Where things of a container are reached from here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SandboxPorts {
    /// The host or address.
    pub host: String,
    /// The inner server.
    pub server: u16,
    /// VS Code.
    pub vscode: u16,
    /// What the agent serves at 8011.
    pub app1: u16,
    /// What the agent serves at 8012.
    pub app2: u16,
}

/// The way to a container.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Reach {
    /// Ports of the engine's machine.
    Published { bind: String, host: String },
    /// The container's own name, in a network that we are in too.
    Named,
    /// The network of this machine, with ports that were free a moment ago.
    Host([u16; 4]),
}

impl Reach {
    /// What the settings and the engine make of it.
    pub(super) async fn choose(
        settings: &DockerSettings,
        connection: &Connection,
    ) -> Result<Self, DockerError> {
        match settings.network.as_deref() {
            Some("none") => {
                return Err(DockerError::Settings(
                    "the network \"none\" leaves no way to the server in the container".to_owned(),
                ));
            }
            Some("host") => return free_ports().map(Self::Host),
            // Names of containers are known in networks that users made, to other containers.
            Some(name)
                if name != "bridge"
                    && name != "default"
                    && settings.host_addr.is_none()
                    && is_in_container() =>
            {
                return Ok(Self::Named);
            }
            _ => {}
        }
        let host = settings.host_addr.as_ref().or(connection.remote.as_ref());
        let bind = match (settings.bind, host) {
            (Some(bind), _) => bind,
            // The one address by which containers are reached is all that has to be opened.
            (None, Some(host)) => address_of(host).await?,
            (None, None) => Ipv4Addr::LOCALHOST.into(),
        };
        let here = match bind {
            _ if bind.is_unspecified() => Ipv4Addr::LOCALHOST.to_string(),
            IpAddr::V4(address) => address.to_string(),
            IpAddr::V6(address) => format!("[{address}]"),
        };
        Ok(Self::Published {
            bind: bind.to_string(),
            host: host.cloned().unwrap_or(here),
        })
    }

    pub(super) fn is_published(&self) -> bool {
        matches!(self, Self::Published { .. })
    }

    /// The address whose ports lead to the container.
    pub(super) fn published_on(&self) -> Option<String> {
        match self {
            Self::Published { bind, .. } => Some(bind.clone()),
            Self::Named | Self::Host(_) => None,
        }
    }

    /// The address and port at which the inner server listens.
    pub(super) fn listening(&self) -> [String; 2] {
        match self {
            Self::Published { .. } | Self::Named => ["0.0.0.0".to_owned(), "8000".to_owned()],
            Self::Host([server, ..]) => [Ipv4Addr::LOCALHOST.to_string(), server.to_string()],
        }
    }

    /// The port of VS Code in the container.
    pub(super) fn vscode_inside(&self) -> u16 {
        match self {
            Self::Published { .. } | Self::Named => 8001,
            Self::Host([_, vscode, ..]) => *vscode,
        }
    }

    /// Where everything of a container that runs is.
    pub(super) fn ports(&self, container: &ContainerInspectResponse) -> Option<SandboxPorts> {
        let (host, [server, vscode, app1, app2]) = match self {
            Self::Published { host, .. } => (host.clone(), published(container)?),
            Self::Named => {
                let name = container.name.as_deref()?.trim_start_matches('/');
                (name.to_owned(), PORTS)
            }
            Self::Host(ports) => (
                Ipv4Addr::LOCALHOST.to_string(),
                ports_of_command(container).unwrap_or(*ports),
            ),
        };
        Some(SandboxPorts {
            host,
            server,
            vscode,
            app1,
            app2,
        })
    }
}

/// What a name stands for here. On the engine's machine the same address has to be one of its own.
async fn address_of(host: &str) -> Result<IpAddr, DockerError> {
    let name = host.trim_matches(['[', ']']);
    if let Ok(address) = name.parse() {
        return Ok(address);
    }
    let unknown = |reason: String| {
        DockerError::Settings(format!(
            "the ports of containers are to be reached at {host}, which is no known address ({reason}): name the address on \
             which the engine shall publish them in OH_CONVERSATION_CONTAINER_BIND"
        ))
    };
    let found = tokio::net::lookup_host((name, 0)).await;
    let found: Vec<SocketAddr> = found.map_err(|error| unknown(error.to_string()))?.collect();
    let first = found.iter().find(|one| one.is_ipv4()).or(found.first());
    first
        .map(SocketAddr::ip)
        .ok_or_else(|| unknown("it has none".to_owned()))
}

/// The ports of the machine that lead to a container.
fn published(container: &ContainerInspectResponse) -> Option<[u16; 4]> {
    let ports = container.network_settings.as_ref()?.ports.as_ref()?;
    let port = |inside: u16| -> Option<u16> {
        let bindings = ports.get(&format!("{inside}/tcp"))?.as_ref()?;
        bindings.first()?.host_port.as_ref()?.parse().ok()
    };
    let [server, vscode, app1, app2] = PORTS.map(port);
    Some([server?, vscode?, app1?, app2?])
}

/// In the network of the machine the command tells the port; the others follow it.
fn ports_of_command(container: &ContainerInspectResponse) -> Option<[u16; 4]> {
    let command = container.config.as_ref()?.cmd.as_ref()?;
    let at = command.iter().position(|word| word == "--port")?;
    let server: u16 = command.get(at + 1)?.parse().ok()?;
    let next = |by: u16| server.checked_add(by);
    Some([server, next(1)?, next(2)?, next(3)?])
}

/// Four ports in a row that are free on this machine.
fn free_ports() -> Result<[u16; 4], DockerError> {
    let is_free = |port: u16| TcpListener::bind((Ipv4Addr::LOCALHOST, port)).ok();
    for _ in 0..50 {
        let Some(first) = is_free(0).and_then(|listener| listener.local_addr().ok()) else {
            continue;
        };
        let first = first.port();
        let row = [
            first,
            first.saturating_add(1),
            first.saturating_add(2),
            first.saturating_add(3),
        ];
        if row.iter().all(|port| is_free(*port).is_some()) {
            return Ok(row);
        }
    }
    Err(DockerError::PortTaken(
        "no four free ports in a row were found".to_owned(),
    ))
}

/// Four ports of a range, for engines that choose none themselves. Those that somebody has are left out, if they are ports of this machine.
pub(super) fn ports_in(
    (first, last): (u16, u16),
    address: IpAddr,
    is_here: bool,
) -> Result<[u16; 4], DockerError> {
    // From anywhere in the range, so that those who choose at the same time rarely choose the same.
    let count = u32::from(last.saturating_sub(first)) + 1;
    let start = random_number()? % count;
    let range = (0..count).filter_map(|by| {
        let by = u16::try_from((start + by) % count).ok()?;
        first.checked_add(by)
    });
    let is_free = |port: &u16| !is_here || TcpListener::bind((address, *port)).is_ok();
    let free: Vec<u16> = range.filter(is_free).take(PORTS.len()).collect();
    <[u16; 4]>::try_from(free).map_err(|_| {
        DockerError::PortTaken(format!(
            "fewer than four ports of {first} to {last} are free at {address}"
        ))
    })
}

fn random_number() -> Result<u32, DockerError> {
    getrandom::u32().map_err(|error| DockerError::Settings(format!("no random numbers: {error}")))
}

fn is_in_container() -> bool {
    ["/.dockerenv", "/run/.containerenv"]
        .iter()
        .any(|path| std::path::Path::new(path).exists())
}

#[cfg(test)]
#[path = "reach_tests.rs"]
mod tests;
