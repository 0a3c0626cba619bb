//! A registry of images on this machine: Debian's `docker-registry`, for one test.

use std::fmt::Write as _;
use std::io::Write as _;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

pub(crate) struct Registry {
    child: Child,
    /// Where it listens; images that are pulled from there have names that begin so.
    address: String,
    _directory: TempDir,
}

impl Registry {
    /// A registry without any image. None, and a word about it, where the program is not installed.
    pub(crate) async fn start() -> Option<Self> {
        let is_there = Command::new("docker-registry").arg("--version").output();
        if is_there.is_err() {
            assert_ne!(
                std::env::var("CI").as_deref(),
                Ok("true"),
                "there is no docker-registry, and nothing may be skipped here"
            );
            eprintln!("skipped: no docker-registry");
            return None;
        }
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path();
        let settings = format!(
            "version: 0.1\nstorage:\n  filesystem:\n    rootdirectory: {}\nhttp:\n  addr: 127.0.0.1:0\n",
            root.display()
        );
        std::fs::write(root.join("config.yml"), settings).unwrap();
        let log = root.join("log");
        let said = std::fs::File::create(&log).unwrap();
        let child = Command::new("docker-registry")
            .arg("serve")
            .arg(root.join("config.yml"))
            .stdin(Stdio::null())
            .stdout(said.try_clone().unwrap())
            .stderr(said)
            .spawn()
            .unwrap();
        let began = Instant::now();
        let address = loop {
            let said = std::fs::read_to_string(&log).unwrap();
            let rest = said.split_once("listening on ").map(|(_, rest)| rest);
            let end = |c: char| !c.is_ascii_digit() && c != '.' && c != ':';
            // It is complete when something follows it.
            if let Some((address, _)) = rest.and_then(|rest| rest.split_once(end)) {
                break address.to_owned();
            }
            assert!(began.elapsed() < Duration::from_secs(30), "{said}");
            tokio::time::sleep(Duration::from_millis(20)).await;
        };
        Some(Self {
            child,
            address,
            _directory: directory,
        })
    }

    /// Puts an image into the registry, and gives its name. The engine does not have it afterwards, nor any of its layers: it is
    /// not the one that other tests use, but has the same server and nothing else.
    pub(crate) fn publish(&self, whole: &str, name: &str) -> Pulled {
        let tag = format!("{}/openhands-test/{name}:some-tag", self.address);
        let program = "/usr/local/bin/openhands-agent-server";
        // What the program needs, and where that really is.
        let list = format!(
            "echo {program} {program}; ldd {program} | grep -o '/[^ ]*' | while read -r one; do echo \"$one\" \"$(readlink -f \"$one\")\"; done"
        );
        // For Podman: nobody may hold what is not started yet, and limits are raised where none are named, which it may not everywhere.
        let mut run = vec![
            "run",
            "-d",
            "--ulimit",
            "nofile=1024",
            "--ulimit",
            "nproc=1024",
        ];
        run.extend(["--entrypoint", "bash", whole, "-c", &list]);
        let container = docker(&run, "");
        let container = container.trim();
        docker(&["wait", container], "");
        let files = docker(&["logs", container], "");
        docker(&["rm", container], "");
        // Its first layer is no other image's, so that all of them have to be pulled.
        let mut text = format!(
            "FROM {whole} AS whole\nFROM scratch\nWORKDIR /of/{}\n",
            self.address
        );
        for (path, real) in files.lines().filter_map(|line| line.split_once(' ')) {
            writeln!(text, "COPY --from=whole {real} {path}").unwrap();
        }
        writeln!(text, "ENTRYPOINT [\"{program}\"]").unwrap();
        docker(&["build", "-q", "-t", &tag, "-"], &text);
        let pulled = Pulled(tag);
        docker(&["push", "-q", &pulled.0], "");
        docker(&["rmi", &pulled.0], "");
        pulled
    }
}

impl Drop for Registry {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// An image that was pulled, or will be. It goes with the test.
pub(crate) struct Pulled(pub(crate) String);

impl Drop for Pulled {
    fn drop(&mut self) {
        let _ = Command::new("docker").args(["rmi", "-f", &self.0]).output();
    }
}

fn docker(arguments: &[&str], input: &str) -> String {
    let mut child = Command::new("docker")
        .args(arguments)
        .env("DOCKER_BUILDKIT", "0")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(input.as_bytes()).unwrap();
    drop(stdin);
    let done = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&done.stdout).into_owned();
    let error = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{arguments:?}: {said}{error}");
    said
}
