//! Bases, child repositories, links, sizes, and what callers may not do.

use pretty_assertions::assert_eq;
use serde_json::json;

use super::repository::{Repository, ask, changes, sides};
use crate::harness::World;

fn pair(status: &str, path: &str) -> (String, String) {
    (status.to_owned(), path.to_owned())
}

#[tokio::test]
async fn a_branch_without_remote_shows_its_commits() {
    let world = World::new().await;
    let repo = Repository::init(world.path().join("repo"));
    repo.write("a", "1");
    repo.commit("one");
    repo.git(&["checkout", "--quiet", "-b", "work"]);
    repo.write("b", "2");
    repo.commit("two");
    assert_eq!(changes(&world, repo.path()).await, [pair("ADDED", "b")]);
    // A main branch that went on is no base any more: HEAD is.
    repo.git(&["checkout", "--quiet", "main"]);
    repo.write("c", "3");
    repo.commit("three");
    repo.git(&["checkout", "--quiet", "work"]);
    repo.write("b", "2b");
    assert_eq!(changes(&world, repo.path()).await, [pair("UPDATED", "b")]);
}

#[tokio::test]
async fn a_remote_without_recorded_head_is_asked() {
    let world = World::new().await;
    let origin = Repository::init(world.path().join("origin"));
    origin.write("a", "1");
    origin.commit("one");
    let repo = Repository::init(world.path().join("repo"));
    repo.git(&["remote", "add", "origin", origin.path()]);
    // Newer versions of git write it down at a fetch.
    repo.git(&["config", "remote.origin.followRemoteHEAD", "never"]);
    repo.git(&["fetch", "--quiet", "origin"]);
    repo.git(&["checkout", "--quiet", "-b", "work", "origin/main"]);
    repo.write("b", "2");
    repo.commit("two");
    assert_eq!(changes(&world, repo.path()).await, [pair("ADDED", "b")]);
}

#[tokio::test]
async fn child_repositories_are_merged_in_and_broken_ones_left_out() {
    let world = World::new().await;
    let outer = Repository::init(world.path().join("outer"));
    outer.write("foobar/x", "x");
    outer.write("own", "o");
    let child = Repository::init(outer.0.join("foo"));
    child.write("inner", "i");
    let hidden = Repository::init(outer.0.join(".hidden"));
    hidden.write("h", "h");
    let deep = Repository::init(outer.0.join("deep/er"));
    deep.write("d", "d");
    std::fs::create_dir_all(outer.0.join("broken")).unwrap();
    std::fs::write(outer.0.join("broken/.git"), "gitdir: /nowhere\n").unwrap();
    assert_eq!(
        changes(&world, outer.path()).await,
        [
            pair("ADDED", ".hidden"),
            pair("ADDED", "deep/er"),
            pair("ADDED", "foo/inner"),
            pair("ADDED", "foobar/x"),
            pair("ADDED", "own"),
        ]
    );
}

#[tokio::test]
async fn a_conflict_is_one_update() {
    let world = World::new().await;
    let repo = Repository::init(world.path().join("repo"));
    repo.write("a", "1\n");
    repo.commit("one");
    repo.git(&["checkout", "--quiet", "-b", "other"]);
    repo.write("a", "2\n");
    repo.commit("two");
    repo.git(&["checkout", "--quiet", "main"]);
    repo.write("a", "3\n");
    repo.commit("three");
    let merged = std::process::Command::new("git")
        .args(["-c", "user.name=user", "-c", "user.email=user@example.com"])
        .args(["merge", "other"])
        .current_dir(&repo.0)
        .output()
        .unwrap();
    assert!(!merged.status.success());
    let (_, body) = ask(&world, "changes", &[("path", repo.path()), ("ref", "HEAD")]).await;
    assert_eq!(body, json!([{"status": "UPDATED", "path": "a"}]));
}

#[tokio::test]
async fn a_ref_is_never_an_option() {
    let world = World::new().await;
    let repo = Repository::init(world.path().join("repo"));
    repo.write("a", "1");
    repo.commit("one");
    let evil = repo.0.join("evil");
    for name in [
        "--git-dir",
        "--since=1",
        "-q",
        &format!("--output={}", evil.display()),
    ] {
        let (status, body) = ask(&world, "changes", &[("path", repo.path()), ("ref", name)]).await;
        assert_eq!(status, 400, "{name}: {body}");
        let detail = body["detail"].as_str().unwrap();
        assert!(
            detail.starts_with("Git command failed: git --no-pager rev-parse --verify"),
            "{detail}"
        );
    }
    assert!(!evil.exists());
}

#[tokio::test]
async fn a_link_is_compared_as_the_name_it_holds() {
    let world = World::new().await;
    let repo = Repository::init(world.path().join("repo"));
    let secret = world.path().join("secret");
    std::fs::write(&secret, "not for the diff").unwrap();
    std::os::unix::fs::symlink("first", repo.0.join("link")).unwrap();
    repo.commit("one");
    std::fs::remove_file(repo.0.join("link")).unwrap();
    std::os::unix::fs::symlink(&secret, repo.0.join("link")).unwrap();
    let link = repo.0.join("link");
    let diff = ask(&world, "diff", &[("path", link.to_str().unwrap())]).await;
    assert_eq!(diff, sides(secret.to_str().unwrap(), "first"));
    // From outside of a repository, a link leads to its file.
    repo.write("file", "f\n");
    let outside = world.path().join("outside");
    std::os::unix::fs::symlink(repo.0.join("file"), &outside).unwrap();
    let diff = ask(&world, "diff", &[("path", outside.to_str().unwrap())]).await;
    assert_eq!(diff, sides("f", ""));
}

#[tokio::test]
async fn what_is_too_large_or_never_ends_is_not_read() {
    let world = World::new().await;
    let repo = Repository::init(world.path().join("repo"));
    repo.write("shrunk", vec![b'x'; 1_048_577]);
    repo.commit("one");
    repo.write("shrunk", "small");
    let shrunk = repo.0.join("shrunk");
    let (status, body) = ask(&world, "diff", &[("path", shrunk.to_str().unwrap())]).await;
    assert_eq!(
        (status, &body["detail"]),
        (
            400,
            &json!("File too large for git diff: 1048577 bytes (max: 1048576 bytes)")
        )
    );
    let pipe = repo.0.join("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    let diff = ask(&world, "diff", &[("path", pipe.to_str().unwrap())]).await;
    assert_eq!(diff, sides("", ""));
}

#[tokio::test]
async fn a_repository_of_the_other_hash_has_an_empty_tree_too() {
    let world = World::new().await;
    let path = world.path().join("repo");
    std::fs::create_dir_all(&path).unwrap();
    let repo = Repository(path);
    repo.git(&["init", "--quiet", "--object-format=sha256"]);
    repo.write("a", "1");
    assert_eq!(changes(&world, repo.path()).await, [pair("ADDED", "a")]);
    let first = repo.commit("one");
    let what = format!("commits/{first}/changes");
    let (_, body) = ask(&world, &what, &[("path", repo.path())]).await;
    assert_eq!(body, json!([{"status": "ADDED", "path": "a"}]));
}
