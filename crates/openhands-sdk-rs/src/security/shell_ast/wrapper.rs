//! Programs that run another one: `sudo`, `env`, `timeout` and the like.

use super::word::{Unknown, Word};

/// How a wrapper reads what stands before the command that it runs.
struct Wrapper {
    name: &'static str,
    /// Short options without a value.
    flags: &'static str,
    /// Short options with a value.
    valued: &'static str,
    long_flags: &'static [&'static str],
    long_valued: &'static [&'static str],
    /// Words before the command: a duration, a directory.
    positionals: usize,
    /// `NAME=value` words before the command are assignments.
    assigns: bool,
}

/// A wrapper without options of its own.
const PLAIN: Wrapper = Wrapper {
    name: "",
    flags: "",
    valued: "",
    long_flags: &[],
    long_valued: &[],
    positionals: 0,
    assigns: false,
};

/// The wrappers that are understood. An option that is not listed makes a call unreadable.
const WRAPPERS: &[Wrapper] = &[
    Wrapper {
        name: "env",
        flags: "i",
        valued: "uC",
        long_flags: &["ignore-environment"],
        long_valued: &["unset", "chdir"],
        assigns: true,
        ..PLAIN
    },
    Wrapper {
        name: "sudo",
        flags: "inEHS",
        valued: "ugD",
        long_valued: &["user", "group", "chdir"],
        assigns: true,
        ..PLAIN
    },
    Wrapper {
        name: "timeout",
        valued: "ks",
        long_flags: &["preserve-status", "foreground", "verbose"],
        long_valued: &["signal", "kill-after"],
        positionals: 1,
        ..PLAIN
    },
    Wrapper {
        name: "nice",
        valued: "n",
        long_valued: &["adjustment"],
        ..PLAIN
    },
    Wrapper {
        name: "exec",
        flags: "cl",
        valued: "a",
        ..PLAIN
    },
    Wrapper {
        name: "command",
        flags: "p",
        ..PLAIN
    },
    Wrapper {
        name: "time",
        flags: "p",
        ..PLAIN
    },
    Wrapper {
        name: "setsid",
        flags: "cfw",
        long_flags: &["ctty", "fork", "wait"],
        ..PLAIN
    },
    Wrapper {
        name: "stdbuf",
        valued: "ioe",
        long_valued: &["input", "output", "error"],
        ..PLAIN
    },
    Wrapper {
        name: "strace",
        flags: "f",
        valued: "eops",
        ..PLAIN
    },
    Wrapper {
        name: "chroot",
        long_flags: &["skip-chdir"],
        long_valued: &["userspec", "groups"],
        positionals: 1,
        ..PLAIN
    },
    Wrapper {
        name: "nohup",
        ..PLAIN
    },
    Wrapper {
        name: "busybox",
        ..PLAIN
    },
    Wrapper {
        name: "toybox",
        ..PLAIN
    },
    Wrapper {
        name: "builtin",
        ..PLAIN
    },
];

/// Builtins that can run something dangerous; `builtin` runs nothing but builtins.
const RUNNING_BUILTINS: &[&str] = &["builtin", "command", "eval", "exec"];

/// What a command runs in the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::security) enum Unwrapped<'a> {
    /// Nothing: no command is left, or it is only looked up.
    Nothing,
    /// The wrapper's words cannot be told apart before run time.
    Unreadable,
    /// A verb that is known only at run time.
    UnknownVerb {
        arguments: &'a [Word],
        wrapped: bool,
    },
    Verb {
        name: &'a str,
        arguments: &'a [Word],
        /// Reached through builtins alone, so that `eval` is the shell's own.
        in_shell: bool,
    },
}

