use super::*;
use futures_util::FutureExt;

#[test]
fn a_file_has_one_name_however_it_is_spelt() {
    assert_eq!(
        Locks::file(Path::new("/a/b/../c/./d")),
        Locks::file(Path::new("/a/c/d"))
    );
    assert_eq!(
        Locks::tool("grep").keys().collect::<Vec<_>>(),
        ["tool:grep"]
    );
}

#[tokio::test]
async fn calls_on_one_file_wait_and_calls_on_two_files_do_not() {
    let locks = ResourceLocks::default();
    let first = locks.acquire(&Locks::file(Path::new("/a"))).await;
    assert!(
        locks
            .acquire(&Locks::file(Path::new("/a")))
            .now_or_never()
            .is_none()
    );
    assert!(
        locks
            .acquire(&Locks::file(Path::new("/b")))
            .now_or_never()
            .is_some()
    );
    assert!(locks.acquire(&Locks::none()).now_or_never().is_some());
    drop(first);
    assert!(
        locks
            .acquire(&Locks::file(Path::new("/a")))
            .now_or_never()
            .is_some()
    );
}

#[tokio::test]
async fn names_of_finished_calls_are_forgotten() {
    let locks = ResourceLocks::default();
    for number in 0..100 {
        drop(locks.acquire(&Locks::key(format!("k{number}"))).await);
    }
    assert!(locks.held.lock().len() <= 1);
}

#[tokio::test]
async fn calls_that_share_two_resources_never_deadlock() {
    let locks = Arc::new(ResourceLocks::default());
    let there = Locks::files([Path::new("/x"), Path::new("/y")]);
    let back = Locks::files([Path::new("/y"), Path::new("/x")]);
    let mut tasks = tokio::task::JoinSet::new();
    for round in 0..200 {
        let locks = Arc::clone(&locks);
        let wanted = if round % 2 == 0 {
            there.clone()
        } else {
            back.clone()
        };
        tasks.spawn(async move {
            let _guard = locks.acquire(&wanted).await;
            tokio::task::yield_now().await;
        });
    }
    let all = tokio::time::timeout(std::time::Duration::from_secs(20), tasks.join_all());
    all.await.expect("no deadlock");
}
