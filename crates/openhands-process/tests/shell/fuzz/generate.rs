//! Builds commands from parts whose effect is known.

use std::path::PathBuf;

use super::random::Random;

/// What a command must do.
#[derive(Debug, Clone)]
pub(crate) struct Case {
    pub(crate) command: String,
    pub(crate) action: Action,
    pub(crate) code: i32,
    pub(crate) output: Expected,
    /// Whether the shell ends with it.
    pub(crate) ends_shell: bool,
}

/// What is done while the command runs.
#[derive(Debug, Clone)]
pub(crate) enum Action {
    Wait,
    /// When the output contains the first, type the second.
    Type(&'static str, String),
    /// When the output contains this, press Ctrl-C.
    Interrupt(&'static str),
}

#[derive(Debug, Clone)]
pub(crate) enum Expected {
    /// These bytes, as the program wrote them.
    Bytes(Vec<u8>),
    /// So many of them.
    Count(u64),
    /// These bytes somewhere.
    Contains(Vec<u8>),
}

/// The shell as it must be: its directory, and its variables.
#[derive(Debug, Clone)]
pub(crate) struct Model {
    pub(crate) root: PathBuf,
    pub(crate) directory: PathBuf,
    pub(crate) counter: u64,
    pub(crate) last_code: i32,
}

impl Model {
    pub(crate) fn reset(&mut self) {
        self.directory.clone_from(&self.root);
        self.counter = 0;
        self.last_code = 0;
    }
}

/// Text with everything that quoting can get wrong.
fn text(random: &mut Random) -> String {
    const PIECES: &[&str] = &[
        "a",
        "B",
        "7",
        " ",
        "  ",
        "'",
        "\"",
        "\\",
        "$",
        "`",
        "!",
        "*",
        "?",
        "[",
        "]",
        "{",
        "}",
        "(",
        ")",
        "<",
        ">",
        "|",
        "&",
        ";",
        "#",
        "~",
        "%",
        "=",
        "-",
        "ü",
        "漢字",
        "🙂",
        "груша",
        "\u{301}",
        "\t",
        "$HOME",
        "${x}",
        "$(id)",
        "\\n",
        "###PS1END###",
        "__oh_",
        "EOF",
    ];
    (0..random.below(12))
        .map(|_| *random.pick(PIECES))
        .collect()
}

fn single_quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

fn double_quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        if "\"\\$`".contains(c) {
            out.push('\\');
        }
        out.push(c);
    }
    out.push('"');
    out
}

fn ansi_quoted(text: &str) -> String {
    let mut out = String::from("$'");
    for c in text.chars() {
        match c {
            '\'' | '\\' => {
                out.push('\\');
                out.push(c);
            }
            '\t' => out.push_str("\\t"),
            c => out.push(c),
        }
    }
    out.push('\'');
    out
}

fn quoted(random: &mut Random, text: &str) -> String {
    match random.below(3) {
        0 => single_quoted(text),
        1 => double_quoted(text),
        _ => ansi_quoted(text),
    }
}

/// A piece of a command that prints something and has a status.
struct Part {
    command: String,
    output: Vec<u8>,
    code: i32,
}

fn part(random: &mut Random, depth: usize) -> Part {
    if depth == 0 || random.one_in(2) {
        return leaf(random);
    }
    let Part {
        command,
        output,
        code,
    } = part(random, depth - 1);
    let made = |command: String, output: Vec<u8>, code: i32| Part {
        command,
        output,
        code,
    };
    match random.below(7) {
        0 => made(format!("( {command}\n)"), output, code),
        1 => made(format!("{{ {command}\n}}"), output, code),
        2 => {
            let second = part(random, depth - 1);
            let output = [output, second.output].concat();
            made(
                format!("{command}\n{}", second.command),
                output,
                second.code,
            )
        }
        3 => {
            let times = random.below(4);
            let words = "x ".repeat(times);
            let code = if times == 0 { 0 } else { code };
            made(
                format!("for i in {words}; do {command}\ndone"),
                output.repeat(times),
                code,
            )
        }
        4 => {
            let answer: &[u8] = if code == 0 { b"yes\n" } else { b"no\n" };
            let command = format!("if {command}\nthen echo yes; else echo no; fi");
            made(command, [&output, answer].concat(), 0)
        }
        5 => made(
            format!("f() {{ local v=1; {command}\n}}\nf; unset -f f"),
            output,
            0,
        ),
        _ => made(format!("eval {}", quoted(random, &command)), output, code),
    }
}

