use super::*;

#[test]
fn lines_go_into_their_place() {
    let before = "one\ntwo\nthree\n";
    for (start, end, after) in [
        (0, -1, "X\n"),
        (1, 2, "one\nX\nthree\n"),
        (1, -1, "one\nX\n"),
        (0, 1, "X\ntwo\nthree\n"),
        (9, -1, "one\ntwo\nthree\nX\n"),
        (-1, -1, "one\ntwo\nX\n"),
    ] {
        assert_eq!(inserted(before, "X", start, end), after, "{start} {end}");
    }
    assert_eq!(inserted("a\nb", "X", 2, -1), "a\nb\nX\n");
    assert_eq!(inserted("a\r\nb\r\n", "X", 1, 1), "a\r\nX\nb\r\n");
}
