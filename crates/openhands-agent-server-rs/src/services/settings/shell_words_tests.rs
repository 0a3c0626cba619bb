use pretty_assertions::assert_eq;

use super::{join, split};

#[test]
fn words_survive() {
    let words = [
        "npx",
        "-y",
        "a b",
        "",
        "it's",
        "\"q\"",
        "$HOME",
        "é",
        "back\\slash",
        "line\nbreak",
    ];
    let words = words.map(str::to_owned);
    assert_eq!(split(&join(&words)).unwrap(), words);
    assert_eq!(join(&words[..4]), "npx -y 'a b' ''");
}

#[test]
fn quotes_are_taken_as_a_shell_takes_them() {
    assert_eq!(
        split(r#"  a "b \"c\" \d" 'e f'g \  h"#).unwrap(),
        ["a", "b \"c\" \\d", "e fg", " ", "h"]
    );
    for open in ["'a", "\"a", "a\\"] {
        assert!(split(open).is_err(), "{open}");
    }
}
