use proptest::prelude::*;

use super::*;

impl Chunks {
    fn push(&mut self, source: Source, bytes: &[u8], now: Instant) {
        let mut rest = bytes;
        loop {
            let read = self.read(source, bytes.len(), now, |room| {
                let (head, tail) = rest.split_at(rest.len().min(room.remaining_mut()));
                room.put_slice(head);
                rest = tail;
                Ok(head.len())
            });
            read.unwrap();
            if rest.is_empty() {
                return;
            }
        }
    }
}

fn all(chunks: &mut Chunks, now: Instant) -> (String, String, usize) {
    let (mut out, mut err, mut pieces) = (String::new(), String::new(), 0);
    while chunks.len() > 0 {
        let piece = chunks.take(now, String::new());
        let size = piece.stdout.as_ref().map_or(0, String::len)
            + piece.stderr.as_ref().map_or(0, String::len);
        assert!((1..=MAX_CHUNK_BYTES).contains(&size));
        out.push_str(piece.stdout.as_deref().unwrap_or_default());
        err.push_str(piece.stderr.as_deref().unwrap_or_default());
        pieces += 1;
    }
    (out, err, pieces)
}

#[test]
fn a_character_that_is_cut_between_reads_stays_whole() {
    let now = Instant::now();
    let mut chunks = Chunks::new(GATHER);
    for byte in "a€ü😀".bytes() {
        chunks.push(Source::Stdout, &[byte], now);
    }
    assert_eq!(all(&mut chunks, now).0, "a€ü😀");
}

#[test]
fn bytes_that_are_no_text_become_replacement_characters() {
    let now = Instant::now();
    let mut chunks = Chunks::new(GATHER);
    chunks.push(Source::Stdout, b"\xff\xfex", now);
    // The start of a character that never ends.
    chunks.push(Source::Stderr, b"y\xe2\x82", now);
    assert_eq!(chunks.stderr.text, 1);
    chunks.push(Source::Stderr, b"", now);
    let (out, err, _) = all(&mut chunks, now);
    assert_eq!(
        (out.as_str(), err.as_str()),
        ("\u{fffd}\u{fffd}x", "y\u{fffd}")
    );
}

#[test]
fn both_streams_together_fit_an_event() {
    let now = Instant::now();
    let mut chunks = Chunks::new(GATHER);
    chunks.push(Source::Stdout, &vec![b'o'; MAX_CHUNK_BYTES - 10], now);
    assert!(!chunks.is_full());
    chunks.push(Source::Stderr, "é".repeat(1000).as_bytes(), now);
    assert!(chunks.is_full());
    let first = chunks.take(now, String::new());
    assert_eq!(first.stdout.unwrap().len(), MAX_CHUNK_BYTES - 10);
    assert_eq!(first.stderr.unwrap(), "é".repeat(5));
    assert_eq!(all(&mut chunks, now).1, "é".repeat(995));
}

#[test]
fn a_burst_is_due_at_once_and_what_follows_after_the_pace() {
    let start = Instant::now();
    let mut chunks = Chunks::new(GATHER);
    assert_eq!(chunks.due(), None);
    chunks.push(Source::Stdout, b"a", start);
    assert_eq!(chunks.due(), Some(start + GATHER));
    let sent = start + GATHER;
    chunks.take(sent, String::new());
    assert_eq!(chunks.due(), None);
    for _ in 1..=BURST {
        chunks.push(Source::Stdout, b"b", sent);
        assert_eq!(chunks.due(), Some(sent + GATHER));
        chunks.take(sent, String::new());
    }
    chunks.push(Source::Stdout, b"b", sent);
    assert_eq!(chunks.due(), Some(sent + PACE));
    chunks.take(sent + PACE, String::new());
    // After a silence, a byte does not wait for the pace.
    let later = sent + Duration::from_secs(10);
    chunks.push(Source::Stderr, b"c", later);
    assert_eq!(chunks.due(), Some(later + GATHER));
}

proptest! {
    #[test]
    fn nothing_is_lost_however_it_is_cut(text in "\\PC{0,400}", cuts in prop::collection::vec(1_usize..9, 1..50)) {
        let now = Instant::now();
        let mut chunks = Chunks::new(GATHER);
        let mut rest = text.as_bytes();
        for cut in cuts.iter().cycle() {
            if rest.is_empty() {
                break;
            }
            let (head, tail) = rest.split_at((*cut).min(rest.len()));
            chunks.push(Source::Stdout, head, now);
            rest = tail;
        }
        chunks.push(Source::Stdout, b"", now);
        prop_assert_eq!(all(&mut chunks, now).0, text);
    }

    #[test]
    fn what_is_no_text_is_replaced_as_if_it_came_in_one_piece(
        pieces in prop::collection::vec(prop_oneof![
            prop::collection::vec(any::<u8>(), 1..9),
            // Cut characters are rare among any bytes.
            "\\PC{1,3}".prop_map(|text| { let mut bytes = text.into_bytes(); bytes.pop(); bytes.push(b'x'); bytes }),
            "\\PC{1,3}".prop_map(String::into_bytes),
        ], 0..30),
        cuts in prop::collection::vec(1_usize..9, 1..50),
    ) {
        let bytes = pieces.concat();
        let now = Instant::now();
        let mut chunks = Chunks::new(GATHER);
        let mut rest = bytes.as_slice();
        let mut taken = String::new();
        for cut in cuts.iter().cycle() {
            if rest.is_empty() {
                break;
            }
            let (head, tail) = rest.split_at((*cut).min(rest.len()));
            chunks.push(Source::Stdout, head, now);
            rest = tail;
            if cut % 3 == 0 {
                taken += &all(&mut chunks, now).0;
            }
        }
        chunks.push(Source::Stdout, b"", now);
        taken += &all(&mut chunks, now).0;
        prop_assert_eq!(taken, String::from_utf8_lossy(&bytes));
    }
}

#[test]
fn room_is_kept_only_while_there_is_more_than_one_event_carries() {
    let now = Instant::now();
    let mut chunks = Chunks::new(GATHER);
    let much = vec![b'x'; MAX_CHUNK_BYTES + 10];
    chunks.push(Source::Stdout, &much, now);
    let room = String::with_capacity(2 * MAX_CHUNK_BYTES);
    let place = room.as_ptr();
    let first = chunks.take(now, room).stdout.unwrap();
    assert_eq!((first.len(), chunks.len()), (MAX_CHUNK_BYTES, 10));
    assert_eq!(chunks.stdout.bytes.as_ptr(), place, "the room was used");
    let last = chunks.take(now, String::with_capacity(2 * MAX_CHUNK_BYTES));
    assert_eq!(last.stdout.unwrap().len(), 10);
    assert_eq!(chunks.stdout.bytes.capacity(), 0, "and given back");
}
