//! Directories as archives.

use std::collections::BTreeMap;
use std::io::Read as _;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use flate2::read::GzDecoder;
use pretty_assertions::assert_eq;
use reqwest::Method;
use reqwest::header::HeaderMap;
use serde_json::{Value, json};

use crate::harness::{World, answer};

fn git(directory: &Path, arguments: &[&str]) -> String {
    let output = Command::new("git")
        .args([
            "-c",
            "user.name=t",
            "-c",
            "user.email=t@t",
            "-c",
            "init.defaultBranch=main",
        ])
        .args(arguments)
        .current_dir(directory)
        .env("HOME", directory)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{arguments:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

fn write(path: &Path, content: &str) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, content).unwrap();
}

/// A clone with a change, a new file and a file that is left out.
fn clone_in(base: &Path) -> std::path::PathBuf {
    let origin = base.join("origin");
    std::fs::create_dir_all(&origin).unwrap();
    git(&origin, &["init"]);
    write(&origin.join("keep.txt"), "line\n");
    write(&origin.join("gone.txt"), "gone\n");
    git(&origin, &["add", "-A"]);
    git(&origin, &["commit", "-m", "one"]);
    let clone = base.join("clone");
    git(
        base,
        &[
            "clone",
            "-q",
            origin.to_str().unwrap(),
            clone.to_str().unwrap(),
        ],
    );
    write(&clone.join("keep.txt"), "line\ndirty\n");
    write(&clone.join("new/ü\n\"x.txt"), "new\n");
    write(&clone.join("node_modules/dep.js"), "dep\n");
    write(&clone.join("build"), "a file of that name\n");
    std::fs::remove_file(clone.join("gone.txt")).unwrap();
    clone
}

async fn archive(world: &World, query: &[(&str, &str)]) -> (HeaderMap, Vec<u8>) {
    let request = world.request(Method::GET, "/api/file/archive").query(query);
    let response = request.send().await.unwrap();
    let (status, headers) = (response.status(), response.headers().clone());
    let body = response.bytes().await.unwrap().to_vec();
    assert_eq!(status, 200, "{}", String::from_utf8_lossy(&body));
    (headers, body)
}

async fn refusal(world: &World, query: &[(&str, &str)]) -> (u16, Value) {
    let (status, body) = answer(world.request(Method::GET, "/api/file/archive").query(query)).await;
    (status.as_u16(), body["detail"].clone())
}

/// The members of a tarball; directories have none for content.
fn members(tarball: &[u8]) -> BTreeMap<String, Option<Vec<u8>>> {
    let mut archive = tar::Archive::new(GzDecoder::new(tarball));
    let entries = archive.entries().unwrap();
    entries
        .map(|entry| {
            let mut entry = entry.unwrap();
            let path = String::from_utf8_lossy(&entry.path_bytes())
                .trim_end_matches('/')
                .to_owned();
            let kind = entry.header().entry_type();
            assert!(kind.is_file() || kind.is_dir(), "{path}: {kind:?}");
            let mut content = Vec::new();
            entry.read_to_end(&mut content).unwrap();
            (path, kind.is_file().then_some(content))
        })
        .collect()
}

#[tokio::test]
async fn a_patch_brings_a_fresh_clone_to_the_same_state() {
    let world = World::new().await;
    let clone = clone_in(world.path());
    let head = git(&clone, &["rev-parse", "HEAD"]);
    git(
        &clone,
        &[
            "remote",
            "set-url",
            "origin",
            "https://user:token@example.org/o/r.git?key=1",
        ],
    );
    let status_before = git(&clone, &["status", "--porcelain"]);
    let (headers, patch) = archive(&world, &[("path", clone.to_str().unwrap())]).await;
    let header = |name: &str| headers[name].to_str().unwrap().to_owned();
    assert_eq!(header("content-type"), "text/x-patch; charset=utf-8");
    assert_eq!(
        header("content-disposition"),
        "attachment; filename=\"clone.patch\""
    );
    assert_eq!(
        header("x-archive-repo-remote"),
        "https%3A%2F%2F%2A%2A%2A%2A%40example.org%2Fo%2Fr.git"
    );
    assert_eq!(header("x-archive-branch"), "main");
    assert_eq!(header("x-archive-head-commit"), head);
    assert_eq!(header("x-archive-base-commit"), head);
    assert_eq!(header("x-archive-base-ref"), "auto");
    assert!(header("x-archive-repo-root").ends_with("%2Fclone"));
    assert_eq!(git(&clone, &["status", "--porcelain"]), status_before);

    let fresh = world.path().join("fresh");
    git(
        world.path(),
        &[
            "clone",
            "-q",
            world.path().join("origin").to_str().unwrap(),
            fresh.to_str().unwrap(),
        ],
    );
    std::fs::write(world.path().join("p"), &patch).unwrap();
    git(&fresh, &["apply", world.path().join("p").to_str().unwrap()]);
    assert_eq!(
        std::fs::read_to_string(fresh.join("keep.txt")).unwrap(),
        "line\ndirty\n"
    );
    assert_eq!(
        std::fs::read_to_string(fresh.join("new/ü\n\"x.txt")).unwrap(),
        "new\n"
    );
    assert!(fresh.join("build").is_file());
    assert!(!fresh.join("gone.txt").exists());
    assert!(!fresh.join("node_modules").exists());
}