/// Looks through wrappers.
pub(in crate::security) fn unwrap(words: &[Word]) -> Unwrapped<'_> {
    let mut rest = words;
    let mut in_shell = true;
    let mut wrapped = false;
    loop {
        let Some((verb, arguments)) = rest.split_first() else {
            return Unwrapped::Nothing;
        };
        let Some(name) = verb.program() else {
            return Unwrapped::UnknownVerb { arguments, wrapped };
        };
        let Some(wrapper) = WRAPPERS.iter().find(|wrapper| wrapper.name == name) else {
            return Unwrapped::Verb {
                name,
                arguments,
                in_shell,
            };
        };
        rest = match inner_command(wrapper, arguments) {
            Inner::Words(inner) => inner,
            Inner::Query => return Unwrapped::Nothing,
            Inner::Unreadable => return Unwrapped::Unreadable,
        };
        if name == "builtin"
            && let Some(next) = rest.first().and_then(Word::program)
            && !RUNNING_BUILTINS.contains(&next)
        {
            return Unwrapped::Nothing;
        }
        in_shell &= matches!(name, "command" | "builtin");
        wrapped = true;
    }
}

enum Inner<'a> {
    Words(&'a [Word]),
    /// The command is only looked up.
    Query,
    Unreadable,
}

fn inner_command<'a>(wrapper: &Wrapper, arguments: &'a [Word]) -> Inner<'a> {
    let mut rest = arguments;
    let mut positionals = wrapper.positionals;
    let mut options = true;
    while let Some((word, after)) = rest.split_first() {
        let assigned = wrapper.assigns.then(|| word.text.split_once('=')).flatten();
        if options && word.text.starts_with('-') && word.text.len() > 1 {
            let Some(option) = word.known() else {
                return Inner::Unreadable;
            };
            if option == "--" {
                options = false;
                rest = after;
                continue;
            }
            rest = match read_option(wrapper, option) {
                OptionKind::Alone => after,
                OptionKind::TakesNext => match after.split_first() {
                    Some((value, after)) if value.unknown != Some(Unknown::Splits) => after,
                    Some(_) => return Inner::Unreadable,
                    None => &[],
                },
                OptionKind::Query => return Inner::Query,
                OptionKind::NotListed => return Inner::Unreadable,
            };
        } else if options && wrapper.name == "env" && word.exact() == Some("-") {
            // An old spelling of `-i`.
            rest = after;
        } else if let Some((name, _)) = assigned
            && is_name(name)
            && word.unknown != Some(Unknown::Splits)
        {
            rest = after;
        } else if positionals > 0 {
            if word.unknown.is_some() {
                return Inner::Unreadable;
            }
            positionals -= 1;
            options = false;
            rest = after;
        } else {
            break;
        }
    }
    Inner::Words(rest)
}

enum OptionKind {
    Alone,
    TakesNext,
    Query,
    NotListed,
}

fn read_option(wrapper: &Wrapper, option: &str) -> OptionKind {
    if let Some(long) = option.strip_prefix("--") {
        let (name, value) = match long.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (long, None),
        };
        return if wrapper.long_flags.contains(&name) {
            OptionKind::Alone
        } else if !wrapper.long_valued.contains(&name) {
            OptionKind::NotListed
        } else if value.is_some() {
            OptionKind::Alone
        } else {
            OptionKind::TakesNext
        };
    }
    let mut letters = option.chars().skip(1);
    while let Some(letter) = letters.next() {
        if wrapper.name == "command" && matches!(letter, 'v' | 'V') {
            return OptionKind::Query;
        }
        if wrapper.valued.contains(letter) {
            return if letters.next().is_some() {
                OptionKind::Alone
            } else {
                OptionKind::TakesNext
            };
        }
        if !wrapper.flags.contains(letter) {
            return OptionKind::NotListed;
        }
    }
    OptionKind::Alone
}

/// Whether `text` can be the name of a variable.
fn is_name(text: &str) -> bool {
    let mut characters = text.chars();
    characters
        .next()
        .is_some_and(|first| first.is_ascii_alphabetic() || first == '_')
        && characters.all(|character| character.is_ascii_alphanumeric() || character == '_')
}

#[cfg(test)]
#[path = "wrapper_tests.rs"]
mod tests;
