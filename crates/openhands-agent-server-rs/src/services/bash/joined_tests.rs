use openhands_protocol::BashEventId;
use proptest::prelude::*;

use super::super::rooms::Room;
use super::super::written::LARGE;
use super::*;

/// An event, with its file if there is a directory for it.
fn stored(order: i64, texts: (Option<&str>, Option<&str>), directory: Option<&Path>) -> Stored {
    let (stdout, stderr) = texts;
    let text = serde_json::json!({
        "kind": "BashOutput", "command_id": BashEventId::random(), "order": order,
        "stdout": stdout, "stderr": stderr,
    });
    let mut output: BashOutput = serde_json::from_value(text).unwrap();
    let (written, _) = Written::new(&mut output, Room::default()).unwrap();
    let file = directory.filter(|_| written.json.len() >= LARGE);
    let file = file.map(|directory| {
        let path = directory.join("event");
        std::fs::write(&path, &written.json).unwrap();
        let file = File::open(&path).unwrap();
        // Who clears the events does not spoil an answer.
        std::fs::remove_file(path).unwrap();
        file
    });
    Stored {
        output,
        written,
        file,
    }
}

async fn joined(directory: &Path, events: &[(Option<&str>, Option<&str>)]) -> BashOutput {
    let mut joined = Joined::new(directory);
    for (order, texts) in (0..).zip(events) {
        joined = joined.push(stored(order, *texts, None)).await.unwrap();
    }
    joined.into_answer().unwrap().into_output().await
}

#[tokio::test]
async fn a_stream_without_text_is_null() {
    let directory = tempfile::tempdir().unwrap();
    let all = joined(directory.path(), &[(None, Some("e")), (None, None)]).await;
    assert_eq!(
        (all.stdout, all.stderr, all.order),
        (None, Some("e".to_owned()), 1)
    );
}

#[tokio::test]
async fn large_output_is_read_from_the_files_of_its_events() {
    let directory = tempfile::tempdir().unwrap();
    let line = "\"ü\\\n\u{1}".repeat(60_000);
    let mut all = Joined::new(directory.path());
    for order in 0..100 {
        let event = stored(
            order,
            (Some(line.as_str()), Some("x")),
            Some(directory.path()),
        );
        all = all.push(event).await.unwrap();
    }
    assert_eq!(all.files.available_permits(), 0);
    assert!(all.spool.length > 0, "more than files may be open");
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0);
    let all = all.into_answer().unwrap().into_output().await;
    assert_eq!(all.stdout.unwrap(), line.repeat(100));
    assert_eq!(all.stderr.unwrap(), "x".repeat(100));
}

#[tokio::test]
async fn much_in_small_pieces_goes_through_a_file_without_a_name() {
    let directory = tempfile::tempdir().unwrap();
    let line = "\"ü\\\n\u{1}".repeat(4_000);
    let mut all = Joined::new(directory.path());
    for order in 0..100 {
        let texts = (Some(line.as_str()), (order % 2 == 0).then_some("x"));
        let event = stored(order, texts, Some(directory.path()));
        all = all.push(event).await.unwrap();
    }
    assert_eq!(all.files.available_permits(), MAX_OPEN_FILES);
    assert!(all.spool.length > 0);
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0);
    let all = all.into_answer().unwrap().into_output().await;
    assert_eq!(all.stdout.unwrap(), line.repeat(100));
    assert_eq!(all.stderr.unwrap(), "x".repeat(50));
}

#[tokio::test]
async fn where_there_is_no_file_it_stays_in_memory() {
    let line = "y".repeat(300_000);
    let events = vec![(Some(line.as_str()), None); 10];
    let all = joined(Path::new("/nonexistent"), &events).await;
    assert_eq!(all.stdout.unwrap().len(), 3_000_000);
}

proptest! {
    #[test]
    fn every_text_comes_back(pieces in prop::collection::vec(("\\PC{0,20}", any::<Option<char>>()), 1..5)) {
        let directory = tempfile::tempdir().unwrap();
        let errors: Vec<_> = pieces.iter().map(|(_, c)| c.map(String::from)).collect();
        let events: Vec<_> = pieces.iter().zip(&errors).map(|((out, _), err)| (Some(out.as_str()), err.as_deref())).collect();
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let all = runtime.block_on(joined(directory.path(), &events));
        let out: String = pieces.iter().map(|(out, _)| out.as_str()).collect();
        let err: String = errors.iter().flatten().map(String::as_str).collect();
        prop_assert_eq!(all.stdout.unwrap_or_default(), out);
        prop_assert_eq!(all.stderr.unwrap_or_default(), err);
    }
}