/// A part without parts.
fn leaf(random: &mut Random) -> Part {
    let word = text(random);
    let line = format!("{word}\n").into_bytes();
    let code = if random.one_in(3) {
        i32::try_from(random.below(126)).unwrap()
    } else {
        0
    };
    let made = |command: String, output: Vec<u8>, code: i32| Part {
        command,
        output,
        code,
    };
    match random.below(9) {
        0..=2 => made(format!("printf '%s\\n' {}", quoted(random, &word)), line, 0),
        3 => made(
            format!("printf '%s\\n' {} >&2", quoted(random, &word)),
            line,
            0,
        ),
        4 => made(format!("(exit {code})"), vec![], code),
        5 => {
            let word = format!("x{word}");
            made(
                format!("/bin/echo {}", quoted(random, &word)),
                format!("{word}\n").into_bytes(),
                0,
            )
        }
        6 => made(format!("cat <<'EOT'\n{word}\nEOT\n"), line, 0),
        7 => made(format!("bash -c 'exit {code}'"), vec![], code),
        _ => control_bytes(random),
    }
}

/// Bytes that are no text, without those that the terminal itself changes.
fn control_bytes(random: &mut Random) -> Part {
    let mut output = Vec::new();
    let mut escaped = String::new();
    for _ in 0..random.below(20) {
        let byte = u8::try_from(random.below(256)).unwrap();
        if byte != b'\n' {
            output.push(byte);
            escaped.push_str(&format!("\\{byte:03o}"));
        }
    }
    Part {
        command: format!("printf '{escaped}'"),
        output,
        code: 0,
    }
}

/// The next command for a shell in this state, which is brought up to date.
pub(crate) fn next(random: &mut Random, model: &mut Model) -> Case {
    let case = match random.below(40) {
        0..=19 => from_part(random),
        20..=22 => change_directory(random, model),
        23..=24 => count(model),
        25 => last_code(model),
        26..=27 => background(random),
        28 => long_output(random),
        29..=31 => read_input(random),
        32..=33 => interrupt(random),
        34 => ignored_signal(),
        35 => options(random),
        36 => traps(random),
        37 => pipe_status(random),
        38 => prompt(random),
        _ => end_of_shell(random),
    };
    if case.ends_shell {
        model.reset();
    } else {
        model.last_code = case.code;
    }
    case
}

fn plain(command: impl Into<String>, output: impl Into<Vec<u8>>, code: i32) -> Case {
    Case {
        command: command.into(),
        action: Action::Wait,
        code,
        output: Expected::Bytes(output.into()),
        ends_shell: false,
    }
}

fn from_part(random: &mut Random) -> Case {
    let depth = random.below(4);
    let part = part(random, depth);
    plain(
        part.command.trim_end().to_owned() + "\n",
        part.output,
        part.code,
    )
}

fn change_directory(random: &mut Random, model: &mut Model) -> Case {
    let name = format!("d{}", text(random).replace(['/', '\u{301}'], ""));
    match random.below(3) {
        0 if model.directory.starts_with(&model.root)
            && model.directory.as_os_str().len() < 1500 =>
        {
            model.directory.push(&name);
            plain(
                format!("mkdir -p -- {0} && cd -- {0}", single_quoted(&name)),
                "",
                0,
            )
        }
        1 => {
            model.directory.clone_from(&model.root);
            plain(
                format!("cd {}", single_quoted(model.root.to_str().unwrap())),
                "",
                0,
            )
        }
        _ => plain("(cd /; exit 4)", "", 4),
    }
}

fn count(model: &mut Model) -> Case {
    model.counter += 1;
    plain(
        "n=$((${n:-0} + 1)); echo $n",
        format!("{}\n", model.counter),
        0,
    )
}

fn last_code(model: &Model) -> Case {
    plain("echo $?", format!("{}\n", model.last_code), 0)
}

fn background(random: &mut Random) -> Case {
    let mut case = plain("", "", 0);
    if random.one_in(2) {
        case.command = "(sleep 0.01; exit 0) & wait $!; (exit 5)".into();
        case.code = 5;
    } else {
        case.command = "sleep 100 & kill $!; wait $! 2>/dev/null; echo over".into();
        case.output = Expected::Contains(b"over\r\n".to_vec());
        return case;
    }
    case.output = Expected::Contains(b"] ".to_vec());
    case
}

