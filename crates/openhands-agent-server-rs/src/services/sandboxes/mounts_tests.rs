use std::path::{Path, PathBuf};
use std::process::Command;

use super::{find_repository, mounts_of};

fn git(directory: &Path, arguments: &[&str]) {
    let done = Command::new("git")
        .args(["-c", "user.name=t", "-c", "user.email=t@example.org"])
        .args(arguments)
        .current_dir(directory)
        .output()
        .unwrap();
    assert!(done.status.success(), "{done:?}");
}

fn sources(working_dir: &Path, worktree: Option<(&Path, &Path)>) -> Vec<PathBuf> {
    let mounts = mounts_of(working_dir, Path::new("/kept/sandbox"), worktree);
    assert!(mounts.iter().all(|mount| mount.source == mount.target));
    mounts.into_iter().map(|mount| mount.source).collect()
}

#[test]
fn a_plain_workspace_is_mounted_alone() {
    let root = tempfile::tempdir().unwrap();
    let root = root.path().canonicalize().unwrap();
    git(&root, &["init", "-q"]);
    std::fs::create_dir(root.join("part")).unwrap();
    let kept = PathBuf::from("/kept/sandbox");
    assert_eq!(sources(&root, None), [root.clone(), kept.clone()]);
    // Nothing beside the workspace, though its repository is above.
    assert_eq!(sources(&root.join("part"), None), [root.join("part"), kept]);
    assert_eq!(find_repository(&root.join("part")), Some(root));
}

#[test]
fn a_worktree_comes_with_the_history_of_its_repository() {
    let root = tempfile::tempdir().unwrap();
    let root = root.path().canonicalize().unwrap();
    let (repository, tree) = (root.join("repository"), root.join("trees/1/repository"));
    std::fs::create_dir(&repository).unwrap();
    git(&repository, &["init", "-q"]);
    git(
        &repository,
        &["commit", "-q", "--allow-empty", "-m", "first"],
    );
    git(
        &repository,
        &["worktree", "add", "-q", tree.to_str().unwrap()],
    );
    let history = repository.join(".git");
    let kept = PathBuf::from("/kept/sandbox");
    // While it is made, and when it is there.
    let holder = tree.parent().unwrap().to_owned();
    let expected = [holder.clone(), kept.clone(), history.clone()];
    assert_eq!(sources(&tree, Some((&holder, &repository))), expected);
    assert_eq!(sources(&tree, Some((&holder, &tree))), expected);
    // A user's own worktree.
    assert_eq!(sources(&tree, None), [tree, kept, history]);
}
