//! A repository to change, commit and push in.

use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use crate::harness::World;

/// A repository in the directory of a test.
pub(crate) struct Repository(pub(crate) PathBuf);

impl Repository {
    /// A new one, on branch `main`.
    pub(crate) fn init(path: impl Into<PathBuf>) -> Self {
        let path = path.into();
        std::fs::create_dir_all(&path).unwrap();
        let new = Self(path);
        new.git(&["init", "--quiet", "--initial-branch=main"]);
        new
    }

    /// Runs git, which must succeed; gives what it says.
    pub(crate) fn git(&self, arguments: &[&str]) -> String {
        let output = Command::new("git")
            .args(arguments)
            .current_dir(&self.0)
            // The settings of whoever runs the tests must not count.
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .envs([
                ("GIT_AUTHOR_NAME", "user"),
                ("GIT_AUTHOR_EMAIL", "user@example.com"),
                ("GIT_AUTHOR_DATE", "2026-01-01T00:00:00Z"),
                ("GIT_COMMITTER_NAME", "user"),
                ("GIT_COMMITTER_EMAIL", "user@example.com"),
                ("GIT_COMMITTER_DATE", "2026-01-01T00:00:00Z"),
            ])
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "git {arguments:?}: {said}");
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    }

    /// Writes a file; its directories are made.
    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        self.write_bytes(name.as_bytes(), content);
    }

    /// Writes a file with any name.
    pub(crate) fn write_bytes(&self, name: &[u8], content: impl AsRef<[u8]>) {
        let path = self.0.join(Path::new(std::ffi::OsStr::from_bytes(name)));
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }

    /// Commits everything; gives the id of the commit.
    pub(crate) fn commit(&self, subject: &str) -> String {
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--allow-empty", "-m", subject]);
        self.git(&["rev-parse", "HEAD"])
    }

    /// The path as a parameter.
    pub(crate) fn path(&self) -> &str {
        self.0.to_str().unwrap()
    }
}

/// Asks for something of git.
pub(crate) async fn ask(world: &World, what: &str, params: &[(&str, &str)]) -> (u16, Value) {
    let request = world
        .request(reqwest::Method::GET, &format!("/api/git/{what}"))
        .query(params);
    let (status, body) = crate::harness::answer(request).await;
    (status.as_u16(), body)
}

/// The changes at a path, which must be listed, as status and path.
pub(crate) async fn changes(world: &World, path: &str) -> Vec<(String, String)> {
    let (status, body) = ask(world, "changes", &[("path", path)]).await;
    assert_eq!(status, 200, "{body}");
    pairs(&body)
}

/// A list of changes as pairs.
pub(crate) fn pairs(body: &Value) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    body.as_array()
        .unwrap()
        .iter()
        .map(|change| (text(&change["status"]), text(&change["path"])))
        .collect()
}

/// Both sides of a file.
pub(crate) fn sides(modified: &str, original: &str) -> (u16, Value) {
    (200, json!({"modified": modified, "original": original}))
}
