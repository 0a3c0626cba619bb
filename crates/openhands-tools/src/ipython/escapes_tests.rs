use super::*;

#[test]
fn colours_go_and_everything_else_stays() {
    let cases = [
        ("plain", "plain"),
        ("", ""),
        ("\u{1b}[31mred\u{1b}[0m", "red"),
        ("\u{1b}[38;5;32mblue\u{1b}[m.", "blue."),
        ("\u{1b}[38:2::1:2:3mrgb", "rgb"),
        ("50%\u{1b}[K", "50%"),
        ("\u{1b}[2Jcleared", "\u{1b}[2Jcleared"),
        ("at its end \u{1b}[", "at its end \u{1b}["),
        ("é\u{1b}[1mü", "éü"),
    ];
    for (given, wanted) in cases {
        assert_eq!(without_colours(given), wanted, "{given:?}");
    }
}
