use super::*;

#[test]
fn every_limit_can_be_measured() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("file");
    std::fs::write(&file, "line\n".repeat(100_000)).unwrap();
    assert!(spawn().unwrap() > Duration::ZERO);
    assert!(spawn_rate(2, 4).unwrap() > 0.0);
    assert_eq!(pipe_round_trips(3).unwrap().len(), 3);
    assert!(bare_shells(2).unwrap() > 0);
    assert!(pipe(&file).unwrap() > Duration::ZERO);
    assert!(terminal(&file).unwrap() > Duration::ZERO);
    let copied = directory.path().join("copied");
    copy(&file, &copied).unwrap();
    assert_eq!(std::fs::read(copied).unwrap(), std::fs::read(file).unwrap());
}

#[tokio::test(flavor = "multi_thread")]
async fn sends_to_more_subscribers_take_more_processor_time() {
    let few = sends(1, 50).await.unwrap();
    let many = sends(49, 50).await.unwrap();
    assert!(few > Duration::ZERO && many > few, "{few:?} and {many:?}");
}
