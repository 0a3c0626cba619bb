//! What a call of a shell runs: a script in its words, a script on its input, or a file.

use super::word::{Unknown, Word};

/// Shells whose language is bash's, or near enough.
const SHELLS: &[&str] = &["sh", "bash", "dash", "zsh", "ksh", "ash"];

/// Options of one letter that take no value.
const FLAGS: &str = "abefhiklmprstuvxBCHP";
/// Long options, which only bash has.
const LONG_FLAGS: &[&str] = &[
    "--debugger",
    "--login",
    "--noediting",
    "--noprofile",
    "--norc",
    "--posix",
    "--restricted",
    "--verbose",
];
const LONG_VALUED: &[&str] = &["--rcfile", "--init-file"];

/// What a shell is told to run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::security) enum ShellCall<'a> {
    /// `-c` and this word.
    Script(&'a Word),
    /// What comes on its standard input.
    Input,
    /// A file, or nothing at all.
    File,
    /// Known only at run time. `Splits`: an unquoted expansion may become options and script.
    Unreadable(Unknown),
}

/// Reads the words of a shell call; none if `name` is no shell.
pub(in crate::security) fn shell_call<'a>(
    name: &str,
    arguments: &'a [Word],
) -> Option<ShellCall<'a>> {
    SHELLS.contains(&name).then(|| read(name, arguments))
}

fn read<'a>(name: &str, arguments: &'a [Word]) -> ShellCall<'a> {
    let mut rest = arguments;
    let mut takes_script = false;
    let mut from_input = false;
    while let Some((word, after)) = rest.split_first() {
        if word.may_split() {
            return ShellCall::Unreadable(Unknown::Splits);
        }
        if word.unknown.is_some() && !takes_script && !after.is_empty() {
            // It may turn out to be `-c`, and then what follows is the script.
            return ShellCall::Unreadable(Unknown::Splits);
        }
        let is_option = word.text.starts_with(['-', '+']) && word.text.len() > 1;
        if !is_option && word.text != "-" {
            break;
        }
        let Some(option) = word.known() else {
            return ShellCall::Unreadable(Unknown::Quoted);
        };
        rest = after;
        if matches!(option, "-" | "--") {
            break;
        }
        let Some(letters) = option
            .strip_prefix(['-', '+'])
            .filter(|_| !option.starts_with("--"))
        else {
            if name == "bash" && LONG_VALUED.contains(&option) {
                rest = after.get(1..).unwrap_or_default();
            } else if name != "bash" || !LONG_FLAGS.contains(&option) {
                return ShellCall::Unreadable(Unknown::Quoted);
            }
            continue;
        };
        for letter in letters.chars() {
            match letter {
                'c' => takes_script = true,
                's' => from_input = true,
                'o' | 'O' => rest = rest.get(1..).unwrap_or_default(),
                // Reads the script and runs nothing.
                'n' => return ShellCall::File,
                'D' if name == "bash" => return ShellCall::File,
                _ if FLAGS.contains(letter) => {}
                _ => return ShellCall::Unreadable(Unknown::Quoted),
            }
        }
    }
    match rest.first() {
        Some(word) if word.may_split() => ShellCall::Unreadable(Unknown::Splits),
        Some(word) if takes_script => match word.unknown {
            None => ShellCall::Script(word),
            Some(unknown) => ShellCall::Unreadable(unknown),
        },
        None if takes_script => ShellCall::Unreadable(Unknown::Quoted),
        Some(_) if !from_input => ShellCall::File,
        Some(_) | None => ShellCall::Input,
    }
}

#[cfg(test)]
#[path = "call_tests.rs"]
mod tests;
