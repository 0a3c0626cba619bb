//! Images that are built because the engine does not have them.

use std::fs;

use openhands_runtime::docker::{DockerError, Progress, Step};
use pretty_assertions::assert_eq;

use crate::world::{World, docker, exec};

/// A world whose image is built of a Dockerfile; it is removed at the end.
struct Built(World);

impl Built {
    async fn of(name: &str, dockerfile: impl FnOnce(&str) -> String) -> Option<Self> {
        let tag = format!("openhands-test-{name}:{}", std::process::id());
        let context = tempfile::tempdir().unwrap().keep();
        let world = World::with(|settings| {
            fs::write(context.join("Dockerfile"), dockerfile(&settings.image)).unwrap();
            settings.image = tag;
            settings.build = Some(context);
        });
        world.await.map(Self)
    }
}

impl Drop for Built {
    fn drop(&mut self) {
        for container in self.0.containers() {
            docker(&["rm", "-f", &container]);
        }
        docker(&["rmi", "-f", &self.0.settings.image]);
        let context = self.0.settings.build.clone().unwrap();
        fs::remove_dir_all(context).unwrap();
    }
}

#[tokio::test]
async fn a_missing_image_is_built_once_with_its_steps_told() {
    let built = Built::of("built", |image| {
        format!("FROM {image}\nCOPY hello.txt /hello.txt\nLABEL made=here\n")
    });
    let Some(built) = built.await else { return };
    let world = &built.0;
    let context = world.settings.build.as_ref().unwrap();
    fs::write(context.join("hello.txt"), "from the context").unwrap();
    // Two at once: the second waits for what the first builds.
    let (first_progress, mut first_steps) = Progress::channel();
    let (second_progress, mut second_steps) = Progress::channel();
    let (first, second) = tokio::join!(
        world.docker.provision(world.spec(), first_progress),
        world.docker.provision(world.spec(), second_progress),
    );
    for sandbox in [first.unwrap(), second.unwrap()] {
        assert_eq!(exec(&sandbox, "cat /hello.txt"), "from the context");
    }
    let mut told = Vec::new();
    for steps in [&mut first_steps, &mut second_steps] {
        while let Ok(step) = steps.try_recv() {
            if let Step::Building { done, total, .. } = step {
                told.push((done, total));
            }
        }
    }
    assert_eq!(told, [(0, 3), (1, 3), (2, 3)]);
}

#[tokio::test]
async fn a_build_that_fails_says_why() {
    let Some(built) = Built::of("unbuilt", |_| {
        "FROM scratch\nCOPY missing.txt /\n".to_owned()
    })
    .await
    else {
        return;
    };
    let world = &built.0;
    let provisioned = world.docker.provision(world.spec(), Progress::none()).await;
    let error = provisioned.unwrap_err();
    assert!(matches!(error, DockerError::Build { .. }), "{error:?}");
    let text = error.to_string();
    for word in [
        world.settings.image.as_str(),
        "COPY missing.txt",
        "missing.txt",
    ] {
        assert!(text.contains(word), "{text}");
    }
    assert_eq!(world.containers(), Vec::<String>::new());
}
