use super::*;
use pretty_assertions::assert_eq;

#[test]
fn the_base_path_is_given_or_follows_from_the_address() {
    let cases = [
        ((None, None, None), None),
        ((Some("code"), None, None), Some("/code")),
        (
            (Some("/code/"), Some("http://h/r1"), Some("r1")),
            Some("/code"),
        ),
        (
            (None, Some("https://h:1/r1/x"), Some("r1")),
            Some("/r1/vscode"),
        ),
        ((None, Some("https://r1.h/"), Some("r1")), None),
        ((None, Some("https://h"), Some("r1")), None),
        ((None, Some("https://h/r1"), None), None),
    ];
    for ((explicit, url, id), wanted) in cases {
        assert_eq!(
            base_path(explicit, url, id).as_deref(),
            wanted,
            "{explicit:?} {url:?} {id:?}"
        );
    }
}

#[test]
fn settings_are_written_for_everybody_and_only_once() {
    let workspace = tempfile::tempdir().unwrap();
    let path = workspace.path().join(".vscode/settings.json");
    write_settings(workspace.path()).unwrap();
    let written: serde_json::Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    assert_eq!(written["workbench.startupEditor"], "none");
    assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o666);
    fs::write(&path, "{}").unwrap();
    write_settings(workspace.path()).unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "{}");
}
