use super::{emulate, render};
use pretty_assertions::assert_eq;
use proptest::prelude::*;

fn text(bytes: impl AsRef<[u8]>) -> String {
    render(bytes.as_ref()).text
}

#[test]
fn plain_lines_stay_as_they_are() {
    assert_eq!(text("a\r\n  b \r\n\r\nc\r\n\r\n"), "a\n  b\n\nc");
    assert_eq!(text("no newline"), "no newline");
    assert_eq!(text(""), "");
    assert_eq!(render(b"a\r\nb\r\n").lines, 2);
}

#[test]
fn a_carriage_return_overwrites() {
    assert_eq!(text("10%\r50%\r100%\r\n"), "100%");
    assert_eq!(text("aaa\rb\r\n"), "baa");
    assert_eq!(text("aaa\r\r\nb\r\n"), "aaa\nb");
    assert_eq!(text("downloading...\r\x1b[Kdone\r\n"), "done");
}

#[test]
fn backspace_and_tabs() {
    assert_eq!(text("abc\x08\x08X\r\n"), "aXc");
    assert_eq!(text("a\tb\r\n\tc"), "a       b\n        c");
    assert_eq!(text("12345678\tx"), "12345678        x");
    assert_eq!(text("漢\tx"), "漢      x");
}

#[test]
fn colours_titles_and_questions_leave_nothing() {
    assert_eq!(text("\x1b[31mred\x1b[0m\r\n"), "red");
    assert_eq!(text("a\x1b[6nb\x1b[cd\x1b[>c\x1b[0c\r\n"), "abd");
    assert_eq!(
        text("\x1b]0;title\x07x\x1b]11;?\x1b\\y\x1bP$qm\x1b\\z"),
        "xyz"
    );
    assert_eq!(text("\x1b[?2004hprompt\x1b[?2004l"), "prompt");
}

#[test]
fn what_is_no_text_vanishes() {
    assert_eq!(text(b"a\x00b\x01c\r\n"), "abc");
    assert_eq!(text(b"x\xff\xfey\xc3\r\n"), "xy");
    assert_eq!(text(b"x\x1b[m\xff\xfey\xc3\r\n"), "xy");
    assert_eq!(
        text("caf\u{e9} \u{1f642} e\u{301}"),
        "caf\u{e9} \u{1f642} e\u{301}"
    );
}

#[test]
fn wide_characters_are_replaced_as_a_whole() {
    assert_eq!(text("漢字\rab\r\n"), "ab字");
    assert_eq!(text("漢字\ra\r\n"), "a 字");
    assert_eq!(text("a漢\x1b[2D\x1b[0Kb"), "ab");
}

#[test]
fn long_lines_are_never_wrapped() {
    let long = "x".repeat(5000);
    assert_eq!(text(format!("{long}\r\n")), long);
    assert_eq!(
        text(format!("\x1b[1m{long}\x1b[0m\r\nb")),
        format!("{long}\nb")
    );
}

#[test]
fn the_cursor_can_go_back_up() {
    assert_eq!(
        text("one\r\ntwo\r\n\x1b[2Aone!\x1b[K\r\n\r\nthree"),
        "one!\ntwo\nthree"
    );
    assert_eq!(text("abc\x1b[1;2HX"), "aXc");
    assert_eq!(text("abcdef\x1b[3D\x1b[2P\x1b[@Z"), "abcZf");
}

#[test]
fn clearing_forgets_what_was_before() {
    let shown = render(b"before\r\n\x1b[H\x1b[2J\x1b[3Jafter\r\n");
    assert_eq!(
        (shown.text.as_str(), shown.lines, shown.cleared),
        ("after", 1, true)
    );
    let kept = render(b"before\r\n\x1b[H\x1b[2Jafter\r\n");
    assert_eq!((kept.text.as_str(), kept.cleared), ("before\nafter", false));
}

#[test]
fn a_full_screen_program_shows_its_screen_and_leaves_nothing() {
    let during = b"before\r\n\x1b[?1049h\x1b[2J\x1b[1;1Htop\x1b[3;5Hmiddle";
    assert_eq!(text(during), "top\n\n    middle");
    let after = [&during[..], b"\x1b[?1049lafter\r\n"].concat();
    assert_eq!(text(after), "before\nafter");
}

#[test]
fn lines_scroll_off_without_being_lost() {
    let mut bytes = b"\x1b[m".to_vec();
    for line in 1..=1000 {
        bytes.extend(format!("{line}\r\n").into_bytes());
    }
    let shown = render(&bytes);
    assert_eq!(shown.lines, 1000);
    assert!(shown.text.starts_with("1\n2\n") && shown.text.ends_with("\n999\n1000"));
}

#[test]
fn a_scroll_region_keeps_the_lines_around_it() {
    let bytes = b"head\r\na\r\nb\r\nc\x1b[2;4r\x1b[4;1H\nd\x1b[r\x1b[5;1Hfoot";
    assert_eq!(text(bytes), "head\nb\nc\nd\nfoot");
}

#[test]
fn line_drawing_shows_lines() {
    assert_eq!(text("\x1b(0lqk\x1b(B lqk"), "┌─┐ lqk");
}

#[test]
fn a_far_cursor_costs_little() {
    let shown = render(b"\x1b[65535;65535Hx\x1b[65535C\x1b[65535by");
    assert!(shown.text.len() < 10_000);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn nothing_panics(bytes in prop::collection::vec(prop_oneof![
        3 => any::<u8>(), 2 => Just(0x1b_u8), 2 => Just(b'['), 1 => Just(b';'), 2 => b'0'..=b'9', 3 => b'@'..=b'z',
        1 => Just(b'\n'), 1 => Just(b'\r'), 1 => Just(0x08)], 0..400)) {
        let shown = render(&bytes);
        let escapes = shown.text.matches('\u{1b}').count();
        prop_assert_eq!(escapes, 0);
    }

    #[test]
    fn the_short_way_shows_what_the_long_way_shows(lines in prop::collection::vec("[a-z \\t漢é\u{301}\u{1}]{0,20}", 0..250)) {
        let bytes = lines.join("\r\n").into_bytes();
        prop_assert_eq!(render(&bytes), emulate(&bytes));
    }
}
