use std::fs;
use std::os::unix::fs::symlink;
use std::time::Duration;

use openhands_sdk_rs::process::Environment;
use pretty_assertions::assert_eq;
use tempfile::TempDir;

use super::*;

fn setup(root: &TempDir, path: &[&str]) -> VsCodeSetup {
    let directories = path.iter().map(|directory| root.path().join(directory));
    let path = std::env::join_paths(directories).unwrap();
    VsCodeSetup {
        port: 0,
        base_path: None,
        token: None,
        program: None,
        image_root: root.path().join("image"),
        env: Environment::from([("PATH".into(), path)]),
        user: None,
        directory: None,
        start_limit: Duration::from_secs(1),
        first_delay: Duration::from_secs(1),
    }
}

fn file(root: &TempDir, name: &str) -> PathBuf {
    let path = root.path().canonicalize().unwrap().join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, "").unwrap();
    path
}

#[test]
fn nothing_is_found_where_nothing_is() {
    let root = tempfile::tempdir().unwrap();
    assert_eq!(Program::search(&setup(&root, &["bin"])), None);
    let named = VsCodeSetup {
        program: Some(root.path().join("missing")),
        ..setup(&root, &["bin"])
    };
    assert_eq!(Program::search(&named), None);
}

#[test]
fn the_one_of_the_image_comes_first_and_brings_its_extensions() {
    let root = tempfile::tempdir().unwrap();
    file(&root, "image/bin/openvscode-server");
    file(&root, "bin/openvscode-server");
    let image = root.path().join("image");
    let found = Program::search(&setup(&root, &["bin"])).unwrap();
    assert_eq!(found.command, image.join("bin/openvscode-server"));
    assert!(found.arguments.is_empty());
    fs::create_dir(image.join("extensions")).unwrap();
    let found = Program::search(&setup(&root, &["bin"])).unwrap();
    assert_eq!(
        found.arguments,
        [
            OsString::from("--extensions-dir"),
            image.join("extensions").into()
        ]
    );
}

#[test]
fn of_code_server_the_inner_server_is_started() {
    let root = tempfile::tempdir().unwrap();
    let main = file(
        &root,
        "lib/node_modules/code-server/lib/vscode/out/server-main.js",
    );
    let entry = file(&root, "lib/node_modules/code-server/out/node/entry.js");
    let node = file(&root, "bin/node");
    symlink(entry, root.path().join("bin/code-server")).unwrap();
    let real = root.path().canonicalize().unwrap();
    let setup = setup(&root, &["none", "bin"]);
    let found = Program::search(&setup).unwrap();
    assert_eq!(
        PathBuf::from(&found.command).canonicalize().unwrap(),
        real.join("bin/node"),
        "{node:?}"
    );
    assert_eq!(
        found.arguments,
        [
            main.into_os_string(),
            "--accept-server-license-terms".into()
        ]
    );
    // A package may bring its own node.
    let own = file(&root, "lib/node_modules/code-server/lib/node");
    assert_eq!(
        Program::search(&setup).unwrap().command,
        own.into_os_string()
    );
}

#[test]
fn a_named_one_is_taken_whatever_it_is_called() {
    let root = tempfile::tempdir().unwrap();
    let named = file(&root, "somewhere/my-vscode");
    let setup = VsCodeSetup {
        program: Some(named.clone()),
        ..setup(&root, &[])
    };
    assert_eq!(Program::search(&setup), Some(Program::plain(&named)));
}
