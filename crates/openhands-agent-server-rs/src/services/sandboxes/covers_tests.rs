use std::os::unix::fs::symlink;

use pretty_assertions::assert_eq;

use super::*;

fn data(root: &Path, directories: &[&str]) -> OwnData {
    let all = directories.iter().map(|one| root.join(one));
    OwnData {
        directories: all.collect(),
        workspaces: vec![root.join("home/.openhands/worktrees")],
    }
}

fn covered(own: &OwnData, root: &Path, mounts: Vec<Mount>) -> Vec<(PathBuf, bool)> {
    let mounts = own.cover(mounts, &root.join("empty")).unwrap();
    let inside = |mount: Mount| (mount.target, mount.read_only);
    mounts.into_iter().map(inside).collect()
}

#[test]
fn data_in_the_workspace_is_covered_and_cannot_be_moved_away() {
    let root = tempfile::tempdir().unwrap();
    let root = root.path().canonicalize().unwrap();
    let own = data(&root, &["w/data/conversations", "w/.openhands"]);
    let tools = root.join("w/data/conversations/1/sandbox");
    std::fs::create_dir_all(&tools).unwrap();
    own.check(&root.join("w")).unwrap();
    let mounts = vec![Mount::same(root.join("w")), Mount::same(&tools)];
    let seen = covered(&own, &root, mounts);
    assert_eq!(
        seen,
        [
            (root.join("w"), false),
            (root.join("w/data"), false),
            (root.join("w/.openhands"), true),
            (root.join("w/data/conversations"), true),
            (tools, false),
        ]
    );
    // There is a place for what is mounted in the empty directory, and nothing else.
    let own = std::fs::read_dir(root.join("empty/1")).unwrap();
    assert_eq!(own.count(), 1);
    assert!(root.join("empty/1/1/sandbox").is_dir());
}

#[test]
fn a_cover_within_another_is_not_needed() {
    let root = tempfile::tempdir().unwrap();
    let root = root.path().canonicalize().unwrap();
    let own = data(&root, &["w/data/conversations", "w/data"]);
    std::fs::create_dir(root.join("w")).unwrap();
    let seen = covered(&own, &root, vec![Mount::same(root.join("w"))]);
    assert_eq!(seen, [(root.join("w"), false), (root.join("w/data"), true)]);
}

#[test]
fn other_workspaces_are_mounted_as_they_are() {
    let root = tempfile::tempdir().unwrap();
    let root = root.path().canonicalize().unwrap();
    let own = data(&root, &["data"]);
    let mounts = vec![
        Mount::same(root.join("w")),
        Mount::same(root.join("data/1/sandbox")),
    ];
    assert_eq!(
        own.cover(mounts.clone(), &root.join("empty")).unwrap(),
        mounts
    );
    assert!(!root.join("empty").exists());
}

#[test]
fn a_workspace_by_a_link_is_covered_under_its_own_name() {
    let root = tempfile::tempdir().unwrap();
    let root = root.path().canonicalize().unwrap();
    let own = data(&root, &["w/data"]);
    std::fs::create_dir(root.join("w")).unwrap();
    symlink(root.join("w"), root.join("link")).unwrap();
    own.check(&root.join("link")).unwrap();
    let seen = covered(&own, &root, vec![Mount::same(root.join("link"))]);
    assert_eq!(
        seen,
        [(root.join("link"), false), (root.join("link/data"), true)]
    );
}

#[test]
fn the_data_itself_is_no_workspace() {
    let root = tempfile::tempdir().unwrap();
    let root = root.path().canonicalize().unwrap();
    let own = data(&root, &["home/.openhands", "srv/conversations"]);
    for inside in [
        "home/.openhands",
        "home/.openhands/profiles",
        "srv/conversations/1",
    ] {
        let refused = own.check(&root.join(inside)).unwrap_err();
        assert!(refused.contains("its own data"), "{refused}");
    }
    own.check(&root.join("home/.openhands/worktrees/1"))
        .unwrap();
    own.check(&root.join("project")).unwrap();
}

#[test]
fn data_that_a_link_in_the_workspace_leads_to_is_refused() {
    let root = tempfile::tempdir().unwrap();
    let root = root.path().canonicalize().unwrap();
    let own = data(&root, &["w/data/conversations"]);
    std::fs::create_dir(root.join("w")).unwrap();
    std::fs::create_dir(root.join("elsewhere")).unwrap();
    symlink(root.join("elsewhere"), root.join("w/data")).unwrap();
    let refused = own.check(&root.join("w")).unwrap_err();
    assert!(refused.contains("A link"), "{refused}");
}
