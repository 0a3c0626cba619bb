//! The functions of the language, and how a call's arguments get to their parameters.

use super::mistake::{Exception, Mistake};
use super::source::Call;
use super::value::Literal;

/// A function: the parameters that must be given come first.
#[derive(Debug)]
pub(super) struct Signature {
    pub(super) name: &'static str,
    pub(super) required: &'static [&'static str],
    pub(super) optional: &'static [&'static str],
}

const fn function(
    name: &'static str,
    required: &'static [&'static str],
    optional: &'static [&'static str],
) -> Signature {
    Signature {
        name,
        required,
        optional,
    }
}

const FUNCTIONS: &[Signature] = &[
    function("noop", &[], &["wait_ms"]),
    function("send_msg_to_user", &["text"], &[]),
    function("report_infeasible", &["reason"], &[]),
    function("scroll", &["delta_x", "delta_y"], &[]),
    function("fill", &["bid", "value"], &[]),
    function("select_option", &["bid", "options"], &[]),
    function("click", &["bid"], &["button", "modifiers"]),
    function("dblclick", &["bid"], &["button", "modifiers"]),
    function("hover", &["bid"], &[]),
    function("press", &["bid", "key_comb"], &[]),
    function("focus", &["bid"], &[]),
    function("clear", &["bid"], &[]),
    function("drag_and_drop", &["from_bid", "to_bid"], &[]),
    function("upload_file", &["bid", "file"], &[]),
    function("go_back", &[], &[]),
    function("go_forward", &[], &[]),
    function("goto", &["url"], &[]),
    function("tab_close", &[], &[]),
    function("tab_focus", &["index"], &[]),
    function("new_tab", &[], &[]),
    function("mouse_move", &["x", "y"], &[]),
    function("mouse_up", &["x", "y"], &["button"]),
    function("mouse_down", &["x", "y"], &["button"]),
    function("mouse_click", &["x", "y"], &["button"]),
    function("mouse_dblclick", &["x", "y"], &["button"]),
    function(
        "mouse_drag_and_drop",
        &["from_x", "from_y", "to_x", "to_y"],
        &[],
    ),
    function("mouse_upload_file", &["x", "y", "file"], &[]),
    function("keyboard_down", &["key"], &[]),
    function("keyboard_up", &["key"], &[]),
    function("keyboard_press", &["key"], &[]),
    function("keyboard_type", &["text"], &[]),
    function("keyboard_insert_text", &["text"], &[]),
];

/// Words of Python, which cannot name an argument.
const KEYWORDS: &[&str] = &[
    "and", "as", "assert", "async", "await", "break", "class", "continue", "def", "del", "elif",
    "else", "except", "finally", "for", "from", "global", "if", "import", "in", "is", "lambda",
    "nonlocal", "not", "or", "pass", "raise", "return", "try", "while", "with", "yield",
];

/// The line of the reference's program on which the first call of an action stands; its messages name lines.
const FIRST_LINE: usize = 657;

/// Checks what can be said of the calls before the first one is made.
pub(super) fn check(calls: &[Call]) -> Result<(), Mistake> {
    if calls.is_empty() {
        return Err(Mistake::new(
            Exception::ValueError,
            "Received an empty action.",
        ));
    }
    if let Some(call) = calls.iter().find(|call| find(&call.name).is_none()) {
        return Err(Mistake::new(
            Exception::NameError,
            format!("Invalid action type '{}'.", call.name),
        ));
    }
    for (call, line) in calls.iter().zip(FIRST_LINE..) {
        let mut names: Vec<&str> = Vec::new();
        for (name, _) in &call.named {
            let wrong = if KEYWORDS.contains(&name.as_str()) {
                "invalid syntax".to_owned()
            } else if names.contains(&name.as_str()) {
                format!("keyword argument repeated: {name}")
            } else {
                names.push(name);
                continue;
            };
            return Err(Mistake::new(
                Exception::SyntaxError,
                format!("{wrong} (<string>, line {line})"),
            ));
        }
    }
    Ok(())
}

fn find(name: &str) -> Option<&'static Signature> {
    FUNCTIONS.iter().find(|function| function.name == name)
}

/// The arguments of a call, each at its parameter.
#[derive(Debug)]
pub(super) struct Arguments {
    pub(super) function: &'static str,
    values: Vec<(&'static str, Option<Literal>)>,
}

impl Arguments {
    /// Gives the arguments of a call to the parameters of its function.
    pub(super) fn bind(call: Call) -> Result<Self, Mistake> {
        let Some(signature) = find(&call.name) else {
            return Err(Mistake::new(
                Exception::NameError,
                format!("Invalid action type '{}'.", call.name),
            ));
        };
        let all = call
            .positional
            .iter()
            .chain(call.named.iter().map(|(_, value)| value));
        if all.into_iter().any(Literal::is_beyond_floats) {
            // compat: such a number is printed as a name that nothing has.
            return Err(Mistake::new(
                Exception::NameError,
                "name 'inf' is not defined",
            ));
        }
        let given = call.positional.len();
        let mut positional = call.positional.into_iter();
        let parameters = signature.required.iter().chain(signature.optional);
        let mut values: Vec<(&'static str, Option<Literal>)> =
            parameters.map(|name| (*name, positional.next())).collect();
        let wrong = |what: String| {
            Mistake::new(Exception::TypeError, format!("{}() {what}", signature.name))
        };
        for (name, value) in call.named {
            match values.iter_mut().find(|(parameter, _)| *parameter == name) {
                Some((_, place @ None)) => *place = Some(value),
                Some(_) => {
                    return Err(wrong(format!("got multiple values for argument '{name}'")));
                }
                None => {
                    return Err(wrong(format!(
                        "got an unexpected keyword argument '{name}'"
                    )));
                }
            }
        }
        if given > values.len() {
            return Err(wrong(too_many(signature, given)));
        }
        let missing: Vec<&str> = values
            .iter()
            .take(signature.required.len())
            .filter(|(_, value)| value.is_none())
            .map(|(name, _)| *name)
            .collect();
        if !missing.is_empty() {
            return Err(wrong(too_few(&missing)));
        }
        Ok(Self {
            function: signature.name,
            values,
        })
    }

    /// Takes the value of a parameter, if there is one.
    pub(super) fn take(&mut self, parameter: &str) -> Option<Literal> {
        let found = self.values.iter_mut().find(|(name, _)| *name == parameter);
        found.and_then(|(_, value)| value.take())
    }
}

fn too_many(signature: &Signature, given: usize) -> String {
    let least = signature.required.len();
    let most = least + signature.optional.len();
    let takes = if least == most {
        most.to_string()
    } else {
        format!("from {least} to {most}")
    };
    let arguments = if most == 1 && least == 1 {
        "argument"
    } else {
        "arguments"
    };
    let were = if given == 1 { "was" } else { "were" };
    format!("takes {takes} positional {arguments} but {given} {were} given")
}

fn too_few(missing: &[&str]) -> String {
    let quoted: Vec<String> = missing.iter().map(|name| format!("'{name}'")).collect();
    let names = match quoted.as_slice() {
        [first, second] => format!("{first} and {second}"),
        [rest @ .., last] if !rest.is_empty() => format!("{}, and {last}", rest.join(", ")),
        one => one.concat(),
    };
    let arguments = if missing.len() == 1 {
        "argument"
    } else {
        "arguments"
    };
    format!(
        "missing {} required positional {arguments}: {names}",
        missing.len()
    )
}
