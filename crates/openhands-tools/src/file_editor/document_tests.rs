use encoding_rs::{BIG5, EUC_JP, GB18030, GBK, SHIFT_JIS, WINDOWS_1251, WINDOWS_1252};
use pretty_assertions::assert_eq;
use proptest::prelude::*;

use super::*;

fn read(bytes: &[u8]) -> Document {
    Document::read(bytes.to_vec(), None)
}

fn place(document: &Document, wanted: &str) -> Range<usize> {
    let at = document.text().find(wanted).unwrap();
    at..at + wanted.len()
}

/// The bytes after replacing the first `old` by `new`.
fn replaced(bytes: &[u8], old: &str, new: &str) -> Vec<u8> {
    let document = read(bytes);
    let edited = document.replace(&[place(&document, old)], new).unwrap();
    edited.bytes().to_vec()
}

#[test]
fn every_kind_of_line_break_reads_as_a_line_feed() {
    assert_eq!(read(b"a\r\nb\rc\nd\r\r\ne\r").text(), "a\nb\nc\nd\n\ne\n");
}

#[test]
fn carriage_returns_survive_and_new_lines_get_them() {
    let bytes = b"one\r\ntwo\r\nthree\r\n";
    assert_eq!(replaced(bytes, "two", "TWO"), b"one\r\nTWO\r\nthree\r\n");
    assert_eq!(
        replaced(bytes, "two", "2\n2b"),
        b"one\r\n2\r\n2b\r\nthree\r\n"
    );
    assert_eq!(
        replaced(bytes, "two", "2\r\n2b"),
        b"one\r\n2\r\n2b\r\nthree\r\n"
    );
    assert_eq!(replaced(bytes, "one\ntwo\n", "x\n"), b"x\r\nthree\r\n");
    assert_eq!(replaced(bytes, "\ntwo\n", " "), b"one three\r\n");
}

#[test]
fn in_mixed_files_only_the_edited_line_matters() {
    let bytes = b"unix\ndos\r\nmac\rend";
    assert_eq!(replaced(bytes, "unix", "u\nv"), b"u\nv\ndos\r\nmac\rend");
    assert_eq!(replaced(bytes, "dos", "d\ne"), b"unix\nd\r\ne\r\nmac\rend");
    assert_eq!(replaced(bytes, "mac", "m\nn"), b"unix\ndos\r\nm\rn\rend");
    assert_eq!(replaced(bytes, "end", "e\nf"), b"unix\ndos\r\nmac\re\rf");
    // What old and new share keeps its own breaks.
    assert_eq!(
        replaced(bytes, "unix\ndos\nmac\nend", "unix\ndos\nmac\nEND"),
        b"unix\ndos\r\nmac\rEND"
    );
}

#[test]
fn a_file_of_line_feeds_takes_new_text_as_given() {
    assert_eq!(replaced(b"a\nb\n", "b", "x\r\ny"), b"a\nx\r\ny\n");
}

#[test]
fn marks_and_wide_characters_survive() {
    assert_eq!(
        replaced(b"\xEF\xBB\xBFhello\nworld\n", "world", "wörld"),
        "\u{FEFF}hello\nwörld\n".as_bytes()
    );
    let wide = |text: &str| -> Vec<u8> {
        [0xFF, 0xFE]
            .into_iter()
            .chain(text.encode_utf16().flat_map(u16::to_le_bytes))
            .collect()
    };
    // U+0A0D and U+0D0A hold the bytes of line breaks without being any.
    let before = "a\r\n\u{0A0D}\u{0D0A}🙂b\r\nlast";
    assert_eq!(
        replaced(&wide(before), "b", "漢\nc"),
        wide("a\r\n\u{0A0D}\u{0D0A}🙂漢\r\nc\r\nlast")
    );
}

