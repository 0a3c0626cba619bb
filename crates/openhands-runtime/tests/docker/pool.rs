//! Containers that wait.

use std::fs;
use std::os::unix::fs::chown;
use std::time::{Duration, Instant};

use openhands_protocol::ConversationId;
use openhands_runtime::docker::{Mount, Progress, SandboxSpec, Step, WarmPool};
use pretty_assertions::assert_eq;

use crate::gate::{Does, Gate};
use crate::world::{World, ask, docker, eventually, exec, limits};

/// Whether directories can be shown to containers that run, here.
fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

async fn claim(
    pool: &WarmPool,
    spec: SandboxSpec,
) -> (openhands_runtime::docker::DockerSandbox, bool) {
    let (progress, mut steps) = Progress::channel();
    let sandbox = pool.claim(spec, progress).await.unwrap();
    let mut was_warm = false;
    while let Ok(step) = steps.try_recv() {
        was_warm |= matches!(step, Step::Ready { warm: true, .. });
    }
    (sandbox, was_warm)
}

/// By its name a container is found after a crash: one without its workspace must not have it.
#[tokio::test]
async fn a_container_without_its_workspace_never_has_the_name_of_a_conversation() {
    let Some(world) = World::with(|settings| settings.warm = 1).await else {
        return;
    };
    if !is_root() {
        return;
    }
    let pool = WarmPool::start(&world.docker);
    pool.filled(1).await;
    let mut spec = SandboxSpec::new(ConversationId::random());
    spec.mounts.push(Mount {
        // Nothing can be mounted there, neither now nor at the start of another one.
        target: "/proc/1/nothing".into(),
        ..Mount::same(world.path())
    });
    let (progress, _steps) = Progress::channel();
    pool.claim(spec, progress).await.unwrap_err();
    let owner = format!(
        "label=dev.openhands.owner={}",
        world.docker.settings().owner
    );
    let renamed = std::process::Command::new("docker")
        .args([
            "events",
            "--since",
            "60s",
            "--until",
            "0s",
            "--filter",
            "event=rename",
        ])
        .args(["--filter", &owner])
        .output()
        .unwrap();
    assert!(renamed.status.success(), "{renamed:?}");
    assert_eq!(String::from_utf8_lossy(&renamed.stdout), "");
    pool.close().await;
}

#[tokio::test]
async fn a_claim_gets_the_workspace_live_and_the_pool_fills_up_again() {
    let Some(world) = World::with(|settings| settings.warm = 2).await else {
        return;
    };
    if !is_root() {
        return;
    }
    let pool = WarmPool::start(&world.docker);
    pool.filled(2).await;
    let work = world.path().join("deep/work");
    let second = world.path().join("second");
    fs::create_dir_all(&work).unwrap();
    fs::create_dir_all(&second).unwrap();
    fs::write(work.join("before"), "outside").unwrap();
    let mut spec = SandboxSpec::new(ConversationId::random())
        .with_directory(&work)
        .with_directory(&second);
    spec.env.push(("LATE".to_owned(), "1".to_owned()));
    let conversation = spec.conversation;
    let (sandbox, was_warm) = claim(&pool, spec).await;
    assert!(was_warm);
    assert_eq!(sandbox.conversation(), Some(conversation));
    assert_eq!(sandbox.late_env(), [("LATE".to_owned(), "1".to_owned())]);
    let at = work.display();
    assert_eq!(
        exec(
            &sandbox,
            &format!("cat {at}/before; echo inside >{at}/made")
        ),
        "outside"
    );
    assert_eq!(fs::read_to_string(work.join("made")).unwrap(), "inside\n");
    fs::write(work.join("after"), "later").unwrap();
    assert_eq!(
        exec(
            &sandbox,
            &format!("cat {at}/after; ls {}/..", second.display())
        ),
        "laterdeep\nsecond"
    );
    pool.filled(2).await;

    // A server that is started again finds it by its name.
    let id = sandbox.id().to_owned();
    drop(sandbox);
    let found = world
        .again()
        .await
        .find(conversation)
        .await
        .unwrap()
        .unwrap();
    assert_eq!(found.id(), id);
    pool.close().await;
    eventually("only the claimed one is left", async || {
        world.containers() == [id.clone()]
    })
    .await;
}

#[tokio::test]
async fn a_claimed_one_that_was_started_again_has_lost_its_workspace_and_is_replaced() {
    let Some(world) = World::with(|settings| settings.warm = 1).await else {
        return;
    };
    if !is_root() {
        return;
    }
    let pool = WarmPool::start(&world.docker);
    pool.filled(1).await;
    let spec = world.spec();
    let (first, was_warm) = claim(&pool, spec.clone()).await;
    assert!(was_warm);
    pool.close().await;
    docker(&["restart", "-t", "5", first.id()]);
    let found = world.docker.find(spec.conversation).await.unwrap();
    assert!(found.is_none(), "{found:?}");
    fs::write(world.path().join("there"), "there").unwrap();
    let at = world.path().display().to_string();
    let second = world.provision(spec).await;
    assert_ne!(second.id(), first.id());
    assert_eq!(exec(&second, &format!("cat {at}/there")), "there");
    assert_eq!(world.containers(), [second.id()]);
}

