use super::*;
use std::os::unix::fs::MetadataExt as _;

#[tokio::test]
async fn only_the_owner_can_reach_a_kernel_and_nothing_is_left() {
    let root = tempfile::tempdir().unwrap();
    let connection = Connection::make(root.path().to_owned(), None)
        .await
        .unwrap();
    let folder = connection.file().parent().unwrap().to_owned();
    assert_eq!(folder.metadata().unwrap().mode() & 0o777, 0o700);
    assert_eq!(connection.file().metadata().unwrap().mode() & 0o777, 0o600);
    let other = Connection::make(root.path().to_owned(), None)
        .await
        .unwrap();
    assert_ne!(connection.info().key, other.info().key);
    assert_eq!(connection.info().key.len(), 2 * KEY_BYTES);
    drop((connection, other));
    assert_eq!(root.path().read_dir().unwrap().count(), 0);
}

#[tokio::test]
async fn a_root_that_is_not_there_is_an_error() {
    let error = Connection::make("/does/not/exist".into(), None)
        .await
        .unwrap_err();
    assert!(matches!(error, IPythonError::Folder(_)), "{error}");
}
