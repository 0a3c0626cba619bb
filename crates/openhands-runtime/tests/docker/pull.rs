//! Images that are pulled because the engine does not have them, from a real registry.

use std::sync::{Arc, Mutex};

use openhands_runtime::docker::{Progress, Step};
use pretty_assertions::assert_eq;

use crate::registry::Registry;
use crate::world::{World, ask, docker};

#[tokio::test]
async fn a_missing_image_is_pulled_with_its_progress_told() {
    let Some(whole) = World::new().await else {
        return;
    };
    let Some(registry) = Registry::start().await else {
        return;
    };
    let pulled = registry.publish(&whole.settings.image, "pulled");
    let image = pulled.0.as_str();
    let is_here = || docker(&["image", "inspect", image]).0;
    assert!(!is_here());
    let world = World::with(|settings| {
        image.clone_into(&mut settings.image);
        // It has no directory of its own for what the server writes.
        settings.read_only = true;
    });
    let world = world.await.unwrap();
    let told = Arc::new(Mutex::new(Vec::new()));
    let heard = Arc::clone(&told);
    let progress = Progress::to(move |step| heard.lock().unwrap().push(step));
    let sandbox = world
        .docker
        .provision(world.spec(), progress)
        .await
        .unwrap();
    assert!(is_here());
    let key = sandbox.endpoint().key;
    assert_eq!(ask(&sandbox, "/health", None).await, 200);
    assert_eq!(ask(&sandbox, "/api/settings", key.expose()).await, 200);

    let told = std::mem::take(&mut *told.lock().unwrap());
    let mut counts = Vec::new();
    for step in &told {
        if let Step::Pulling {
            image,
            done,
            total,
            status,
        } = step
        {
            assert_eq!(image, &pulled.0);
            assert!(!status.is_empty(), "{told:#?}");
            assert!(done <= total, "{told:#?}");
            counts.push((*done, *total));
        }
    }
    // It begins with nothing, goes on in steps, and everything has come in the end.
    assert_eq!(counts.first(), Some(&(0, 0)));
    let (done, total) = *counts.last().unwrap();
    assert_eq!(done, total);
    assert!(total > 1 << 20, "the program alone is larger: {total}");
    let is_between = |(done, total): &(u64, u64)| *done > 0 && done < total;
    assert!(counts.iter().any(is_between), "{counts:?}");
    let after: Vec<_> = told.iter().skip(counts.len()).cloned().collect();
    let url = sandbox.endpoint().url;
    assert_eq!(
        after,
        [
            Step::Creating,
            Step::Starting,
            Step::WaitingForHealth,
            Step::Ready { url, warm: false },
        ]
    );
    // The next one finds it.
    let (progress, mut steps) = Progress::channel();
    world
        .docker
        .provision(world.spec(), progress)
        .await
        .unwrap();
    assert_eq!(steps.recv().await, Some(Step::Creating));
}
