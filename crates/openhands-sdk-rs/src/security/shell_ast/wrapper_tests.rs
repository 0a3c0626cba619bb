use super::*;
use crate::security::shell_ast::{Statement, parse};

/// `verb argument…`, or what kept it from being found.
fn runs(text: &str) -> String {
    let script = parse(text).unwrap();
    let Some(Statement::Command(command)) = script.first() else {
        panic!("a command expected: {script:?}");
    };
    match unwrap(&command.words) {
        Unwrapped::Nothing => "nothing".into(),
        Unwrapped::Unreadable => "unreadable".into(),
        Unwrapped::UnknownVerb { .. } => "unknown verb".into(),
        Unwrapped::Verb {
            name, arguments, ..
        } => {
            let words: Vec<&str> = std::iter::once(name)
                .chain(arguments.iter().map(|word| word.text.as_str()))
                .collect();
            words.join(" ")
        }
    }
}

#[test]
fn each_wrapper_is_looked_through() {
    for (text, expected) in [
        ("/bin/rm x", "rm x"),
        ("env -i -u A --chdir=/ B=c rm x", "rm x"),
        ("env - rm x", "rm x"),
        ("env -S 'rm x'", "unreadable"),
        ("env A=$B rm x", "unknown verb"),
        ("env A=\"$B\" rm x", "rm x"),
        ("sudo -nE -u root --group g A=b -- rm x", "rm x"),
        ("sudo -uroot rm x", "rm x"),
        ("sudo -p x rm x", "unreadable"),
        ("sudo -u $X rm x", "unreadable"),
        ("sudo -u \"$X\" rm x", "rm x"),
        ("sudo -i", "nothing"),
        ("timeout -k 1 --signal=9 --foreground 5s rm x", "rm x"),
        ("timeout \"$X\" rm x", "unreadable"),
        ("timeout 5", "nothing"),
        ("nice -n 5 rm x", "rm x"),
        ("nice -5 rm x", "unreadable"),
        ("nohup rm x", "rm x"),
        ("exec -cl -a n rm x", "rm x"),
        ("command -p rm x", "rm x"),
        ("command -v rm", "nothing"),
        ("builtin rm x", "nothing"),
        ("builtin eval rm", "eval rm"),
        ("busybox sh -c x", "sh -c x"),
        ("toybox rm x", "rm x"),
        ("time -p rm x", "rm x"),
        ("setsid -w --fork rm x", "rm x"),
        ("stdbuf -oL -e 0 --input=0 rm x", "rm x"),
        ("strace -f -o log rm x", "rm x"),
        ("chroot --userspec=a /x rm x", "rm x"),
        ("sudo env timeout 5 nice rm x", "rm x"),
        ("sudo $X", "unknown verb"),
        ("doas rm x", "doas rm x"),
    ] {
        assert_eq!(runs(text), expected, "{text}");
    }
}

#[test]
fn eval_is_the_shells_own_only_behind_builtins() {
    for (text, expected) in [
        ("command eval x", true),
        ("builtin eval x", true),
        ("sudo eval x", false),
        ("exec eval x", false),
    ] {
        let script = parse(text).unwrap();
        let Some(Statement::Command(command)) = script.first() else {
            panic!("a command expected");
        };
        let Unwrapped::Verb { in_shell, .. } = unwrap(&command.words) else {
            panic!("a verb expected");
        };
        assert_eq!(in_shell, expected, "{text}");
    }
}
