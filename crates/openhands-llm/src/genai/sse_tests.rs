use pretty_assertions::assert_eq;
use proptest::prelude::*;

use super::*;

fn split(pieces: &[&[u8]]) -> Vec<String> {
    let mut body = Events::default();
    let mut events = Vec::new();
    for piece in pieces {
        body.push(piece, &mut events).unwrap();
    }
    body.finish(&mut events);
    events
}

#[test]
fn events_are_split_whatever_ends_their_lines() {
    for end in ["\n", "\r\n", "\r"] {
        let body =
            ": hello\n\nevent: x\ndata: {\"a\":1}\n\ndata:two\ndata: lines\n\nid: 3\n\ndata: last"
                .replace('\n', end);
        assert_eq!(
            split(&[body.as_bytes()]),
            ["{\"a\":1}", "two\nlines", "last"],
            "{end:?}"
        );
    }
}

#[test]
fn an_event_without_an_end_is_refused() {
    let mut body = Events::default();
    let piece = vec![b'x'; 8 << 20];
    let mut events = Vec::new();
    assert!((0..10).any(|_| body.push(&piece, &mut events).is_err()));
}

proptest! {
    #[test]
    fn it_does_not_matter_where_the_body_is_cut(text in "[a-zä€😀 ]{0,30}", size in 1_usize..7) {
        let body = format!("data: {text}\r\n\r\ndata: end\n\n");
        let pieces: Vec<_> = body.as_bytes().chunks(size).collect();
        prop_assert_eq!(split(&pieces), [text, "end".to_owned()]);
    }
}
