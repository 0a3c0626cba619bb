use super::*;
use proptest::prelude::*;
use std::process::Command;

#[test]
fn plain_words_stay_bare_and_others_are_quoted() {
    assert_eq!(
        join(&["rg", "a-b_c.d/e", "a b", "", "it's", "*"]),
        r#"rg a-b_c.d/e 'a b' '' 'it'"'"'s' '*'"#
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20))]

    #[test]
    fn bash_splits_the_line_into_the_same_words(words in prop::collection::vec("[^\0\r]{0,12}", 1..4)) {
        let borrowed: Vec<&str> = words.iter().map(String::as_str).collect();
        let line = format!("printf '%s\\0' {}", join(&borrowed));
        let output = Command::new("bash").args(["-c", &line]).output().unwrap();
        let printed = String::from_utf8(output.stdout).unwrap();
        let split: Vec<&str> = printed.strip_suffix('\0').unwrap().split('\0').collect();
        prop_assert_eq!(split, borrowed);
    }
}
