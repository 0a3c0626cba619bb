use pretty_assertions::assert_eq;
use proptest::prelude::*;

use super::*;

/// What [`HeadTail`] should be: all bytes, cut when asked.
struct Model {
    all: Vec<u8>,
    head: usize,
    tail: usize,
}

impl Model {
    fn head(&self) -> Vec<u8> {
        self.all.iter().copied().take(self.head).collect()
    }

    fn tail(&self) -> Vec<u8> {
        let rest: Vec<u8> = self.all.iter().copied().skip(self.head).collect();
        rest[rest.len().saturating_sub(self.tail)..].to_vec()
    }
}

proptest! {
    #[test]
    fn it_keeps_exactly_what_the_model_keeps(
        head in 0_usize..20,
        tail in 0_usize..20,
        chunks in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 0..30), 0..30),
    ) {
        let mut buffer = HeadTail::with_ends(head, tail);
        let mut model = Model { all: Vec::new(), head, tail };
        for chunk in &chunks {
            buffer.push(chunk);
            model.all.extend(chunk);
            let (older, newer) = buffer.tail();
            prop_assert_eq!(buffer.head(), model.head());
            prop_assert_eq!([older, newer].concat(), model.tail());
            prop_assert_eq!(buffer.total(), model.all.len() as u64);
            let kept = model.head().len() + model.tail().len();
            prop_assert_eq!(buffer.len(), kept);
            prop_assert_eq!(buffer.dropped(), (model.all.len() - kept) as u64);
            prop_assert!(buffer.head.capacity() <= head && buffer.tail.capacity() <= tail);
        }
    }
}

#[test]
fn what_fits_comes_back_whole() {
    let mut buffer = HeadTail::new(9);
    for part in ["ab", "cde", "", "fghi"] {
        buffer.push(part.as_bytes());
    }
    assert_eq!(buffer.join(|_| panic!("nothing was dropped")), b"abcdefghi");
    assert_eq!(
        (buffer.total(), buffer.dropped(), buffer.is_empty()),
        (9, 0, false)
    );
}

#[test]
fn what_does_not_fit_loses_its_middle() {
    let mut buffer = HeadTail::new(6);
    for byte in b'a'..=b'z' {
        buffer.push(&[byte]);
    }
    let joined = buffer.join(|dropped| format!("[{dropped}]").into_bytes());
    assert_eq!(String::from_utf8(joined).unwrap(), "abc[20]xyz");
}

#[test]
fn a_buffer_without_room_still_counts() {
    let mut buffer = HeadTail::new(0);
    buffer.push(b"abc");
    assert_eq!((buffer.len(), buffer.total(), buffer.dropped()), (0, 3, 3));
}

#[test]
fn a_cleared_buffer_starts_again_and_holds_no_memory() {
    let mut buffer = HeadTail::new(4);
    buffer.push(b"abcdef");
    buffer.clear();
    assert_eq!(
        (buffer.total(), buffer.dropped(), buffer.is_empty()),
        (0, 0, true)
    );
    assert_eq!(buffer.head.capacity() + buffer.tail.capacity(), 0);
    buffer.push(b"xy");
    assert_eq!(buffer.join(|_| Vec::new()), b"xy");
}