/// Above the cap, which the runner sets.
fn long_output(random: &mut Random) -> Case {
    let bytes = 70_000 + random.below(400_000);
    let mut case = plain(
        format!("head -c {bytes} /dev/zero | tr '\\0' x; (exit 9)"),
        "",
        9,
    );
    case.output = Expected::Count(bytes as u64);
    case
}

fn read_input(random: &mut Random) -> Case {
    let word = format!("in{}", random.below(1000));
    let mut case = plain("echo ready; read -r x; echo \"got $x\"; (exit 3)", "", 3);
    case.output = Expected::Bytes(format!("ready\n{word}\ngot {word}\n").into_bytes());
    case.action = Action::Type("ready\r\n", word);
    case
}

fn interrupt(random: &mut Random) -> Case {
    let command = random.pick(&[
        "echo ready; sleep 100",
        "echo ready; while :; do :; done",
        "echo ready; read x; echo never",
        "bash -c 'echo ready; sleep 100; echo never'",
        "for i in 1 2 3; do echo ready; sleep 100; done",
        "sleep 100 | bash -c 'echo ready; cat'",
    ]);
    let mut case = plain(*command, "", 130);
    case.output = Expected::Contains(b"^C".to_vec());
    case.action = Action::Interrupt("ready\r\n");
    case
}

/// An interactive bash does not end by SIGTERM.
fn ignored_signal() -> Case {
    plain("kill $$; echo here", "here\n", 0)
}

fn options(random: &mut Random) -> Case {
    match random.below(6) {
        0 => plain(
            "set -e; true; [ -f /nope ] && echo x || echo y; set +e; (exit 6)",
            "y\n",
            6,
        ),
        1 => plain("set -u; echo ${nope-default}; set +u", "default\n", 0),
        2 => plain("set -x; echo t; set +x", "+ echo t\nt\n+ set +x\n", 0),
        3 => plain("set -o posix; echo p; set +o posix", "p\n", 0),
        4 => plain("IFS=0123456789; echo i; IFS=$' \\t\\n'", "i\n", 0),
        _ => plain(
            "set -f; shopt -s nullglob failglob; echo '*'; shopt -u nullglob failglob; set +f",
            "*\n",
            0,
        ),
    }
}

fn traps(random: &mut Random) -> Case {
    match random.below(3) {
        0 => plain("trap 'echo caught' ERR; false; trap - ERR", "caught\n", 0),
        1 => plain(
            "trap 'echo usr' USR1; kill -USR1 $$; trap - USR1",
            "usr\n",
            0,
        ),
        _ => plain("(trap 'echo bye' EXIT; exit 8)", "bye\n", 8),
    }
}

fn pipe_status(random: &mut Random) -> Case {
    let (first, second) = (random.below(100), random.below(100));
    let code = i32::try_from(second).unwrap();
    let mut case = plain(
        format!("bash -c 'exit {first}' | bash -c 'exit {second}'"),
        "",
        code,
    );
    if random.one_in(2) {
        case = plain(
            format!("(exit {first}) | (exit {second}); echo ${{PIPESTATUS[@]}}"),
            format!("{first} {second}\n"),
            0,
        );
    }
    case
}

fn prompt(random: &mut Random) -> Case {
    match random.below(3) {
        0 => plain("PS1='prompt> ' PS2='more> '; echo p", "p\n", 0),
        1 => plain("PROMPT_COMMAND='echo pc'; echo p", "p\npc\n", 0).then_unset(),
        _ => plain(
            "printf() { echo mine; }; eval() { echo mine; }; unset -f printf eval; echo p",
            "p\n",
            0,
        ),
    }
}

impl Case {
    /// `PROMPT_COMMAND` would print after every later command: it unsets itself.
    fn then_unset(mut self) -> Self {
        self.command = self
            .command
            .replace("echo pc", "echo pc; unset PROMPT_COMMAND");
        self
    }
}

fn end_of_shell(random: &mut Random) -> Case {
    let code = i32::try_from(random.below(256)).unwrap();
    let mut case = match random.below(6) {
        0 | 1 => plain(format!("echo last; exit {code}"), "last\n", code),
        2 => plain("echo last; kill -9 $$", "last\n", 137),
        3 => plain(
            format!("exec bash -c 'echo last; exit {code}'"),
            "last\n",
            code,
        ),
        4 => plain("set -e; echo last; false", "last\n", 1),
        _ => plain(format!("trap 'echo bye' EXIT; exit {code}"), "bye\n", code),
    };
    case.ends_shell = true;
    case
}
