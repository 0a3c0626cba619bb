use super::Capture;
use pretty_assertions::assert_eq;
use proptest::prelude::*;

#[test]
fn the_end_can_be_corrected() {
    let mut capture = Capture::new(1 << 20);
    capture.push(b"abc\r\nexit\r\nbye\r\n$ ");
    capture.edit_end(|end| end.truncate(end.len() - 2));
    capture.remove_last(b"exit\r\n");
    assert_eq!(capture.snapshot().head, b"abc\r\nbye\r\n");
    assert_eq!(capture.total(), 10);
}

#[test]
fn memory_is_bounded_and_the_count_exact() {
    let mut capture = Capture::new(1000);
    for _ in 0..100_000 {
        capture.push(b"0123456789");
    }
    let got = capture.snapshot();
    assert_eq!(got.total, 1_000_000);
    assert_eq!(got.head.len(), 500);
    assert!(got.tail.len() <= 500 + super::RECENT_BYTES);
    assert_eq!(
        got.omitted(),
        1_000_000 - (got.head.len() + got.tail.len()) as u64
    );
    assert!(got.tail.ends_with(b"89"));
}

proptest! {
    #[test]
    fn below_the_cap_everything_is_kept(chunks in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..5000), 0..12)) {
        let mut capture = Capture::new(1 << 20);
        for chunk in &chunks {
            capture.push(chunk);
        }
        let got = capture.snapshot();
        prop_assert_eq!(got.head, chunks.concat());
        prop_assert!(got.tail.is_empty());
    }
}
