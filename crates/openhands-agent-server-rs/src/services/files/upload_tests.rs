use std::sync::Arc;

use super::*;

#[tokio::test]
async fn pieces_of_any_size_are_stored_in_their_order() {
    let directory = tempfile::tempdir().unwrap();
    let target = directory.path().join("f");
    // Small and large ones between each other, more than wait for the disk; some are empty.
    let pieces: Vec<Bytes> = (0..1_000_usize)
        .map(|number| vec![number.to_le_bytes()[0]; number * number % 40_000].into())
        .collect();
    for pieces in [&pieces[..], &pieces[..10], &[Bytes::new()], &[]] {
        let mut upload = Upload::begin(target.clone(), None);
        for piece in pieces {
            upload.write(piece.clone()).await.unwrap();
        }
        let expected = pieces.concat();
        assert_eq!(upload.finish().await.unwrap(), expected.len() as u64);
        assert!(std::fs::read(&target).unwrap() == expected);
    }
}

#[tokio::test]
async fn an_upload_above_the_limit_leaves_what_was_there() {
    let directory = tempfile::tempdir().unwrap();
    let target = directory.path().join("f");
    std::fs::write(&target, "old").unwrap();
    let mut upload = Upload::begin(target.clone(), Some(2 * BATCH_BYTES as u64));
    let piece = Bytes::from(vec![b'x'; BATCH_BYTES]);
    upload.write(piece.clone()).await.unwrap();
    upload.write(piece.clone()).await.unwrap();
    let refused = upload.write(piece).await.unwrap_err();
    assert!(matches!(refused, FileError::TooLarge { .. }));
    let writing = upload.writing.take().unwrap().task;
    drop(upload);
    writing.await.unwrap().unwrap_err();
    assert_eq!(std::fs::read(&target).unwrap(), b"old");
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 1);
}

/// Memory in which a piece is only a small part.
struct Buffer {
    _held: Arc<()>,
}

impl AsRef<[u8]> for Buffer {
    fn as_ref(&self) -> &[u8] {
        const BYTES: [u8; 16 << 10] = [b'x'; 16 << 10];
        &BYTES
    }
}

#[tokio::test]
async fn a_small_piece_does_not_keep_the_memory_that_it_came_in() {
    let directory = tempfile::tempdir().unwrap();
    let held = Arc::new(());
    let mut upload = Upload::begin(directory.path().join("f"), None);
    for _ in 0..100 {
        let buffer = Bytes::from_owner(Buffer {
            _held: Arc::clone(&held),
        });
        upload.write(buffer.slice(..10)).await.unwrap();
    }
    assert_eq!(Arc::strong_count(&held), 1);
    assert_eq!(upload.finish().await.unwrap(), 1_000);
}
