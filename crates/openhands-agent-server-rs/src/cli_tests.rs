use pretty_assertions::assert_eq;

use super::*;

fn cli(arguments: &[&str]) -> Cli {
    Cli::try_parse_from(["server"].iter().chain(arguments)).unwrap()
}

fn with_key() -> Config {
    Config {
        session_api_keys: vec!["k".to_owned()],
        ..Config::default()
    }
}

#[test]
fn without_a_key_it_listens_on_this_machine_only() {
    assert_eq!(cli(&[]).host(&Config::default()), "127.0.0.1");
    assert_eq!(cli(&[]).host(&with_key()), "0.0.0.0");
    assert_eq!(cli(&["--host", "10.0.0.1"]).host(&with_key()), "10.0.0.1");
    assert_eq!(cli(&[]).port, 8000);
}

#[test]
fn an_open_server_on_all_networks_is_warned_about() {
    for host in ["0.0.0.0", "::", "[::]"] {
        let cli = cli(&["--host", host]);
        assert_eq!(cli.warnings(&Config::default()).len(), 1);
        assert!(cli.warnings(&with_key()).is_empty());
    }
    assert!(
        cli(&["--host", "localhost"])
            .warnings(&Config::default())
            .is_empty()
    );
}

#[test]
fn options_of_python_are_taken_with_a_warning() {
    let cli = cli(&[
        "--reload",
        "--import-modules",
        "a,b",
        "--extra-python-path",
        "/p:/q",
    ]);
    let warnings = cli.warnings(&Config::default());
    assert_eq!(
        warnings,
        [
            "--reload is ignored: this server runs no Python",
            "--import-modules is ignored: this server runs no Python",
            "--extra-python-path is ignored: this server runs no Python",
        ]
    );
}

#[test]
fn the_internal_address_can_be_called() {
    for (host, expected) in [
        ("0.0.0.0", "http://127.0.0.1:8000"),
        ("::", "http://127.0.0.1:8000"),
        ("[::]", "http://127.0.0.1:8000"),
        ("fe80::1", "http://[fe80::1]:8000"),
        ("[fe80::1]", "http://[fe80::1]:8000"),
        ("example.org", "http://example.org:8000"),
    ] {
        assert_eq!(internal_url(host, 8000), expected);
    }
}
