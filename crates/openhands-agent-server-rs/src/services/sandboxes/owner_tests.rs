use super::of;

#[tokio::test]
async fn a_server_keeps_its_name() {
    let directory = tempfile::tempdir().unwrap();
    let conversations = directory.path().join("conversations");
    let name = of(&conversations).await.unwrap();
    assert_eq!(of(&conversations).await.unwrap(), name);
    let other = tempfile::tempdir().unwrap();
    assert_ne!(of(other.path()).await.unwrap(), name);
}
