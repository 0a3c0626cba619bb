use super::{deadly, is_dying, settle};

#[test]
fn stopping_and_window_signals_end_nothing() {
    let bit = |signal: u64| 1_u64 << (signal - 1);
    for signal in [1, 2, 9, 15, 13, 40] {
        assert_ne!(deadly() & bit(signal), 0, "{signal}");
    }
    for signal in [17, 18, 19, 20, 28] {
        assert_eq!(deadly() & bit(signal), 0, "{signal}");
    }
}

#[tokio::test]
async fn a_living_process_is_not_waited_for_and_a_killed_one_is() {
    let own = i32::try_from(std::process::id()).unwrap();
    assert!(!is_dying(own));
    assert!(!settle(&[own], true).await);

    let mut child = tokio::process::Command::new("sleep")
        .arg("100")
        .spawn()
        .unwrap();
    let pid = i32::try_from(child.id().unwrap()).unwrap();
    child.start_kill().unwrap();
    let reap = tokio::spawn(async move { child.wait().await.unwrap() });
    assert!(settle(&[pid], false).await);
    assert!(!std::fs::exists(format!("/proc/{pid}")).unwrap());
    reap.await.unwrap();
}
