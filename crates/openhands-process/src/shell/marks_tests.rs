use super::{Mark, MarkFilter, Piece, Token};
use pretty_assertions::assert_eq;
use proptest::prelude::*;

fn bytes_of(mark: Mark, token: &Token) -> Vec<u8> {
    mark.printf(token)
        .replace("\\033", "\x1b")
        .replace("\\a", "\x07")
        .into_bytes()
}

fn run(filter: &mut MarkFilter, chunks: &[&[u8]]) -> (Vec<u8>, Vec<Mark>) {
    let (mut output, mut marks) = (Vec::new(), Vec::new());
    for chunk in chunks {
        filter.feed(chunk, |piece| match piece {
            Piece::Output(bytes) => output.extend_from_slice(bytes),
            Piece::Mark(mark) => marks.push(mark),
        });
    }
    output.extend(filter.flush());
    (output, marks)
}

#[test]
fn marks_are_taken_out_wherever_a_read_cuts_the_stream() {
    let token = Token::random();
    let mut stream = b"abc\x1b[0m".to_vec();
    stream.extend(bytes_of(Mark(7), &token));
    stream.extend(b"[1] Done\r\n\x1b");
    stream.extend(bytes_of(Mark(8), &token));
    stream.extend(b"\x1b]");
    for cut in 0..=stream.len() {
        let (first, second) = stream.split_at(cut);
        let got = run(&mut MarkFilter::new(&token), &[first, second]);
        let marks = vec![Mark(7), Mark(8)];
        assert_eq!(
            got,
            (b"abc\x1b[0m[1] Done\r\n\x1b\x1b]".to_vec(), marks),
            "cut at {cut}"
        );
    }
}

#[test]
fn a_mark_of_another_shell_is_output() {
    let foreign = bytes_of(Mark(1), &Token::random());
    let got = run(&mut MarkFilter::new(&Token::random()), &[&foreign]);
    assert_eq!(got, (foreign, vec![]));
}

#[test]
fn an_unfinished_mark_is_not_held_for_ever() {
    let token = Token::random();
    let stream = format!("\x1b]{};{}", token.as_str(), "1".repeat(200)).into_bytes();
    let mut seen = 0;
    MarkFilter::new(&token).feed(&stream, |piece| {
        if let Piece::Output(bytes) = piece {
            seen += bytes.len();
        }
    });
    assert_eq!(seen, stream.len());
}

proptest! {
    #[test]
    fn output_without_marks_passes_unchanged(chunks in prop::collection::vec(prop::collection::vec(
        prop_oneof![Just(0x1b_u8), Just(b']'), Just(7), any::<u8>()], 0..40), 0..10)) {
        let slices: Vec<&[u8]> = chunks.iter().map(Vec::as_slice).collect();
        let (output, marks) = run(&mut MarkFilter::new(&Token::random()), &slices);
        prop_assert_eq!(output, chunks.concat());
        prop_assert!(marks.is_empty());
    }
}
