use super::{Report, ReportReader};
use crate::shell::marks::Token;
use pretty_assertions::assert_eq;
use proptest::prelude::*;

fn message(token: &Token, number: u64) -> Vec<u8> {
    format!(
        "\0/usr/bin/python\n12\n13\ntrap -- 'x\n14' ERR\n\0{t}:{number}\x003\x001\x000\x00\x00471\x00himBHs\x00/tmp/a\nb\x00\x00$ \x00declare -- PROMPT_COMMAND=\"x\"\n\x00{t}\n",
        t = token.as_str()
    )
    .into_bytes()
}

fn expected(command: u64) -> Report {
    Report {
        command,
        status: 3,
        last_background: Some(471),
        flags: "himBHs".into(),
        prompt: b"$ ".to_vec(),
        pipe_status: vec![1, 0],
        directory: "/tmp/a\nb".into(),
        python: "/usr/bin/python".into(),
        jobs: vec![12, 13],
        traps: true,
        prompt_command: b"declare -- PROMPT_COMMAND=\"x\"".to_vec(),
        full: true,
        restless: false,
    }
}

#[test]
fn a_short_report_says_whether_there_is_more() {
    let token = Token::random();
    for (sign, restless) in [("", false), ("$ ", true)] {
        let mut reader = ReportReader::new(token.clone());
        reader.feed(
            format!(
                "\0{t}:9\x000\x000\x00\x00\x00hB\x00/\x00{sign}\x00{t}\n",
                t = token.as_str()
            )
            .as_bytes(),
        );
        let report = reader.next().unwrap();
        assert_eq!(
            (report.command, report.full, report.restless),
            (9, false, restless)
        );
        assert_eq!((report.last_background, report.python.as_str()), (None, ""));
    }
}

#[test]
fn a_report_arrives_however_it_is_cut() {
    let token = Token::random();
    let bytes = message(&token, 5);
    for cut in 0..=bytes.len() {
        let mut reader = ReportReader::new(token.clone());
        let (first, second) = bytes.split_at(cut);
        reader.feed(first);
        let early = reader.next();
        reader.feed(second);
        assert_eq!(
            early.or_else(|| reader.next()),
            Some(expected(5)),
            "cut at {cut}"
        );
        assert_eq!(reader.next(), None);
    }
}

#[test]
fn an_interrupted_report_does_not_spoil_the_next() {
    let token = Token::random();
    let whole = message(&token, 6);
    for cut in 0..whole.len() {
        let mut reader = ReportReader::new(token.clone());
        reader.feed(whole.get(..cut).unwrap());
        reader.feed(&message(&token, 7));
        assert_eq!(reader.next(), Some(expected(7)), "cut at {cut}");
    }
}

proptest! {
    #[test]
    fn arbitrary_bytes_are_no_report(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let mut reader = ReportReader::new(Token::random());
        reader.feed(&bytes);
        prop_assert_eq!(reader.next(), None);
    }
}
