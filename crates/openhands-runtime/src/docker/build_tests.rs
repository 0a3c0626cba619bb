//! What goes to the engine for a build.

use std::fs;
use std::path::Path;

use pretty_assertions::assert_eq;
use tempfile::TempDir;

use super::{pack, step_of};

fn names(context: &Path) -> Vec<String> {
    let mut archive = tar::Archive::new(pack(context).unwrap());
    let name = |entry: std::io::Result<tar::Entry<'_, fs::File>>| {
        entry.unwrap().path().unwrap().display().to_string()
    };
    let mut names: Vec<_> = archive.entries().unwrap().map(name).collect();
    names.sort();
    names
}

fn directory(files: &[(&str, &str)]) -> TempDir {
    let directory = TempDir::new().unwrap();
    for (path, text) in files {
        let path = directory.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    directory
}

#[test]
fn what_is_ignored_stays_here() {
    let context = directory(&[
        ("Dockerfile", "FROM scratch\n"),
        (
            ".dockerignore",
            "# heavy\ntarget\n*.log\n**/*.tmp\nDockerfile\n",
        ),
        ("target/big", ""),
        ("src/target/kept", ""),
        ("a.log", ""),
        ("src/a.log", ""),
        ("src/a.tmp", ""),
    ]);
    let found = names(context.path());
    assert_eq!(
        found,
        [
            ".dockerignore",
            "Dockerfile",
            "src",
            "src/a.log",
            "src/target",
            "src/target/kept"
        ]
    );
}

#[test]
fn a_part_of_what_is_ignored_may_be_wanted() {
    let context = directory(&[
        ("Dockerfile", "FROM scratch\n"),
        (".dockerignore", "target\n!target/wanted\n"),
        ("target/big", ""),
        ("target/wanted", ""),
    ]);
    assert_eq!(
        names(context.path()),
        [".dockerignore", "Dockerfile", "target/wanted"]
    );
}

#[test]
fn without_a_dockerfile_there_is_nothing_to_build() {
    let context = TempDir::new().unwrap();
    let error = pack(context.path()).unwrap_err();
    assert_eq!(error.to_string(), "it has no Dockerfile");
}

#[test]
fn steps_are_counted() {
    assert_eq!(step_of("Step 2/5 : RUN true"), Some((1, 5)));
    assert_eq!(step_of("STEP 3/4: COPY a b"), Some((2, 4)));
    assert_eq!(step_of(" ---> 0123456789ab"), None);
    assert_eq!(step_of("step by step"), None);
}
