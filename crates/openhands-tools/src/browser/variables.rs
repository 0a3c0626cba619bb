//! The variables of the environment that set a browser up. What a tool is made with is stronger.

use super::error::BrowserError;
use super::settings::BrowserSettings;
use openhands_process::Environment;
use std::ffi::OsStr;
use std::path::PathBuf;

/// Names Chromium's program.
pub const EXECUTABLE: &str = "OH_BROWSER_EXECUTABLE";
/// The size of the visible part of a page: `1280x720`.
pub const VIEWPORT: &str = "OH_BROWSER_VIEWPORT";
/// What the browser calls itself.
pub const USER_AGENT: &str = "OH_BROWSER_USER_AGENT";
/// A proxy, as Chromium's `--proxy-server` takes it.
pub const PROXY: &str = "OH_BROWSER_PROXY";
/// Hosts that are reached without it, as Chromium's `--proxy-bypass-list` takes them.
pub const PROXY_BYPASS: &str = "OH_BROWSER_PROXY_BYPASS";
/// Permissions that every page has, by CDP's names, with commas between them.
pub const PERMISSIONS: &str = "OH_BROWSER_PERMISSIONS";
/// Memory in MB above which the largest page is ended; 0 for no limit.
pub const MAX_MEMORY: &str = "OH_BROWSER_MAX_MEMORY_MB";

/// The longest side of a page in pixels.
const MAX_SIDE: u64 = 10_000;

impl BrowserSettings {
    /// Takes what the variables of its environment say; an error for one that makes no sense.
    pub fn take_variables(&mut self) -> Result<(), BrowserError> {
        let given = |name| given(&self.environment, name);
        let wrong = |name: &str, wanted: &str, value: &str| {
            BrowserError::Invalid(format!("{name} must be {wanted}, not '{value}'"))
        };
        let (mut viewport, mut max_memory) = (self.viewport, self.max_memory);
        if let Some(size) = given(VIEWPORT) {
            let sides = size
                .split_once('x')
                .and_then(|(width, height)| viewport_of(width.parse().ok()?, height.parse().ok()?));
            let wanted = "a width and a height in pixels such as 1280x720";
            viewport = sides.ok_or_else(|| wrong(VIEWPORT, wanted, &size))?;
        }
        if let Some(megabytes) = given(MAX_MEMORY) {
            let limit = megabytes.parse().ok();
            let wanted = "a whole number of megabytes";
            max_memory = limit
                .map(memory_of)
                .ok_or_else(|| wrong(MAX_MEMORY, wanted, &megabytes))?;
        }
        let permissions = given(PERMISSIONS).map(|list| {
            let names = list.split(',').map(str::trim);
            let names = names.filter(|name| !name.is_empty());
            names.map(str::to_owned).collect()
        });
        let (program, agent) = (executable(&self.environment), given(USER_AGENT));
        let (proxy, bypass) = (given(PROXY), given(PROXY_BYPASS));
        self.viewport = viewport;
        self.max_memory = max_memory;
        self.executable = program.or(self.executable.take());
        self.user_agent = agent.or(self.user_agent.take());
        self.proxy = proxy.or(self.proxy.take());
        self.proxy_bypass = bypass.or(self.proxy_bypass.take());
        if let Some(permissions) = permissions {
            self.permissions = permissions;
        }
        Ok(())
    }
}

/// The program that the environment names.
pub(crate) fn executable(environment: &Environment) -> Option<PathBuf> {
    given(environment, EXECUTABLE).map(PathBuf::from)
}

/// A size that a page can have.
pub(crate) fn viewport_of(width: u64, height: u64) -> Option<(u32, u32)> {
    let side = |side: u64| {
        let is_possible = (1..=MAX_SIDE).contains(&side);
        u32::try_from(side).ok().filter(|_| is_possible)
    };
    side(width).zip(side(height))
}

/// A limit in megabytes as one in bytes; none for 0.
pub(crate) fn memory_of(megabytes: u64) -> Option<u64> {
    (megabytes > 0).then(|| megabytes.saturating_mul(1 << 20))
}

fn given(environment: &Environment, name: &str) -> Option<String> {
    let value = environment.get(OsStr::new(name))?.to_str()?;
    (!value.is_empty()).then(|| value.to_owned())
}

#[cfg(test)]
#[path = "variables_tests.rs"]
mod tests;
