use pretty_assertions::assert_eq;

use super::*;

fn server(vars: &[(&str, &str)]) -> Vec<(OsString, OsString)> {
    vars.iter()
        .map(|(name, value)| (name.into(), value.into()))
        .collect()
}

fn seen(env: &Environment) -> Vec<(&str, &str)> {
    env.iter()
        .map(|(name, value)| (name.to_str().unwrap(), value.to_str().unwrap()))
        .collect()
}

#[test]
fn the_servers_secrets_stay_with_it() {
    let env = shell_environment(server(&[
        ("SESSION_API_KEY", "x"),
        ("OH_SECRET_KEY", "x"),
        ("LMNR_PROJECT_API_KEY", "x"),
        ("OTEL_HEADERS", "x"),
        ("OTEL_EXPORTER_OTLP_HEADERS", "x"),
        ("OTEL_EXPORTER_OTLP_TRACES_HEADERS", "x"),
        ("OH_SESSION_API_KEYS_0", "x"),
        ("OH_SESSION_API_KEYS_12", "x"),
        ("OH_SESSION_API_KEYS", "not a numbered key"),
        ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://collector"),
        ("HOME", "/home/a"),
    ]));
    assert_eq!(
        seen(&env),
        [
            ("AI_AGENT", "openhands"),
            ("GIT_PAGER", "cat"),
            ("HOME", "/home/a"),
            ("OH_SESSION_API_KEYS", "not a numbered key"),
            ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://collector"),
            ("PAGER", "cat"),
        ]
    );
}

#[test]
fn what_is_set_is_not_replaced_even_by_something_useful() {
    let vars = [("AI_AGENT", "other"), ("GIT_PAGER", "delta"), ("PAGER", "")];
    assert_eq!(seen(&shell_environment(server(&vars))), vars);
}

#[test]
fn a_command_without_a_terminal_keeps_its_pagers() {
    assert_eq!(
        seen(&command_environment(server(&[]))),
        [("AI_AGENT", "openhands")]
    );
}

#[test]
fn the_library_path_is_the_one_the_server_was_started_with() {
    let path = |vars: &[(&str, &str)]| {
        let env = command_environment(server(vars));
        env.get(OsStr::new("LD_LIBRARY_PATH"))
            .cloned()
            .map(|path| path.into_string().unwrap())
    };
    let bundled = ("LD_LIBRARY_PATH", "/bundle");
    assert_eq!(path(&[bundled]).as_deref(), Some("/bundle"));
    assert_eq!(
        path(&[bundled, ("LD_LIBRARY_PATH_ORIG", "/usr/x")]).as_deref(),
        Some("/usr/x")
    );
    assert_eq!(path(&[bundled, ("LD_LIBRARY_PATH_ORIG", "")]), None);
    assert_eq!(path(&[]), None);
}
