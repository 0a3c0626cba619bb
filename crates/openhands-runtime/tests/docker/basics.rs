//! What a container is for: a server that answers, files, ports, and an end.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, chown};

use openhands_protocol::ConversationId;
use openhands_runtime::docker::{Mount, Progress, SandboxSpec, SandboxState, Step};
use pretty_assertions::assert_eq;

use crate::world::{
    World, ask, ask_url, docker, eventually, exec, has_control_groups, inspect, is_gone,
    is_rootless,
};

#[tokio::test]
async fn a_container_comes_up_with_a_server_that_wants_its_key() {
    let Some(world) = World::new().await else {
        return;
    };
    let (progress, mut steps) = Progress::channel();
    let spec = world.spec();
    let conversation = spec.conversation;
    let sandbox = world.docker.provision(spec, progress).await.unwrap();
    let mut told = Vec::new();
    while let Ok(step) = steps.try_recv() {
        told.push(step);
    }
    let url = sandbox.endpoint().url;
    assert_eq!(
        told,
        [
            Step::Creating,
            Step::Starting,
            Step::WaitingForHealth,
            Step::Ready { url, warm: false },
        ]
    );
    let key = sandbox.endpoint().key;
    assert_eq!(ask(&sandbox, "/health", None).await, 200);
    assert_eq!(ask(&sandbox, "/api/settings", None).await, 401);
    assert_eq!(ask(&sandbox, "/api/settings", key.expose()).await, 200);
    let labels = inspect(
        &sandbox,
        r#"{{index .Config.Labels "dev.openhands.owner"}} {{index .Config.Labels "dev.openhands.conversation"}}"#,
    );
    assert_eq!(
        labels,
        format!("{} {}", world.settings.owner, conversation.hex())
    );
    assert!(
        sandbox
            .logs()
            .iter()
            .any(|line| line.contains("listening on")),
        "{:?}",
        sandbox.logs()
    );
}

#[tokio::test]
async fn the_workspace_has_the_same_path_and_owner_on_both_sides() {
    let Some(world) = World::new().await else {
        return;
    };
    let work = world.path().join("work");
    let shown = world.path().join("shown");
    fs::create_dir(&work).unwrap();
    fs::create_dir(&shown).unwrap();
    fs::write(shown.join("a"), "from outside").unwrap();
    if rustix::process::geteuid().is_root() {
        chown(&work, Some(4321), Some(4322)).unwrap();
        // A directory that others cannot enter hides what is below it.
        fs::set_permissions(
            world.path(),
            std::os::unix::fs::PermissionsExt::from_mode(0o755),
        )
        .unwrap();
    }
    let mut spec = SandboxSpec::new(ConversationId::random()).with_directory(&work);
    spec.mounts.push(Mount {
        source: shown.clone(),
        target: "/shown".into(),
        read_only: true,
    });
    let sandbox = world.provision(spec).await;
    let owner = fs::metadata(&work).unwrap();
    let inside = if is_rootless() {
        "0\n0".to_owned()
    } else {
        format!("{}\n{}", owner.uid(), owner.gid())
    };
    assert_eq!(exec(&sandbox, "id -u; id -g"), inside);
    exec(
        &sandbox,
        &format!("echo inside >{}/made; touch ~/home", work.display()),
    );
    let made = fs::metadata(work.join("made")).unwrap();
    assert_eq!((made.uid(), made.gid()), (owner.uid(), owner.gid()));
    assert_eq!(fs::read_to_string(work.join("made")).unwrap(), "inside\n");
    assert_eq!(
        exec(
            &sandbox,
            "cat /shown/a; touch /shown/b 2>/dev/null || echo no"
        ),
        "from outsideno"
    );
}

#[tokio::test]
async fn variables_reach_the_container() {
    let Some(world) = World::with(|settings| {
        settings
            .env
            .push(("FROM_SETTINGS".to_owned(), "1 2".to_owned()));
    })
    .await
    else {
        return;
    };
    let mut spec = world.spec();
    spec.env.push(("FROM_SPEC".to_owned(), "a=b".to_owned()));
    let sandbox = world.provision(spec).await;
    assert_eq!(
        exec(&sandbox, "echo $FROM_SETTINGS; echo $FROM_SPEC"),
        "1 2\na=b"
    );
    assert!(sandbox.late_env().is_empty());
}

#[tokio::test]
async fn what_an_agent_serves_is_reached_from_outside() {
    let Some(world) = World::new().await else {
        return;
    };
    let sandbox = world.provision(world.spec()).await;
    let ports = sandbox.ports().clone();
    for (inside, outside) in [(8011, ports.app1), (8012, ports.app2), (8001, ports.vscode)] {
        let serve = format!(
            "cd $(mktemp -d) && HOME=$PWD exec openhands-agent-server --host 0.0.0.0 --port {inside} >/dev/null 2>&1"
        );
        docker(&["exec", "-d", sandbox.id(), "bash", "-c", &serve]);
        let url = format!("http://{}:{outside}/health", ports.host);
        eventually("the app answers", async || {
            ask_url(&url, None).await == Some(200)
        })
        .await;
    }
}

