use super::is_balanced;
use crate::shell::syntax::{Syntax, ask_bash};
use proptest::prelude::*;
use std::path::Path;

const WHOLE: &[&str] = &[
    "(exit 3)",
    "echo $(date) \"$(echo \"a b\")\" `id` ${x:-y}",
    "for i in 1 2 3; do echo $i; done",
    "for i in 1; do\n  if [[ -f x ]]; then echo y; fi\ndone",
    "while read x; do echo $x; done < file",
    "{ echo a; echo b; }",
    "f() { echo $1; }; f x",
    "a=(1 2 3); echo ${a[@]}",
    "echo $'it\\'s' \"\\\"\" 'x'",
    "diff <(ls) <(ls -a) <<< word",
    "((x = 1 + 2)); echo $((x * 2))",
    "if true; then echo x; fi",
];

#[test]
fn whole_texts_are_known() {
    for text in WHOLE {
        assert!(is_balanced(text), "{text}");
    }
}

#[test]
fn what_is_open_or_unclear_is_not_called_whole() {
    for text in [
        "echo 'abc",
        "echo \"abc",
        "echo $'abc",
        "echo $(date",
        "echo ${x",
        "echo `date",
        "(ls",
        "{ ls",
        "if true; then",
        "for i in 1 2",
        "for i in 1 2; do",
        "while true",
        "[[ -f x",
        "ls |",
        "ls &&",
        "ls \\",
        "cat <<EOF\nx\nEOF",
        "case x in x) echo;; esac",
        "echo a # it's",
        "function f",
        "f() {",
        "echo \"${x'y}\"",
    ] {
        assert!(!is_balanced(text), "{text}");
    }
}

#[tokio::test]
async fn bash_waits_for_none_of_the_whole_texts() {
    for text in WHOLE {
        assert_ne!(
            ask_bash(Path::new("bash"), text, false).await,
            Syntax::Incomplete,
            "{text}"
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn bash_waits_for_nothing_that_is_called_whole(pieces in prop::collection::vec(prop::sample::select(&[
        "a", " ", ";", "\n", "'", "\"", "$(", "(", ")", "${", "}", "{ ", " }", "`", "\\", "|", "&&", "if ", " then ", " fi",
        "do ", " done", "for i in x;", "while x;", "[[ ", " ]]", "<", ">", "<<<", "$'", "x=1",
    ][..]), 0..14)) {
        let text = pieces.concat();
        if is_balanced(&text) {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            let said = runtime.block_on(ask_bash(Path::new("bash"), &text, false));
            prop_assert_ne!(said, Syntax::Incomplete, "{}", text);
        }
    }
}