#[tokio::test]
async fn a_patch_starts_where_it_is_asked_to() {
    let world = World::new().await;
    let clone = clone_in(world.path());
    let path = clone.to_str().unwrap();
    git(&clone, &["commit", "-aqm", "two"]);
    let head = git(&clone, &["rev-parse", "HEAD"]);
    let (headers, patch) = archive(
        &world,
        &[
            ("path", path),
            ("base_ref", "HEAD"),
            ("exclude", "new"),
            ("exclude", "build"),
        ],
    )
    .await;
    assert_eq!(
        (
            headers["x-archive-base-commit"].to_str().unwrap(),
            patch.len()
        ),
        (head.as_str(), 0)
    );
    assert_eq!(headers["x-archive-base-ref"], "HEAD");
    // What is committed and not pushed is part of it.
    let (headers, patch) = archive(&world, &[("path", path)]).await;
    assert_ne!(headers["x-archive-base-commit"].to_str().unwrap(), head);
    assert!(String::from_utf8_lossy(&patch).contains("+dirty"));
    git(&clone, &["checkout", "-q", "--detach"]);
    let (headers, _) = archive(&world, &[("path", path)]).await;
    assert_eq!(headers["x-archive-base-commit"].to_str().unwrap(), head);
    assert_eq!(headers["x-archive-branch"], "DETACHED");

    let empty = world.path().join("empty");
    write(&empty.join("new.txt"), "n\n");
    git(&empty, &["init"]);
    let (headers, patch) = archive(&world, &[("path", empty.to_str().unwrap())]).await;
    assert!(headers.get("x-archive-base-commit").is_none());
    assert_eq!(
        String::from_utf8(patch).unwrap(),
        "diff --git a/new.txt b/new.txt\nnew file mode 100644\nindex 0000000..8ba3a16\n--- /dev/null\n+++ b/new.txt\n@@ -0,0 +1 @@\n+n\n"
    );
}

#[tokio::test]
async fn a_tarball_holds_files_and_directories_and_nothing_from_outside() {
    let world = World::new().await;
    let root = world.path().join("plain");
    write(&world.path().join("secret"), "secret");
    write(&root.join("a.txt"), "a");
    write(&root.join("sub/b.pyc"), "b");
    write(&root.join("sub/deep/c"), "c");
    write(&root.join("build"), "kept");
    write(&root.join("dist/d"), "d");
    std::fs::create_dir(root.join("empty")).unwrap();
    symlink("../secret", root.join("link")).unwrap();
    symlink("..", root.join("sub/up")).unwrap();
    rustix::fs::mknodat(
        rustix::fs::CWD,
        root.join("pipe"),
        rustix::fs::FileType::Fifo,
        0o600.into(),
        0,
    )
    .unwrap();
    std::fs::write(
        root.join(std::ffi::OsStr::from_bytes(b"odd\xff\n\"")),
        "odd",
    )
    .unwrap();
    let long = format!("sub/{}/f", "x".repeat(200));
    write(&root.join(&long), "long");
    let (headers, tarball) = archive(
        &world,
        &[("path", root.to_str().unwrap()), ("format", "tar.gz")],
    )
    .await;
    assert_eq!(headers["content-type"], "application/gzip");
    assert_eq!(
        headers["content-disposition"],
        "attachment; filename=\"plain.tar.gz\""
    );
    assert!(headers.get("x-archive-repo-root").is_none());
    let mut found = members(&tarball);
    let manifest = found
        .remove("plain/archive_manifest.json")
        .flatten()
        .unwrap();
    let file = |content: &str| Some(content.as_bytes().to_vec());
    assert_eq!(
        found,
        BTreeMap::from([
            ("plain".to_owned(), None),
            ("plain/a.txt".to_owned(), file("a")),
            ("plain/build".to_owned(), file("kept")),
            ("plain/empty".to_owned(), None),
            ("plain/odd\u{fffd}\n\"".to_owned(), file("odd")),
            ("plain/sub".to_owned(), None),
            ("plain/sub/deep".to_owned(), None),
            ("plain/sub/deep/c".to_owned(), file("c")),
            (format!("plain/sub/{}", "x".repeat(200)), None),
            (format!("plain/{long}"), file("long")),
        ])
    );
    let text = String::from_utf8(manifest).unwrap();
    assert!(text.starts_with("{\n  \"excludes\": [\n    \".git/\","));
    let manifest: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(
        (
            &manifest["file_count"],
            &manifest["total_bytes"],
            &manifest["source"],
            &manifest["format"]
        ),
        (&json!(5), &json!(13), &json!("plain"), &json!("tar.gz"))
    );

    let query = [
        ("path", root.to_str().unwrap()),
        ("format", "tar.gz"),
        ("use_default_excludes", "false"),
        ("exclude", "sub/"),
        ("exclude", "*.txt"),
    ];
    let (_, tarball) = archive(&world, &query).await;
    let found: Vec<String> = members(&tarball).into_keys().collect();
    assert_eq!(
        found,
        [
            "plain",
            "plain/archive_manifest.json",
            "plain/build",
            "plain/dist",
            "plain/dist/d",
            "plain/empty",
            "plain/odd\u{fffd}\n\""
        ]
    );
}

