use openhands_protocol::BashEventId;
use openhands_protocol::bash::BashEvent;
use proptest::prelude::*;

use super::*;

fn output(order: i64, stdout: Option<&str>, stderr: Option<&str>) -> (BashOutput, Bytes) {
    let text = serde_json::json!({
        "kind": "BashOutput", "command_id": BashEventId::random(), "order": order,
        "stdout": stdout, "stderr": stderr,
    });
    let output: BashOutput = serde_json::from_value(text).unwrap();
    let json = Form::REST.to_vec(&BashEvent::from(output.clone())).unwrap();
    (output, json.into())
}

async fn joined(directory: &Path, events: &[(Option<&str>, Option<&str>)]) -> BashOutput {
    let mut joined = Joined::new(directory);
    for (order, (stdout, stderr)) in (0..).zip(events) {
        let (event, json) = output(order, *stdout, *stderr);
        joined = joined.push(event, json).await.unwrap();
    }
    joined.into_output().await
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
async fn large_output_goes_through_a_file_without_a_name() {
    let directory = tempfile::tempdir().unwrap();
    let line = "\"ü\\\n\u{1}".repeat(40_000);
    let events = vec![(Some(line.as_str()), Some("x")); 30];
    let mut all = Joined::new(directory.path());
    for (order, (stdout, stderr)) in (0..).zip(&events) {
        let (event, json) = output(order, *stdout, *stderr);
        all = all.push(event, json).await.unwrap();
    }
    assert!(all.stdout.in_file > 0 && all.stdout.memory.len() <= MAX_IN_MEMORY);
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0);
    let all = all.into_output().await;
    assert_eq!(all.stdout.unwrap(), line.repeat(30));
    assert_eq!(all.stderr.unwrap(), "x".repeat(30));
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
