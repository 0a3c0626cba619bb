//! The environment that a command gets, made from the server's.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt as _;

/// Variables that carry the server's own secrets; no command gets them.
const SECRETS: [&str; 6] = [
    "SESSION_API_KEY",
    "OH_SECRET_KEY",
    "LMNR_PROJECT_API_KEY",
    "OTEL_HEADERS",
    "OTEL_EXPORTER_OTLP_HEADERS",
    "OTEL_EXPORTER_OTLP_TRACES_HEADERS",
];

/// Start of the numbered session keys' names.
const SESSION_KEYS: &[u8] = b"OH_SESSION_API_KEYS_";

/// Where a bundled server keeps the library path it was started with.
const ORIGINAL_LIBRARY_PATH: &str = "LD_LIBRARY_PATH_ORIG";
const LIBRARY_PATH: &str = "LD_LIBRARY_PATH";

/// A complete environment: each name once, in the order of names.
pub type Environment = BTreeMap<OsString, OsString>;

/// The environment of a command without a terminal: the server's without its secrets, with the library path that
/// the server was started with, and with a sign for programs that an agent runs them.
pub fn command_environment(server: impl IntoIterator<Item = (OsString, OsString)>) -> Environment {
    let mut env: Environment = server
        .into_iter()
        .filter(|(name, _)| !is_secret(name))
        .collect();
    restore_library_path(&mut env);
    set_default(&mut env, "AI_AGENT", "openhands");
    env
}

/// The environment of the terminal's shell: a command's, with pagers that do not wait for keys.
pub fn shell_environment(server: impl IntoIterator<Item = (OsString, OsString)>) -> Environment {
    let mut env = command_environment(server);
    set_default(&mut env, "PAGER", "cat");
    set_default(&mut env, "GIT_PAGER", "cat");
    env
}

fn is_secret(name: &OsStr) -> bool {
    SECRETS.iter().any(|secret| name == *secret) || name.as_bytes().starts_with(SESSION_KEYS)
}

/// An empty original means that there was no path.
fn restore_library_path(env: &mut Environment) {
    match env.get(OsStr::new(ORIGINAL_LIBRARY_PATH)).cloned() {
        None => {}
        Some(original) if original.is_empty() => {
            env.remove(OsStr::new(LIBRARY_PATH));
        }
        Some(original) => {
            env.insert(LIBRARY_PATH.into(), original);
        }
    }
}

fn set_default(env: &mut Environment, name: &str, value: &str) {
    env.entry(name.into()).or_insert_with(|| value.into());
}

#[cfg(test)]
#[path = "env_tests.rs"]
mod tests;
