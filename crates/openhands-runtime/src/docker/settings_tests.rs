//! Paths as the engine's machine knows them.

use std::path::{Path, PathBuf};

use pretty_assertions::assert_eq;

use super::DockerSettings;

#[test]
fn the_longest_mapped_prefix_counts() {
    let mut settings = DockerSettings::new("test");
    settings.path_map = vec![
        (PathBuf::from("/data"), PathBuf::from("/srv/data")),
        (PathBuf::from("/data/deep"), PathBuf::from("/mnt/deep")),
    ];
    let on_host = |path: &str| settings.path_on_host(Path::new(path));
    assert_eq!(on_host("/data/a/b"), Path::new("/srv/data/a/b"));
    assert_eq!(on_host("/data/deep/x"), Path::new("/mnt/deep/x"));
    assert_eq!(on_host("/data/deep"), Path::new("/mnt/deep"));
    assert_eq!(on_host("/database"), Path::new("/database"));
}

#[test]
fn the_environment_names_the_engine_and_the_image() {
    let settings = DockerSettings::new("test").with_environment(|name| match name {
        "DOCKER_HOST" => Some("tcp://box:2375".to_owned()),
        "SANDBOX_RUNTIME_CONTAINER_IMAGE" => Some("mine:1".to_owned()),
        "DOCKER_HOST_ADDR" => Some(String::new()),
        _ => None,
    });
    assert_eq!(settings.host.as_deref(), Some("tcp://box:2375"));
    assert_eq!(settings.image, "mine:1");
    assert_eq!(settings.host_addr, None);
}