#[test]
fn multi_byte_sets_are_edited_at_character_boundaries() {
    for encoding in [SHIFT_JIS, EUC_JP, GBK, GB18030, BIG5] {
        let encode = |text: &str| encoding.encode(text).0.into_owned();
        let charset = Charset::legacy(encoding);
        // In Shift_JIS, GBK and Big5 the second byte of a character can look like ASCII.
        let document = Document::with_charset(encode("表示\\能力\r\n十字架 abc 中国\r\n"), charset);
        let edited = document
            .replace(&[place(&document, "能力")], "力\n能")
            .unwrap();
        assert_eq!(
            edited.bytes(),
            encode("表示\\力\r\n能\r\n十字架 abc 中国\r\n"),
            "{}",
            encoding.name()
        );
        let edited = document.replace(&[place(&document, "abc")], "").unwrap();
        assert_eq!(
            edited.bytes(),
            encode("表示\\能力\r\n十字架  中国\r\n"),
            "{}",
            encoding.name()
        );
    }
}

#[test]
fn a_certain_set_is_widened_to_utf8_for_a_character_it_lacks() {
    let edited = replaced(
        b"caf\xE9 na\xEFve fa\xE7ade d\xE9j\xE0 vu\r\nr\xE9sum\xE9\r\n",
        "résumé",
        "漢",
    );
    assert_eq!(edited, "café naïve façade déjà vu\r\n漢\r\n".as_bytes());
}

#[test]
fn an_uncertain_set_takes_the_runner_up_or_refuses() {
    let uncertain = Charset {
        runner_up: Some(encoding_rs::WINDOWS_1250),
        ..Charset::legacy(WINDOWS_1252)
    };
    // What was read as "³ód¼" is Polish: the new letter shows it.
    let document = Document::with_charset(b"\xB3\xF3d\x9F x\n".to_vec(), uncertain);
    let at = place(&document, "x");
    let edited = document.replace(std::slice::from_ref(&at), "ł").unwrap();
    assert_eq!(edited.bytes(), b"\xB3\xF3d\x9F \xB3\n");
    assert_eq!(edited.text(), "łódź ł\n");
    let refused = document.replace(&[at], "漢").unwrap_err();
    let expected = SpliceError::Unencodable {
        character: '漢',
        charset: "windows-1252",
    };
    assert_eq!(refused, expected);
}

#[test]
fn bytes_that_are_no_text_survive_around_an_edit() {
    let bytes = "naïve café über "
        .bytes()
        .chain(*b"\xFF\xFE bad\nnext\n")
        .collect::<Vec<_>>();
    let document = read(&bytes);
    let edited = document
        .replace(&[place(&document, "bad")], "good")
        .unwrap();
    let expected = "naïve café über "
        .bytes()
        .chain(*b"\xFF\xFE good\nnext\n")
        .collect::<Vec<_>>();
    assert_eq!(edited.bytes(), expected);
    // Replacing text with broken bytes inside keeps the bytes that old and new share...
    let edited = document.replace(
        &[place(&document, "\u{FFFD}\u{FFFD} bad")],
        "\u{FFFD}\u{FFFD} ok",
    );
    assert!(
        edited
            .unwrap()
            .bytes()
            .windows(5)
            .any(|window| window == b"\xFF\xFE ok")
    );
    // ...and refuses to write U+FFFD over them.
    let refused = document.replace(
        &[place(&document, "über \u{FFFD}\u{FFFD} bad")],
        "x \u{FFFD}\u{FFFD} y",
    );
    assert_eq!(refused, Err(SpliceError::Undecodable { charset: "UTF-8" }));
}

#[test]
fn several_places_are_replaced_at_once() {
    let document = read(b"o\r\ntwo\r\nfour\r\n");
    let places: Vec<_> = document
        .text()
        .match_indices('o')
        .map(|(at, _)| at..at + 1)
        .collect();
    let edited = document.replace(&places, "0\n").unwrap();
    assert_eq!(edited.bytes(), b"0\r\n\r\ntw0\r\n\r\nf0\r\nur\r\n");
}

#[test]
fn very_many_places_take_one_pass() {
    // A quadratic search would need minutes for each of these.
    for (text, wanted) in [
        ("x y\r\n".repeat(40_000), "x"),
        (format!("\r\n{}", "x é ".repeat(60_000)), "x"),
    ] {
        for bytes in [
            text.clone().into_bytes(),
            WINDOWS_1252.encode(&text).0.into_owned(),
        ] {
            let document = read(&bytes);
            let places: Vec<_> = document
                .text()
                .match_indices(wanted)
                .map(|(at, _)| at..at + 1)
                .collect();
            let edited = document.replace(&places, "z").unwrap();
            assert_eq!(edited.text(), document.text().replace('x', "z"));
        }
    }
}

