use super::*;
use clap::Parser as _;

fn settings(line: &[&str], environment: &[(&str, &str)]) -> anyhow::Result<Settings> {
    let line = [&["openhands-agent-server", "action-server"], line].concat();
    let cli = crate::Cli::try_parse_from(line)?;
    let Some(crate::Program::ActionServer(args)) = cli.program else {
        bail!("another program");
    };
    let environment = environment.iter().copied().collect();
    Settings::new(args, environment, std::path::Path::new("/here"))
}

#[test]
fn what_clients_send_is_understood() {
    let settings = settings(
        &[
            "4000",
            "--working-dir",
            "/w",
            "--plugins",
            "agent_skills",
            "jupyter",
            "vscode",
            "--username",
            "root",
            "--user-id",
            "0",
            "--no-enable-browser",
        ],
        &[("NO_CHANGE_TIMEOUT_SECONDS", "3"), ("SESSION_API_KEY", "k")],
    )
    .unwrap();
    assert_eq!((settings.port, settings.user_id), (4000, 0));
    assert_eq!(settings.working_dir, std::path::Path::new("/w"));
    assert_eq!(settings.plugins, ["agent_skills", "jupyter", "vscode"]);
    assert!(!settings.browser && settings.switches_user());
    assert_eq!(settings.no_change_timeout, Duration::from_secs(3));
    assert_eq!(settings.session_key.as_deref(), Some("k"));
}

#[test]
fn the_defaults_are_those_of_the_reference() {
    let settings = settings(&["1", "--plugins"], &[("SESSION_API_KEY", "")]).unwrap();
    assert_eq!(settings.username, "openhands");
    assert_eq!(settings.user_id, 1000);
    assert!(settings.browser && settings.plugins.is_empty());
    assert_eq!(settings.session_key, None);
    assert_eq!(settings.no_change_timeout, Duration::from_secs(10));
    assert_eq!(settings.plugin_timeout, Duration::from_mins(2));
    assert_eq!(settings.working_dir, std::path::Path::new("/here"));
}

#[test]
fn the_user_is_switched_only_for_known_names() {
    let of = |name: &str, environment: &[(&str, &str)]| {
        settings(&["1", "--username", name], environment).unwrap()
    };
    assert!(of("root", &[]).switches_user());
    assert!(!of("root", &[("SU_TO_USER", "false")]).switches_user());
    assert!(!of("ann", &[]).switches_user());
    assert!(of("ann", &[("RUNTIME_USERNAME", "ann")]).switches_user());
}

#[test]
fn bad_settings_are_named() {
    let error = |line: &[&str], environment: &[(&str, &str)]| {
        format!("{:#}", settings(line, environment).unwrap_err())
    };
    assert!(
        error(&["1"], &[("NO_CHANGE_TIMEOUT_SECONDS", "x")]).contains("NO_CHANGE_TIMEOUT_SECONDS")
    );
    let refused = ["1", "--no-enable-browser", "--browsergym-eval-env", "e"];
    assert!(error(&refused, &[]).contains("--no-enable-browser"));
    assert!(error(&["none"], &[]).contains("none"));
}
