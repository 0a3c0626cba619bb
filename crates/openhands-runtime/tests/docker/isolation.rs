//! What a container may not do, and how much of the machine it gets.

use pretty_assertions::assert_eq;

use crate::world::{World, exec, has_control_groups, limits};

#[tokio::test]
async fn limits_are_those_of_its_control_group() {
    let Some(world) = World::with(|settings| {
        settings.memory = Some(512 << 20);
        settings.cpus = Some(1.0);
        settings.pids = Some(200);
    })
    .await
    else {
        return;
    };
    if !has_control_groups() {
        return;
    }
    let mut spec = world.spec();
    spec.memory = Some(256 << 20);
    spec.cpus = Some(0.5);
    let sandbox = world.provision(spec).await;
    let memory = (256 << 20).to_string();
    assert_eq!(limits(&sandbox), [&memory, "50000 100000", "200"]);
    assert_eq!(exec(&sandbox, "ulimit -c"), "0");
}

#[tokio::test]
async fn it_has_no_capabilities_and_gets_none() {
    let Some(world) = World::new().await else {
        return;
    };
    let sandbox = world.provision(world.spec()).await;
    let status = exec(
        &sandbox,
        "grep -E '^(CapEff|CapPrm|CapBnd|NoNewPrivs)' /proc/1/status | tr -d '\\t'",
    );
    let none = "0000000000000000";
    assert_eq!(
        status,
        format!("CapPrm:{none}\nCapEff:{none}\nCapBnd:{none}\nNoNewPrivs:1")
    );
    assert_eq!(
        exec(&sandbox, "mount -t tmpfs none /mnt 2>/dev/null || echo no"),
        "no"
    );
}

#[tokio::test]
async fn with_a_read_only_root_only_mounts_and_tmp_are_written() {
    let Some(world) = World::with(|settings| settings.read_only = true).await else {
        return;
    };
    let sandbox = world.provision(world.spec()).await;
    let here = world.path().display();
    assert_eq!(
        exec(
            &sandbox,
            &format!("touch /etc/x 2>/dev/null || echo no; touch {here}/x /tmp/x ~/y && echo yes")
        ),
        "no\nyes"
    );
    assert!(world.path().join("x").exists());
}

#[tokio::test]
async fn keys_of_two_containers_differ() {
    let Some(world) = World::new().await else {
        return;
    };
    let first = world.provision(world.spec()).await;
    let second = world.provision(world.spec()).await;
    assert_ne!(first.endpoint().key, second.endpoint().key);
    let debug = format!("{first:?} {:?}", first.endpoint());
    assert!(
        !debug.contains(first.endpoint().key.expose().unwrap()),
        "{debug}"
    );
}
