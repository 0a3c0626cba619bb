//! The engine, by its command line: what a person would look with.

use std::process::Command;

/// What `docker` says.
pub(crate) fn docker(arguments: &[&str]) -> String {
    let done = Command::new("docker").args(arguments).output().unwrap();
    assert!(
        done.status.success(),
        "docker {arguments:?}: {}",
        String::from_utf8_lossy(&done.stderr)
    );
    String::from_utf8_lossy(&done.stdout).trim().to_owned()
}

/// Whether it says anything but an error.
pub(crate) fn succeeds(arguments: &[&str]) -> bool {
    let done = Command::new("docker").args(arguments).output();
    done.is_ok_and(|done| done.status.success())
}

/// The image of the tests; none if there is no engine, which is only allowed where not everything must run.
pub(crate) fn image() -> Option<String> {
    let image = std::env::var("OPENHANDS_TEST_IMAGE")
        .unwrap_or_else(|_| "openhands-agent-server-rs:test".to_owned());
    if !succeeds(&["version"]) {
        assert!(
            std::env::var_os("CI").is_none(),
            "there is no engine, and nothing may be skipped here"
        );
        eprintln!("skipped: no docker");
        return None;
    }
    if !succeeds(&["image", "inspect", &image]) {
        assert!(
            std::env::var_os("CI").is_none(),
            "there is no image {image}, and nothing may be skipped here"
        );
        eprintln!("skipped: no docker image {image}");
        return None;
    }
    Some(image)
}

/// The ids of the containers with a label.
pub(crate) fn with_label(label: &str) -> Vec<String> {
    let filter = format!("label={label}");
    let found = docker(&["ps", "-aq", "--no-trunc", "--filter", &filter]);
    found.lines().map(str::to_owned).collect()
}
