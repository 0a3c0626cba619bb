use std::path::{Path, PathBuf};
use std::process::Command;

use super::{Kept, find_repository, mounts_of};

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
    let kept = Kept {
        by_tools: Path::new("/kept/sandbox"),
        by_server: Path::new("/kept/observations"),
    };
    let mounts = mounts_of(working_dir, kept, worktree);
    assert!(mounts.iter().all(|mount| mount.source == mount.target));
    let (read, written): (Vec<_>, Vec<_>) = mounts.into_iter().partition(|mount| mount.read_only);
    assert_eq!(read.len(), 1);
    assert_eq!(read[0].source, kept.by_server);
    written.into_iter().map(|mount| mount.source).collect()
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

#[test]
fn an_agent_cannot_have_more_mounted_by_writing_a_link() {
    let root = tempfile::tempdir().unwrap();
    let root = root.path().canonicalize().unwrap();
    let (workspace, secret) = (root.join("worktrees/workspace"), root.join("secret"));
    std::fs::create_dir_all(&workspace).unwrap();
    std::fs::create_dir(&secret).unwrap();
    let kept = PathBuf::from("/kept/sandbox");
    let alone = [workspace.clone(), kept];
    let link = |git: &Path| {
        std::fs::write(
            workspace.join(".git"),
            format!("gitdir: {}\n", git.display()),
        )
        .unwrap();
    };
    link(&secret);
    assert_eq!(sources(&workspace, None), alone);
    // A directory in the workspace that says what a worktree of a repository would say.
    let fake = workspace.join("fake/worktrees/1");
    std::fs::create_dir_all(&fake).unwrap();
    std::fs::write(
        fake.join("gitdir"),
        workspace.join(".git").to_str().unwrap(),
    )
    .unwrap();
    std::fs::write(fake.join("commondir"), secret.to_str().unwrap()).unwrap();
    link(&fake);
    assert_eq!(sources(&workspace, None), alone);
    // The workspace itself as such a directory.
    std::fs::write(
        workspace.join("gitdir"),
        workspace.join(".git").to_str().unwrap(),
    )
    .unwrap();
    std::fs::write(workspace.join("commondir"), "../..").unwrap();
    link(&workspace);
    assert_eq!(sources(&workspace, None), alone);
    std::fs::remove_file(workspace.join(".git")).unwrap();
    std::os::unix::fs::symlink(&secret, workspace.join(".git")).unwrap();
    assert_eq!(sources(&workspace, None), alone);
}