#[tokio::test]
async fn credentials_of_git_stay_out_of_a_full_capture() {
    let world = World::new().await;
    let clone = clone_in(world.path());
    write(&clone.join(".git/modules/m/config"), "token");
    write(&clone.join("config"), "mine");
    write(&clone.join("archive_manifest.json"), "theirs");
    let query = [
        ("path", clone.to_str().unwrap()),
        ("format", "tar.gz"),
        ("use_default_excludes", "false"),
    ];
    let (headers, tarball) = archive(&world, &query).await;
    assert_eq!(headers["x-archive-branch"], "main");
    assert!(headers.get("x-archive-base-commit").is_none());
    let found = members(&tarball);
    assert!(found.contains_key("clone/.git/HEAD"));
    assert!(found.contains_key("clone/config"));
    assert!(found.contains_key("clone/node_modules/dep.js"));
    assert_eq!(
        found["clone/archive_manifest.json"].as_deref(),
        Some(b"theirs".as_slice())
    );
    let leaked: Vec<&String> = found
        .keys()
        .filter(|name| {
            name.contains(".git/")
                && (name.ends_with("/config")
                    || name.contains("/logs")
                    || name.ends_with("FETCH_HEAD"))
        })
        .collect();
    assert_eq!(leaked, Vec::<&String>::new());
}

#[tokio::test]
async fn the_only_repository_below_is_meant() {
    let world = World::new().await;
    let above = world.path().join("above");
    let clone = clone_in(&above.join("group"));
    std::fs::remove_dir_all(above.join("group/origin")).unwrap();
    write(&above.join("beside.txt"), "beside");
    std::fs::create_dir_all(above.join("vendor/x/.git")).unwrap();
    std::fs::create_dir_all(above.join(".hidden/.git")).unwrap();
    std::fs::create_dir_all(above.join("1/2/3/4/.git")).unwrap();
    let query = [("path", above.to_str().unwrap()), ("format", "tar.gz")];
    let (headers, tarball) = archive(&world, &query).await;
    assert!(
        headers["x-archive-repo-root"]
            .to_str()
            .unwrap()
            .ends_with("%2Fclone")
    );
    let found = members(&tarball);
    assert!(
        found.contains_key("clone/keep.txt") && !found.keys().any(|name| name.contains("beside"))
    );
    drop(clone);
    std::fs::create_dir_all(above.join("other/.git")).unwrap();
    let real = above.canonicalize().unwrap();
    assert_eq!(
        refusal(&world, &[("path", above.to_str().unwrap())]).await,
        (
            400,
            json!(format!(
                "Not a git repository: Not a git repository: {}",
                real.display()
            ))
        )
    );
    let (_, tarball) = archive(&world, &query).await;
    assert!(members(&tarball).contains_key("above/beside.txt"));
}

#[tokio::test]
async fn what_cannot_be_archived_is_refused() {
    let world = World::new().await;
    let clone = clone_in(world.path());
    let path = clone.to_str().unwrap();
    let file = clone.join("keep.txt");
    for (query, status, detail) in [
        (vec![("path", "rel")], 400, "Path must be absolute"),
        (vec![("path", "/nope/nope")], 404, "Directory not found"),
        (
            vec![("path", file.to_str().unwrap())],
            400,
            "Path is not a directory",
        ),
        (
            vec![("path", path), ("base_ref", "nope")],
            400,
            "base_ref 'nope' could not be resolved",
        ),
        (
            vec![("path", path), ("base_ref", "-x")],
            400,
            "base_ref must not start with '-'",
        ),
        (
            vec![("path", path), ("base_ref", "--output=/tmp/x")],
            400,
            "base_ref must not start with '-'",
        ),
    ] {
        assert_eq!(
            refusal(&world, &query).await,
            (status, json!(detail)),
            "{query:?}"
        );
    }
    assert_eq!(
        refusal(&world, &[("path", path), ("format", "zip")])
            .await
            .0,
        422
    );
}

#[tokio::test]
async fn whoever_goes_away_ends_the_archive() {
    let world = World::new().await;
    let root = world.path().join("huge");
    std::fs::create_dir(&root).unwrap();
    std::fs::File::create(root.join("sparse"))
        .unwrap()
        .set_len(1 << 40)
        .unwrap();
    let query = [("path", root.to_str().unwrap()), ("format", "tar.gz")];
    for _ in 0..20 {
        let request = world
            .request(Method::GET, "/api/file/archive")
            .query(&query);
        // More than may be made at once: each ends when it is dropped.
        let response = tokio::time::timeout(std::time::Duration::from_secs(30), request.send());
        assert_eq!(response.await.expect("a free place").unwrap().status(), 200);
    }
}
