//! What the settings of the server mean for containers.

use std::net::IpAddr;
use std::time::Duration;

use openhands_sdk_rs::runtime::docker::DockerSettings;

use crate::config::Config;
use crate::config::variables::DOCKER_ENGINE;

/// How containers of this server are made.
pub(super) fn settings(config: &Config, owner: String) -> Result<DockerSettings, String> {
    let memory = config.conversation_container_memory.as_deref();
    let startup = config.conversation_container_startup_timeout;
    let engine = config.env.iter().find(|(name, _)| name == DOCKER_ENGINE);
    let bind = config.conversation_container_bind.as_deref();
    let map = config.conversation_container_path_map.iter();
    Ok(DockerSettings {
        image: config.conversation_image.clone(),
        build: config.conversation_image_build.clone(),
        host: engine
            .map(|(_, address)| address.clone())
            .filter(|address| !address.is_empty()),
        memory: memory.map(bytes).transpose()?,
        cpus: config.conversation_container_cpus,
        pids: config
            .conversation_container_pids_limit
            .map(|pids| u32::try_from(pids).unwrap_or(u32::MAX)),
        network: config.conversation_container_network.clone(),
        gpus: config.conversation_container_gpu,
        read_only: config.conversation_container_read_only,
        path_map: map
            .map(|(ours, host)| (ours.clone(), host.clone()))
            .collect(),
        host_addr: config.surroundings.docker_host.clone(),
        bind: bind.map(address).transpose()?,
        warm: config.conversation_warm_containers,
        start_timeout: Duration::try_from_secs_f64(startup).unwrap_or(Duration::MAX),
        ..DockerSettings::new(owner)
    })
}

fn address(text: &str) -> Result<IpAddr, String> {
    let address = text.trim().parse();
    address.map_err(|_| {
        format!("{text:?} is no address on which ports can be published: 127.0.0.1 or 0.0.0.0 are")
    })
}

/// A size as the engine's own tools write it: `512m`, `4g`, `1.5 GiB`, or bytes.
pub(super) fn bytes(text: &str) -> Result<u64, String> {
    let wrong = || format!("{text:?} is no amount of memory: 512m or 4g are");
    let trimmed = text.trim();
    let end = trimmed
        .find(|c: char| !c.is_ascii_digit() && c != '.')
        .unwrap_or(trimmed.len());
    let (number, unit) = trimmed.split_at_checked(end).ok_or_else(wrong)?;
    let unit = unit.trim().to_ascii_lowercase();
    let power = match unit.trim_end_matches('b').trim_end_matches('i') {
        "" => 0,
        "k" => 1,
        "m" => 2,
        "g" => 3,
        "t" => 4,
        "p" => 5,
        _ => return Err(wrong()),
    };
    let number: f64 = number.parse().map_err(|_| wrong())?;
    let bytes = number * 1024f64.powi(power);
    // Printed without a fraction it is a whole number, or it is too large.
    format!("{bytes:.0}").parse().map_err(|_| wrong())
}

#[cfg(test)]
#[path = "limits_tests.rs"]
mod tests;
