//! A real engine that is started again while a conversation works.
//!
//! The engine of the machine is everybody's, and a second one beside it would take its network away. So the test runs itself
//! once more in a network and with mounts of its own, and there with an engine of its own.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::docker::{docker, image, succeeds};
use crate::faults::{check_complete, results};
use crate::model::{Answer, runs};
use crate::world::{World, observed, read};

/// Where the engine of the test keeps everything, for the one who is inside.
const INSIDE: &str = "OPENHANDS_TEST_INSIDE";
/// The engine that has the image.
const OUTSIDE: &str = "OPENHANDS_TEST_OUTSIDE";

struct Engine {
    directory: PathBuf,
    process: Option<Child>,
}

impl Engine {
    fn start(&mut self) {
        let at = |name: &str| self.directory.join(name);
        let log = std::fs::File::options()
            .create(true)
            .append(true)
            .open(at("log"))
            .unwrap();
        let process = Command::new("dockerd")
            .arg("--data-root")
            .arg(at("data"))
            .arg("--exec-root")
            .arg(at("exec"))
            .arg("--pidfile")
            .arg(at("pid"))
            .arg("--host")
            .arg(format!("unix://{}", at("docker.sock").display()))
            // What the machine says of its own engine is not for this one.
            .arg("--config-file")
            .arg(at("settings.json"))
            .stdin(Stdio::null())
            .stdout(log.try_clone().unwrap())
            .stderr(log)
            .spawn();
        self.process = Some(process.unwrap());
    }

    fn wait_for(&self) {
        let began = Instant::now();
        while !succeeds(&["version"]) {
            let log = std::fs::read_to_string(self.directory.join("log")).unwrap();
            assert!(began.elapsed() < Duration::from_mins(1), "{log}");
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    fn end(&mut self, signal: &str) {
        let Some(mut process) = self.process.take() else {
            return;
        };
        let told = Command::new("kill")
            .args([signal, &process.id().to_string()])
            .status();
        assert!(told.unwrap().success());
        process.wait().unwrap();
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        if self.process.is_some() {
            self.end("-TERM");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_engine_that_is_started_again_costs_the_call_that_was_under_way_and_no_more() {
    if let Some(directory) = std::env::var_os(INSIDE) {
        return inside(Path::new(&directory)).await;
    }
    if image().is_none() {
        return;
    }
    if !rustix::process::geteuid().is_root() {
        eprintln!("skipped: not root");
        return;
    }
    let needed = ["dockerd", "unshare", "ip"];
    let is_missing = |program: &&str| Command::new(program).arg("--version").output().is_err();
    if let Some(missing) = needed.into_iter().find(is_missing) {
        let must = std::env::var_os("CI").is_some();
        assert!(
            !must,
            "there is no {missing}, and nothing may be skipped here"
        );
        eprintln!("skipped: no {missing}");
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("settings.json"), "{}").unwrap();
    let socket = directory.path().join("docker.sock");
    let engine = std::env::var("DOCKER_HOST").unwrap_or("unix:///var/run/docker.sock".to_owned());
    let name = "restarted_engine::an_engine_that_is_started_again_costs_the_call_that_was_under_way_and_no_more";
    let done = Command::new("unshare")
        // A process that is left over ends with the first one inside.
        .args([
            "--net",
            "--mount",
            "--pid",
            "--fork",
            "--kill-child",
            "--mount-proc",
            "sh",
            "-c",
        ])
        // The shell stays: as the first process it takes in what the engine leaves behind when it is killed.
        .arg("ip link set lo up && \"$@\"; exit $?")
        .arg("sh")
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", name, "--nocapture"])
        .env(INSIDE, directory.path())
        .env(OUTSIDE, engine)
        .env("DOCKER_HOST", format!("unix://{}", socket.display()))
        .output()
        .unwrap();
    let said = [done.stdout, done.stderr].map(|said| String::from_utf8_lossy(&said).into_owned());
    assert!(done.status.success(), "{}", said.concat());
    assert!(said[0].contains("1 passed"), "{}", said.concat());
}

async fn inside(directory: &Path) {
    let mut engine = Engine {
        directory: directory.to_owned(),
        process: None,
    };
    engine.start();
    engine.wait_for();
    let name = std::env::var("OPENHANDS_TEST_IMAGE");
    let name = name.unwrap_or_else(|_| "openhands-agent-server-rs:test".to_owned());
    let mut save = Command::new("docker")
        .args(["save", &name])
        .env("DOCKER_HOST", std::env::var_os(OUTSIDE).unwrap())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let load = Command::new("docker")
        .args(["load", "-q"])
        .stdin(save.stdout.take().unwrap())
        .status();
    assert!(save.wait().unwrap().success() && load.unwrap().success());
    let mut world = World::start().await.unwrap();
    let id = world.converse().await;
    world
        .act(&id, [runs("echo before"), Answer::Says("Done.")])
        .await;
    // Asked to end it ends its containers; killed it leaves them, and ends them when it is back.
    for (round, signal) in ["-TERM", "-KILL"].into_iter().enumerate() {
        check_restart(&world, &mut engine, &id, round, signal).await;
    }
    world.stop();
    assert!(world.containers().is_empty(), "{}", world.log());
    drop(world);
    assert_eq!(docker(&["ps", "-aq"]), "");
}

async fn check_restart(world: &World, engine: &mut Engine, id: &str, round: usize, signal: &str) {
    let file = |name: &str| world.project().join(format!("{name}{round}"));
    let before = world.events(id).await;
    let first = world.container();
    world
        .say(
            id,
            [
                runs(&format!("echo begun >> begun{round}; sleep 1000")),
                runs(&format!("echo again >> again{round}")),
                Answer::Says("Done."),
            ],
        )
        .await;
    world
        .until("the command runs", async || file("begun").exists())
        .await;
    let began = Instant::now();
    engine.end(signal);
    engine.start();
    let status = world.rest(id).await;
    let took = began.elapsed();
    engine.wait_for();
    let events = world.events(id).await;
    assert_eq!(status, "finished", "{events:#?}\n{}", world.log());
    assert!(took < Duration::from_mins(1), "{took:?}");
    // Nothing that was there is lost, every call has its result, and none ran twice.
    assert_eq!(events[..before.len()], before[..]);
    check_complete(&events);
    let said = results(&events[before.len()..]);
    assert!(
        said.contains("sandbox"),
        "the error says what happened: {said}"
    );
    assert_eq!(read(&file("begun")), "begun\n");
    assert_eq!(read(&file("again")), "again\n");
    assert_ne!(world.container(), first);
    let events = world
        .act(id, [runs("echo afterwards"), Answer::Says("Done.")])
        .await;
    assert!(observed(&events)[0].contains("afterwards"), "{events:#?}");
    assert_eq!(world.bash(id, "echo by the route").await, "by the route\n");
}
