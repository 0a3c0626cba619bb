use super::*;
use crate::security::shell_ast::{Statement, parse};

fn read(command: &str) -> (bool, bool, Vec<String>, bool) {
    let script = parse(command).unwrap();
    let [Statement::Command(command)] = script.as_slice() else {
        panic!("one command expected: {script:?}");
    };
    let removal = Removal::read(command.arguments());
    let operands = removal
        .operands
        .iter()
        .map(|word| word.text.clone())
        .collect();
    (
        removal.recursive,
        removal.force,
        operands,
        removal.may_get_options,
    )
}

#[test]
fn options_count_wherever_they_stand_before_a_double_dash() {
    for (command, recursive, force, operands) in [
        ("rm -rf a", true, true, vec!["a"]),
        ("rm a -R b --force", true, true, vec!["a", "b"]),
        ("rm -vfr", true, true, vec![]),
        ("rm -- -rf a", false, false, vec!["-rf", "a"]),
        ("rm -r -- -f", true, false, vec!["-f"]),
        ("rm --recurs --forc a", false, false, vec!["a"]),
        ("rm - a", false, false, vec!["-", "a"]),
        ("rm -F a", false, false, vec!["a"]),
    ] {
        let operands: Vec<String> = operands.into_iter().map(str::to_owned).collect();
        assert_eq!(
            read(command),
            (recursive, force, operands, false),
            "{command}"
        );
    }
}

#[test]
fn words_of_run_time_may_become_options() {
    for (command, expected) in [
        ("rm $X", true),
        ("rm \"$X\"", true),
        ("rm *", true),
        ("rm -- x", false),
        ("rm '*'", false),
    ] {
        assert_eq!(read(command).3, expected, "{command}");
    }
}