#[tokio::test]
async fn in_the_network_of_the_machine_each_has_ports_of_its_own() {
    let Some(world) = World::with(|settings| settings.network = Some("host".to_owned())).await
    else {
        return;
    };
    if is_rootless() {
        eprintln!("skipped: the network of a rootless engine is not this one");
        return;
    }
    let [first, second] = [world.spec(), world.spec()];
    let conversation = first.conversation;
    let first = world.provision(first).await;
    let second = world.provision(second).await;
    assert_ne!(first.ports().server, second.ports().server);
    for sandbox in [&first, &second] {
        assert_eq!(inspect(sandbox, "{{.HostConfig.NetworkMode}}"), "host");
        assert_eq!(ask(sandbox, "/health", None).await, 200);
        assert_eq!(ask(sandbox, "/api/settings", None).await, 401);
    }
    // A server that is started again finds it where it is.
    let found = world.again().await.find(conversation).await.unwrap();
    assert_eq!(found.unwrap().ports(), first.ports());
}

#[tokio::test]
async fn it_is_paused_resumed_stopped_and_removed() {
    let Some(world) = World::new().await else {
        return;
    };
    if !has_control_groups() {
        return;
    }
    let sandbox = world.provision(world.spec()).await;
    assert_eq!(sandbox.state().await.unwrap(), SandboxState::Running);
    sandbox.pause().await.unwrap();
    sandbox.pause().await.unwrap();
    assert_eq!(sandbox.state().await.unwrap(), SandboxState::Paused);
    sandbox.resume().await.unwrap();
    sandbox.resume().await.unwrap();
    assert_eq!(sandbox.state().await.unwrap(), SandboxState::Running);
    assert_eq!(ask(&sandbox, "/health", None).await, 200);
    sandbox.pause().await.unwrap();
    sandbox.stop().await.unwrap();
    assert_eq!(sandbox.state().await.unwrap(), SandboxState::Gone);
    sandbox.remove().await.unwrap();
    let second = world.provision(world.spec()).await;
    second.remove().await.unwrap();
    assert_eq!(second.state().await.unwrap(), SandboxState::Gone);
    assert_eq!(world.containers(), Vec::<String>::new());
}

#[tokio::test]
async fn files_are_copied_in_and_out() {
    let Some(world) = World::new().await else {
        return;
    };
    let sandbox = world.provision(world.spec()).await;
    let tree = TempTree::new();
    sandbox.copy_in(&tree.path, "/tmp".as_ref()).await.unwrap();
    assert_eq!(
        exec(
            &sandbox,
            "cat /tmp/tree/deep/file; readlink /tmp/tree/link; stat -c %a /tmp/tree/run"
        ),
        "content\ndeep/file\n755"
    );
    exec(&sandbox, "echo more >>/tmp/tree/deep/file");
    let back = tempfile::tempdir().unwrap();
    sandbox
        .copy_out("/tmp/tree".as_ref(), back.path())
        .await
        .unwrap();
    assert_eq!(
        fs::read_to_string(back.path().join("tree/link")).unwrap(),
        "content\nmore\n"
    );
    let error = sandbox
        .copy_out("/tmp/none".as_ref(), back.path())
        .await
        .unwrap_err();
    assert!(error.to_string().contains("/tmp/none"), "{error}");
}

struct TempTree {
    path: std::path::PathBuf,
    _dir: tempfile::TempDir,
}

impl TempTree {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("tree");
        fs::create_dir_all(path.join("deep")).unwrap();
        fs::write(path.join("deep/file"), "content\n").unwrap();
        fs::write(path.join("run"), "#!/bin/sh\n").unwrap();
        fs::set_permissions(
            path.join("run"),
            std::os::unix::fs::PermissionsExt::from_mode(0o755),
        )
        .unwrap();
        std::os::unix::fs::symlink("deep/file", path.join("link")).unwrap();
        Self { path, _dir: dir }
    }
}

#[tokio::test]
async fn twenty_come_up_at_once() {
    let Some(world) = World::new().await else {
        return;
    };
    let started = (0..20).map(|_| world.docker.provision(world.spec(), Progress::none()));
    let sandboxes = futures_util::future::try_join_all(started).await.unwrap();
    let mut ports: Vec<_> = sandboxes
        .iter()
        .map(|sandbox| sandbox.ports().server)
        .collect();
    ports.sort_unstable();
    ports.dedup();
    assert_eq!(ports.len(), 20);
    for sandbox in &sandboxes {
        assert_eq!(ask(sandbox, "/health", None).await, 200);
    }
    let removed = sandboxes
        .iter()
        .map(openhands_runtime::docker::DockerSandbox::remove);
    futures_util::future::try_join_all(removed).await.unwrap();
    for sandbox in &sandboxes {
        assert!(is_gone(sandbox).await);
    }
}
