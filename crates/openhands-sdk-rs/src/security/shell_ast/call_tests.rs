use super::*;
use crate::security::shell_ast::{Statement, parse};

fn read_call(text: &str) -> String {
    let script = parse(text).unwrap();
    let Some(Statement::Command(command)) = script.first() else {
        panic!("a command expected: {script:?}");
    };
    match shell_call(&command.words[0].text, command.arguments()) {
        None => "no shell".into(),
        Some(ShellCall::Script(word)) => format!("script {}", word.text),
        Some(ShellCall::Input) => "input".into(),
        Some(ShellCall::File) => "file".into(),
        Some(ShellCall::Unreadable(Unknown::Quoted)) => "unreadable".into(),
        Some(ShellCall::Unreadable(Unknown::Splits)) => "may split".into(),
    }
}

#[test]
fn a_shell_runs_its_script_its_input_or_a_file() {
    for (text, expected) in [
        ("bash -c 'a b'", "script a b"),
        ("sh -ec a", "script a"),
        ("bash -c -e a", "script a"),
        ("bash -o pipefail +x -O extglob -c a", "script a"),
        ("bash --norc --rcfile f -c a", "script a"),
        ("sh --norc -c a", "unreadable"),
        ("bash -c", "unreadable"),
        ("bash -c \"$X\"", "unreadable"),
        ("bash -c $X", "may split"),
        ("bash -c *", "may split"),
        ("bash {a,b}", "may split"),
        ("bash $X", "may split"),
        ("bash \"$X\"", "file"),
        ("bash \"$X\" y", "may split"),
        ("bash -c a \"$X\"", "script a"),
        ("bash -n -c a", "file"),
        ("bash -z -c a", "unreadable"),
        ("bash", "input"),
        ("bash -s a", "input"),
        ("bash -", "input"),
        ("bash - -c a", "file"),
        ("bash -- -c a", "file"),
        ("bash f", "file"),
        ("fish -c a", "no shell"),
        ("python -c a", "no shell"),
    ] {
        assert_eq!(read_call(text), expected, "{text}");
    }
}
