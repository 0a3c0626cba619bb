use super::{Extracted, MAX_CHARS, report};
use pretty_assertions::assert_eq;

const URL: &str = "http://127.0.0.1/page";

fn page(text: &str) -> Extracted {
    Extracted::new(1234, text)
}

fn content(report: &str) -> &str {
    let (_, rest) = report.split_once("<webpage_content>\n").unwrap();
    rest.strip_suffix("\n</webpage_content>\n</content>")
        .unwrap()
}

#[test]
fn a_short_page_comes_whole_with_its_statistics() {
    assert_eq!(
        report(URL, &page("# Form\n\nHello\n\n\n\n"), 0),
        "<url>\nhttp://127.0.0.1/page\n</url>\n<content>\n<content_stats>\nContent processed: 1,234 HTML chars → 17 initial \
         markdown → 13 filtered markdown (filtered 4 chars of noise)\n</content_stats>\n\n<webpage_content>\n# Form\n\nHello\n\
         </webpage_content>\n</content>"
    );
    assert!(report(URL, &page(""), 0).contains("<webpage_content>\n\n</webpage_content>"));
}

#[test]
fn a_start_past_the_end_says_how_much_there_is() {
    assert_eq!(
        report(URL, &page("قصير 🙂"), 6),
        "start_from_char (6) exceeds content length (6). Content has 6 characters after filtering."
    );
    let seen = report(URL, &page("قصير 🙂"), 5);
    assert_eq!(content(&seen), "🙂");
    assert!(seen.contains("(started from char 5)"), "{seen}");
}

#[test]
fn a_long_page_is_cut_at_a_paragraph_a_sentence_or_the_limit_and_can_be_read_on() {
    let paragraph = format!("{}\n\n{}", "a".repeat(MAX_CHARS - 300), "b".repeat(1000));
    let seen = report(URL, &page(&paragraph), 0);
    assert_eq!(content(&seen), "a".repeat(MAX_CHARS - 300));
    assert!(
        seen.contains("→ 29,700 final chars (truncated, use start_from_char=29700 to continue)"),
        "{seen}"
    );
    let rest = report(URL, &page(&paragraph), 29_700);
    assert_eq!(content(&rest).trim(), "b".repeat(1000));

    let sentence = format!("{}. {}", "a".repeat(MAX_CHARS - 100), "b".repeat(1000));
    assert!(content(&report(URL, &page(&sentence), 0)).ends_with("a."));

    let endless = "a".repeat(MAX_CHARS + 1);
    assert_eq!(content(&report(URL, &page(&endless), 0)).len(), MAX_CHARS);
    assert_eq!(content(&report(URL, &page(&endless), MAX_CHARS)), "a");
}
