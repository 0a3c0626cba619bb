//! The same on a real Podman, with a service and a storage of its own.

use std::fs;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use openhands_protocol::ConversationId;
use openhands_runtime::Runtime as _;
use openhands_runtime::docker::{
    DockerError, DockerRuntime, DockerSandbox, Leftovers, Mount, Progress, SandboxSpec,
    SandboxState, WarmPool,
};
use pretty_assertions::assert_eq;
use tempfile::TempDir;

use crate::tools::{request, run};
use crate::world::{World, ask, eventually, skip};

/// A Podman that nobody else uses. Images are kept from one run to the next: to load one takes long.
struct Podman {
    directory: TempDir,
    service: Option<Child>,
}

impl Podman {
    /// None, and a word about it, where there is no Podman, or no root who could run it.
    async fn start(image: &str) -> Option<Self> {
        if !rustix::process::geteuid().is_root() {
            eprintln!("skipped: not root");
            return None;
        }
        if Command::new("podman").arg("--version").output().is_err() {
            return skip("no podman");
        }
        let directory = tempfile::tempdir().unwrap();
        // Without systemd, which is not everywhere.
        let settings = "[engine]\ncgroup_manager = \"cgroupfs\"\nevents_logger = \"file\"\nruntime = \"runc\"\n";
        fs::write(directory.path().join("containers.conf"), settings).unwrap();
        let mut podman = Self {
            directory,
            service: None,
        };
        podman.run(&["rm", "--all", "--force"]);
        podman.load(image);
        let log = fs::File::create(podman.path("log")).unwrap();
        let service = podman
            .command(&["system", "service", "--time", "0", &podman.address()])
            .stdin(Stdio::null())
            .stdout(log.try_clone().unwrap())
            .stderr(log)
            .spawn();
        podman.service = Some(service.unwrap());
        let began = Instant::now();
        while std::os::unix::net::UnixStream::connect(podman.path("podman.sock")).is_err() {
            let said = fs::read_to_string(podman.path("log")).unwrap();
            assert!(began.elapsed() < Duration::from_secs(30), "{said}");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        Some(podman)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    fn address(&self) -> String {
        format!("unix://{}", self.path("podman.sock").display())
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new("podman");
        command
            .env("CONTAINERS_CONF", self.path("containers.conf"))
            .args([
                "--root",
                concat!(env!("CARGO_TARGET_TMPDIR"), "/podman/root"),
            ])
            .args([
                "--runroot",
                concat!(env!("CARGO_TARGET_TMPDIR"), "/podman/run"),
            ])
            .args([
                "--tmpdir",
                concat!(env!("CARGO_TARGET_TMPDIR"), "/podman/tmp"),
            ])
            .args(arguments);
        command
    }

    fn run(&self, arguments: &[&str]) -> String {
        let done = self.command(arguments).output().unwrap();
        let error = String::from_utf8_lossy(&done.stderr);
        assert!(done.status.success(), "podman {arguments:?}: {error}");
        String::from_utf8_lossy(&done.stdout).trim().to_owned()
    }

    /// Takes the image over from the other engine, if it has not been done before.
    fn load(&self, image: &str) {
        let (ok, id) = crate::world::docker(&["image", "inspect", "-f", "{{.Id}}", image]);
        assert!(ok, "{image}");
        let id = id.trim_start_matches("sha256:");
        let is_there = self.command(&["image", "exists", id]).status().unwrap();
        if is_there.success() {
            return;
        }
        self.run(&["rmi", "--all", "--force"]);
        let mut save = Command::new("docker")
            .args(["save", image])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let load = self
            .command(&["load", "--quiet"])
            .stdin(save.stdout.take().unwrap())
            .output()
            .unwrap();
        assert!(save.wait().unwrap().success());
        assert!(load.status.success(), "{load:?}");
    }

    fn containers(&self, owner: &str) -> Vec<String> {
        let filter = format!("label=dev.openhands.owner={owner}");
        let listed = self.run(&["ps", "-aq", "--no-trunc", "--filter", &filter]);
        listed.lines().map(str::to_owned).collect()
    }
}

impl Drop for Podman {
    fn drop(&mut self) {
        let _ = self.command(&["rm", "--all", "--force"]).output();
        if let Some(service) = &mut self.service {
            let _ = service.kill();
            let _ = service.wait();
        }
        // What of its storage is mounted would keep the directory.
        let _ = self.command(&["umount", "--all"]).output();
    }
}

#[tokio::test]
async fn containers_work_on_podman() {
    let Some(docker) = World::new().await else {
        return;
    };
    let image = docker.settings.image.clone();
    let Some(podman) = Podman::start(&image).await else {
        return;
    };
    let address = podman.address();
    let world = World::with(|settings| {
        settings.host = Some(address);
        settings.memory = Some(512 << 20);
    });
    let world = world.await.unwrap();
    let owner = world.settings.owner.clone();
    let spec = world.spec();
    let conversation = spec.conversation;
    let request = request(world.path(), conversation, conversation);
    let runtime = DockerRuntime::new(&world.docker, spec, request, Progress::none());

    check_commands(&world, &runtime).await;
    let sandbox = runtime.sandbox().await.unwrap();
    assert_eq!(podman.containers(&owner), [sandbox.id()]);
    check_files(&sandbox).await;
    check_pause(&sandbox).await;

    // A server that is started again finds it, with its shell.
    let again = world.again().await;
    let found = again.find(conversation).await.unwrap().unwrap();
    assert_eq!(found.id(), sandbox.id());
    assert_eq!(found.endpoint().key, sandbox.endpoint().key);
    let said = run(&world, &runtime, "3", "echo still $X").await;
    assert!(said.contains("still 5"), "{said}");
    check_leftovers(&podman, &world, &image).await;
    check_claim(&podman).await;
    check_end(&podman, &world).await;
    assert_eq!(podman.containers(&owner), [sandbox.id()]);

    found.stop().await.unwrap();
    assert_eq!(sandbox.state().await.unwrap(), SandboxState::Gone);
    assert_eq!(podman.containers(&owner), [""; 0]);
    drop(found);
    // The next use has a new one, which goes with the runtime.
    let said = run(&world, &runtime, "4", "echo alive; cat made").await;
    assert!(said.contains("alive") && said.contains("inside"), "{said}");
    assert_eq!(podman.containers(&owner).len(), 1);
    runtime.close().await;
    assert_eq!(podman.containers(&owner), [""; 0]);
}

/// Commands, in a shell that lives, in the directory of this machine; the server inside wants its key.
async fn check_commands(world: &World, runtime: &DockerRuntime) {
    let command = "pwd; X=5; echo inside >made; test -e /run/.containerenv && echo in podman";
    let said = run(world, runtime, "1", command).await;
    assert!(said.contains(&world.path().display().to_string()), "{said}");
    assert!(said.contains("in podman"), "{said}");
    let made = fs::read_to_string(world.path().join("made")).unwrap();
    assert_eq!(made, "inside\n");
    let said = run(world, runtime, "2", "echo x=$X").await;
    assert!(said.contains("x=5"), "{said}");
    let sandbox = runtime.sandbox().await.unwrap();
    let key = sandbox.endpoint().key;
    assert_eq!(ask(&sandbox, "/api/settings", None).await, 401);
    assert_eq!(ask(&sandbox, "/api/settings", key.expose()).await, 200);
    let logs = sandbox.logs();
    let is_said = logs.iter().any(|line| line.contains("listening on"));
    assert!(is_said, "{logs:?}");
}

async fn check_files(sandbox: &DockerSandbox) {
    let (here, back) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let tree = here.path().join("tree");
    fs::create_dir(&tree).unwrap();
    fs::write(tree.join("file"), "content\n").unwrap();
    sandbox.copy_in(&tree, "/tmp".as_ref()).await.unwrap();
    let copied = sandbox.copy_out("/tmp/tree".as_ref(), back.path());
    copied.await.unwrap();
    let content = fs::read_to_string(back.path().join("tree/file")).unwrap();
    assert_eq!(content, "content\n");
    let missing = sandbox.copy_out("/tmp/none".as_ref(), back.path()).await;
    let error = missing.unwrap_err().to_string();
    assert!(error.contains("/tmp/none"), "{error}");
}

/// One that waited gets the limits of its conversation, and its ports are those of the range.
async fn check_claim(podman: &Podman) {
    let address = podman.address();
    let range = (21_000, 21_999);
    let world = World::with(|settings| {
        settings.host = Some(address);
        settings.memory = Some(512 << 20);
        settings.port_range = Some(range);
        settings.warm = 1;
    });
    let world = world.await.unwrap();
    let pool = WarmPool::start(&world.docker);
    pool.filled(1).await;
    let waits = podman.containers(&world.settings.owner);
    let mut spec = world.spec();
    spec.memory = Some(300 << 20);
    spec.cpus = Some(0.5);
    let sandbox = pool.claim(spec, Progress::none()).await.unwrap();
    assert_eq!(waits, [sandbox.id()]);
    let ports = sandbox.ports();
    for port in [ports.server, ports.vscode, ports.app1, ports.app2] {
        assert!((range.0..=range.1).contains(&port), "{ports:?}");
    }
    assert_eq!(ask(&sandbox, "/health", None).await, 200);
    // Asked of the kernel: Podman itself goes on to tell what the container was made with.
    let limit = |new: &str, old: &str| {
        let read = format!("cd /sys/fs/cgroup; cat {new} 2>/dev/null || cat {old}");
        podman.run(&["exec", sandbox.id(), "bash", "-c", &read])
    };
    let memory = limit("memory.max", "memory/memory.limit_in_bytes");
    assert_eq!(memory, (300 << 20).to_string());
    let quota = limit("cpu.max", "cpu/cpu.cfs_quota_us");
    assert_eq!(quota.split(' ').next(), Some("50000"));
    let pids = limit("pids.max", "pids/pids.max");
    assert_eq!(pids, "4096", "what was not asked for stays");
    pool.close().await;
    // Its name is free again for the next one, though it is still there.
    let mut spec = SandboxSpec::new(sandbox.conversation().unwrap());
    spec.mounts.push(Mount::same(world.path()));
    let next = world.provision(spec).await;
    assert_eq!(podman.containers(&world.settings.owner), [next.id()]);
    next.remove().await.unwrap();
    assert_eq!(podman.containers(&world.settings.owner), [""; 0]);
}

async fn check_pause(sandbox: &DockerSandbox) {
    sandbox.pause().await.unwrap();
    sandbox.pause().await.unwrap();
    assert_eq!(sandbox.state().await.unwrap(), SandboxState::Paused);
    sandbox.resume().await.unwrap();
    sandbox.resume().await.unwrap();
    assert_eq!(sandbox.state().await.unwrap(), SandboxState::Running);
}

/// One that ends at once is told with its last words, in whichever of Podman's states it is seen.
async fn check_end(podman: &Podman, world: &World) {
    let image = "localhost/openhands-test-broken:latest";
    let text = format!(
        "FROM {}\nENTRYPOINT [\"bash\", \"-c\", \"echo it is broken >&2; exit 7\"]\n",
        world.settings.image
    );
    let context = tempfile::tempdir().unwrap();
    let file = context.path().join("Dockerfile");
    fs::write(&file, text).unwrap();
    let context = context.path().display().to_string();
    podman.run(&["build", "-q", "--pull=never", "-t", image, &context]);
    for _ in 0..3 {
        let mut spec = world.spec();
        spec.image = Some(image.to_owned());
        let ended = world.docker.provision(spec, Progress::none()).await;
        let Err(DockerError::Ended { logs, .. }) = &ended else {
            panic!("{ended:?}");
        };
        assert_eq!(logs, &["it is broken"]);
    }
    podman.run(&["rmi", "-f", image]);
}

/// What was never started is removed, and what Podman refuses leaves nothing behind.
async fn check_leftovers(podman: &Podman, world: &World, image: &str) {
    let owner = &world.settings.owner;
    let before = podman.containers(owner);
    let label = format!("dev.openhands.owner={owner}");
    let never_started = podman.run(&["create", "--label", &label, image]);
    let mut leftovers = Leftovers::default();
    assert_eq!(leftovers.remove(&world.docker).await.unwrap(), [""; 0]);
    let removed = leftovers.remove(&world.docker).await.unwrap();
    assert_eq!(removed, [never_started]);
    let mut refused = SandboxSpec::new(ConversationId::random());
    refused.mounts.push(Mount {
        target: "/proc/1/nothing".into(),
        ..Mount::same(world.path())
    });
    let error = world.docker.provision(refused, Progress::none()).await;
    assert!(
        matches!(error, Err(DockerError::Engine { .. })),
        "{error:?}"
    );
    eventually("nothing else is left", async || {
        podman.containers(owner) == before
    })
    .await;
}