fn any_charset() -> impl Strategy<Value = Charset> {
    prop_oneof![
        Just(Charset::UTF_8),
        Just(Charset::detect(b"\xEF\xBB\xBF", None)),
        Just(Charset::detect(b"\xFF\xFE", None)),
        Just(Charset::detect(b"\xFE\xFF", None)),
        Just(Charset::legacy(WINDOWS_1252)),
        Just(Charset::legacy(WINDOWS_1251)),
        Just(Charset::legacy(SHIFT_JIS)),
        Just(Charset::legacy(GBK)),
        Just(Charset::legacy(EUC_JP)),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    /// Arbitrary bytes, arbitrary place, arbitrary text: either refused, or every byte outside the place is kept.
    #[test]
    fn an_edit_changes_exactly_the_wanted_bytes(
        bytes in prop::collection::vec(prop_oneof![
            4 => any::<u8>(), 2 => Just(b'\n'), 1 => Just(b'\r'), 4 => b'a'..b'e',
        ], 0..60),
        charset in any_charset(),
        from in any::<prop::sample::Index>(),
        to in any::<prop::sample::Index>(),
        with in "[a-c\n\ré漢я]{0,6}",
    ) {
        let bytes: Vec<u8> = charset.mark.iter().copied().chain(bytes).collect();
        let document = Document::with_charset(bytes, charset);
        let boundaries: Vec<usize> = document.text().char_indices().map(|(at, _)| at)
            .chain([document.text().len()]).collect();
        let (a, b) = (*from.get(&boundaries), *to.get(&boundaries));
        let range = a.min(b)..a.max(b);
        let mut cursor = Cursor::new(document.text(), document.bytes(), charset);
        let (Some(start), Some(end)) = (cursor.seek(range.start), cursor.seek(range.end)) else {
            // A place inside a broken character: refused, or avoided because old and new share what is around it.
            let _ = document.replace(&[range], &with);
            return Ok(());
        };
        // Both ends agree with decoding the two halves apart.
        let head = document.bytes().get(charset.mark.len()..start).unwrap();
        prop_assert_eq!(
            with_plain_breaks(&charset.decode(head)),
            document.text().get(..range.start).unwrap()
        );
        if let Ok(edited) = document.replace(&[range], &with)
            && edited.charset() == charset {
            prop_assert!(edited.bytes().starts_with(&document.bytes()[..start]));
            prop_assert!(edited.bytes().ends_with(&document.bytes()[end..]));
        }
    }

    /// In a text file the result is the text with the place replaced.
    #[test]
    fn an_edit_changes_exactly_the_wanted_text(
        text in "[a-c\né🙂]{0,40}",
        ending in prop_oneof![Just("\n"), Just("\r\n"), Just("\r")],
        charset in prop_oneof![
            Just(Charset::UTF_8), Just(Charset::detect(b"\xFF\xFE", None)), Just(Charset::detect(b"\xEF\xBB\xBF", None)),
        ],
        from in any::<prop::sample::Index>(),
        to in any::<prop::sample::Index>(),
        with in "[a-c\né漢]{0,6}",
    ) {
        let encode = |text: &str| -> Vec<u8> {
            let body = text.replace('\n', ending);
            charset.mark.iter().copied().chain(charset.encode(&body).unwrap().iter().copied()).collect()
        };
        let document = Document::with_charset(encode(&text), charset);
        prop_assert_eq!(document.text(), &text);
        let boundaries: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
        let (a, b) = (*from.get(&boundaries), *to.get(&boundaries));
        let range = a.min(b)..a.max(b);
        let mut expected = text.clone();
        expected.replace_range(range.clone(), &with);
        let edited = document.replace(&[range], &with).unwrap();
        if text.contains('\n') {
            prop_assert_eq!(edited.text(), &expected);
            prop_assert_eq!(edited.bytes(), &encode(&expected)[..]);
        } else {
            // A file of one line has no ending of its own: new lines are plain.
            prop_assert_eq!(edited.text(), &expected);
        }
    }
}
