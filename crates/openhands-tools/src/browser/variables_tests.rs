use crate::browser::{BrowserError, BrowserSettings};
use pretty_assertions::assert_eq;
use std::path::Path;

fn with(variables: &[(&str, &str)]) -> Result<BrowserSettings, BrowserError> {
    let variables = variables
        .iter()
        .map(|(name, value)| ((*name).into(), (*value).into()));
    let mut settings = BrowserSettings::new("/workspace", variables);
    settings.take_variables()?;
    Ok(settings)
}

#[test]
fn variables_set_the_browser_up() {
    let settings = with(&[
        ("OH_BROWSER_EXECUTABLE", "/opt/chromium"),
        ("OH_BROWSER_VIEWPORT", "800x600"),
        ("OH_BROWSER_USER_AGENT", "me"),
        ("OH_BROWSER_PROXY", "http://127.0.0.1:1"),
        ("OH_BROWSER_PROXY_BYPASS", "localhost"),
        ("OH_BROWSER_PERMISSIONS", "geolocation, notifications,"),
        ("OH_BROWSER_MAX_MEMORY_MB", "512"),
    ])
    .unwrap();
    assert_eq!(
        settings.executable.as_deref(),
        Some(Path::new("/opt/chromium"))
    );
    assert_eq!(settings.viewport, (800, 600));
    assert_eq!(settings.user_agent.as_deref(), Some("me"));
    assert_eq!(settings.proxy.as_deref(), Some("http://127.0.0.1:1"));
    assert_eq!(settings.proxy_bypass.as_deref(), Some("localhost"));
    assert_eq!(settings.permissions, ["geolocation", "notifications"]);
    assert_eq!(settings.max_memory, Some(512 << 20));
}

#[test]
fn without_them_the_defaults_hold_and_nonsense_is_refused_by_name() {
    let settings = with(&[("OH_BROWSER_VIEWPORT", "")]).unwrap();
    assert_eq!(settings.viewport, (1280, 720));
    assert_eq!(settings.max_memory, Some(4 << 30));
    let settings = with(&[("OH_BROWSER_MAX_MEMORY_MB", "0")]).unwrap();
    assert_eq!(settings.max_memory, None);
    for (name, value) in [
        ("OH_BROWSER_VIEWPORT", "wide"),
        ("OH_BROWSER_VIEWPORT", "0x600"),
        ("OH_BROWSER_VIEWPORT", "800x99999"),
        ("OH_BROWSER_MAX_MEMORY_MB", "much"),
    ] {
        let refused = with(&[(name, value)]).unwrap_err().to_string();
        assert!(
            refused.starts_with(name) && refused.ends_with(&format!("not '{value}'")),
            "{refused}"
        );
    }
}