/// Whoever wanted it may go away at any moment: nobody else would take it then.
#[tokio::test]
async fn one_whose_claim_is_given_up_is_removed() {
    let gate = Gate::open("/rename");
    let address = gate.address();
    let world = World::with(|settings| {
        settings.host = Some(address);
        settings.warm = 1;
    });
    let Some(world) = world.await else {
        return;
    };
    if !is_root() {
        return;
    }
    let pool = WarmPool::start(&world.docker);
    pool.filled(1).await;
    let [waits] = world.containers().try_into().unwrap();
    gate.set(Does::Hold);
    tokio::select! {
        claimed = pool.claim(world.spec(), Progress::none()) => panic!("too early: {claimed:?}"),
        () = gate.met(1) => {}
    }
    let began = Instant::now();
    eventually("it is removed", async || {
        !world.containers().contains(&waits)
    })
    .await;
    // It would end by itself, much later.
    assert!(began.elapsed() < Duration::from_secs(15));
    gate.cut();
    gate.set(Does::Pass);
    pool.close().await;
}

#[tokio::test]
async fn limits_are_set_at_the_claim() {
    let Some(world) = World::with(|settings| {
        settings.warm = 1;
        settings.memory = Some(512 << 20);
    })
    .await
    else {
        return;
    };
    if !is_root() {
        return;
    }
    let pool = WarmPool::start(&world.docker);
    // More than the others have, and less.
    for (memory, cpus) in [(700 << 20, Some(0.5)), (300 << 20, None)] {
        pool.filled(1).await;
        let mut spec = world.spec();
        spec.memory = Some(memory);
        spec.cpus = cpus;
        let (sandbox, was_warm) = claim(&pool, spec).await;
        assert!(was_warm);
        let [set, share, pids] = limits(&sandbox);
        assert_eq!((set, pids), (memory.to_string(), "4096".to_owned()));
        let share = share.split(' ').next();
        assert_eq!(share == Some("50000"), cpus.is_some(), "{share:?}");
        assert_eq!(ask(&sandbox, "/health", None).await, 200);
    }
    pool.close().await;
}

#[tokio::test]
async fn the_next_ones_wait_for_the_user_of_whom_none_waited() {
    let Some(world) = World::with(|settings| settings.warm = 1).await else {
        return;
    };
    if !is_root() {
        return;
    }
    let pool = WarmPool::start(&world.docker);
    pool.filled(1).await;
    let theirs = world.path().join("theirs");
    fs::create_dir(&theirs).unwrap();
    chown(&theirs, Some(4321), Some(4321)).unwrap();
    let spec = || SandboxSpec::new(ConversationId::random()).with_directory(&theirs);
    let (first, was_warm) = claim(&pool, spec()).await;
    assert!(!was_warm, "root's waited");
    assert_eq!(exec(&first, "id -u"), "4321");
    pool.filled(1).await;
    let (second, was_warm) = claim(&pool, spec()).await;
    assert!(was_warm);
    let at = theirs.display();
    assert_eq!(
        exec(
            &second,
            &format!("id -u; echo made >{at}/made; stat -c %u {at}/made")
        ),
        "4321\n4321"
    );
    pool.close().await;
    let mut wanted = [first.id().to_owned(), second.id().to_owned()];
    wanted.sort();
    eventually("root's is gone", async || {
        let mut left = world.containers();
        left.sort();
        left == wanted
    })
    .await;
}

#[tokio::test]
async fn a_claim_that_wants_another_image_gets_a_container_of_its_own() {
    let Some(world) = World::with(|settings| settings.warm = 1).await else {
        return;
    };
    if !is_root() {
        return;
    }
    let pool = WarmPool::start(&world.docker);
    pool.filled(1).await;
    let other = format!("openhands-test-other:{}", std::process::id());
    docker(&["tag", &world.settings.image, &other]);
    let mut spec = world.spec();
    spec.image = Some(other.clone());
    let (sandbox, was_warm) = claim(&pool, spec).await;
    docker(&["rmi", &other]);
    assert!(!was_warm);
    assert_eq!(ask(&sandbox, "/health", None).await, 200);
    assert_eq!(pool.waiting(), 1);
    pool.close().await;
}

#[tokio::test]
async fn one_that_died_while_it_waited_is_not_given_away() {
    let Some(world) = World::with(|settings| settings.warm = 1).await else {
        return;
    };
    if !is_root() {
        return;
    }
    let pool = WarmPool::start(&world.docker);
    pool.filled(1).await;
    for id in world.containers() {
        docker(&["kill", &id]);
    }
    let (sandbox, was_warm) = claim(&pool, world.spec()).await;
    assert!(!was_warm);
    assert_eq!(ask(&sandbox, "/health", None).await, 200);
    pool.close().await;
}
