use openhands_protocol::BashEventId;
use proptest::prelude::*;

use super::*;
use crate::services::bash::rooms::Rooms;

fn output(stdout: Option<String>, stderr: Option<String>) -> BashOutput {
    let mut output: BashOutput = serde_json::from_value(serde_json::json!({
        "kind": "BashOutput", "command_id": BashEventId::random(), "order": 3, "exit_code": 0,
    }))
    .unwrap();
    (output.stdout, output.stderr) = (stdout, stderr);
    output
}

fn check(stdout: Option<String>, stderr: Option<String>) {
    let output = output(stdout, stderr);
    let mut room = Room::default();
    room.extend_from_slice(b"what was there before");
    let (written, _) = Written::new(&mut output.clone(), room).unwrap();
    let expected = Form::REST.to_vec(&BashEvent::from(output.clone())).unwrap();
    assert_eq!(written.json, expected);
    for (range, text) in [
        (written.stdout, output.stdout),
        (written.stderr, output.stderr),
    ] {
        let inside = written.json.slice(range);
        let quoted = format!("\"{}\"", str::from_utf8(&inside).unwrap());
        let read: String = serde_json::from_str(&quoted).unwrap();
        assert_eq!(read, text.unwrap_or_default());
    }
}

#[test]
fn every_character_is_written_as_by_the_library() {
    let all: String = (0..0x300).filter_map(char::from_u32).collect();
    check(Some(all.clone()), None);
    check(None, Some(all.repeat(3)));
    check(
        Some(String::new()),
        Some("\"stdout\":null,\"stderr\":null".to_owned()),
    );
    check(None, None);
}

proptest! {
    #[test]
    fn texts_are_written_as_by_the_library(
        stdout in prop::option::of("[\\PC\u{0}-\u{1f}\"\\\\x]{0,120}"),
        stderr in prop::option::of("(x{20,40}[\n\"é😀])*"),
    ) {
        check(stdout, stderr);
    }
}

#[test]
fn large_memory_with_little_in_it_is_used_again() {
    let rooms = Rooms::default();
    let mut large = rooms.take();
    large.reserve_exact(LARGE);
    drop(large);
    let (written, _) = Written::new(&mut output(Some("x".to_owned()), None), rooms.take()).unwrap();
    assert!(written.json.len() < LARGE);
    assert!(rooms.take().capacity() >= LARGE);
}
