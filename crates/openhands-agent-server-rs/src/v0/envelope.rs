//! Actions as clients send them: which there are, which arguments they take, and what is said about a wrong one.

use openhands_protocol::v0::V0Action;
use openhands_sdk_rs::tools::browser::gym::language::{Literal, literal};
use openhands_sdk_rs::tools::python_repr;
use serde_json::{Map, Value};

use super::refusal::Refusal;

type Members = Map<String, Value>;

/// An action that can be carried out.
struct Kind {
    name: &'static str,
    /// Its name in messages that clients know.
    class: &'static str,
    required: &'static [&'static str],
    optional: &'static [&'static str],
}

const KINDS: &[Kind] = &[
    Kind {
        name: "run",
        class: "CmdRunAction",
        required: &["command"],
        optional: &[
            "is_input",
            "thought",
            "blocking",
            "is_static",
            "cwd",
            "hidden",
            "confirmation_state",
            "security_risk",
        ],
    },
    Kind {
        name: "run_ipython",
        class: "IPythonRunCellAction",
        required: &["code"],
        optional: &[
            "thought",
            "include_extra",
            "confirmation_state",
            "security_risk",
            "kernel_init_code",
        ],
    },
    Kind {
        name: "read",
        class: "FileReadAction",
        required: &["path"],
        optional: &[
            "start",
            "end",
            "thought",
            "security_risk",
            "impl_source",
            "view_range",
        ],
    },
    Kind {
        name: "write",
        class: "FileWriteAction",
        required: &["path", "content"],
        optional: &["start", "end", "thought", "security_risk"],
    },
    Kind {
        name: "edit",
        class: "FileEditAction",
        required: &["path"],
        optional: &[
            "command",
            "file_text",
            "old_str",
            "new_str",
            "insert_line",
            "content",
            "start",
            "end",
            "thought",
            "security_risk",
            "impl_source",
        ],
    },
    Kind {
        name: "browse",
        class: "BrowseURLAction",
        required: &["url"],
        optional: &["thought", "security_risk", "return_axtree"],
    },
    Kind {
        name: "browse_interactive",
        class: "BrowseInteractiveAction",
        required: &["browser_actions"],
        optional: &[
            "thought",
            "browsergym_send_msg_to_user",
            "security_risk",
            "return_axtree",
        ],
    },
];

/// Actions that clients know and carry out themselves.
const OF_CLIENTS: &[&str] = &[
    "null",
    "think",
    "finish",
    "reject",
    "delegate",
    "recall",
    "change_agent_state",
    "message",
    "system",
    "call_tool_mcp",
    "condensation",
    "condensation_request",
    "task_tracking",
    "loop_recovery",
];

/// Arguments that may be null; elsewhere null stands for an argument that was not given.
const MAY_BE_NULL: &[&str] = &[
    "cwd",
    "view_range",
    "file_text",
    "old_str",
    "new_str",
    "insert_line",
];

/// The action in a request.
pub(super) fn action(request: &Members) -> Result<V0Action, Refusal> {
    let given = match request.get("action") {
        Some(Value::Object(given)) => given,
        Some(other) => {
            return Err(Refusal::invalid(
                "dict_type",
                "('body', 'action')",
                "Input should be a valid dictionary",
                other,
            ));
        }
        None => {
            let input = Value::Object(request.clone());
            return Err(Refusal::missing("('body', 'action')", &input));
        }
    };
    let kind = kind_of(given)?;
    let mut action = given.clone();
    let args = arguments(kind, given)?;
    action.insert("args".to_owned(), Value::Object(args));
    read(action)
}

fn kind_of(given: &Members) -> Result<&'static Kind, Refusal> {
    let Some(name) = given.get("action") else {
        return Err(if given.contains_key("observation") {
            Refusal::action("400: Invalid action type")
        } else {
            Refusal::action(format!(
                "Unknown event type: {}",
                python_repr::object(given)
            ))
        });
    };
    let text = name.as_str().unwrap_or_default();
    if let Some(kind) = KINDS.iter().find(|kind| kind.name == text) {
        return Ok(kind);
    }
    if OF_CLIENTS.contains(&text) {
        return Err(Refusal::action(format!(
            "'ActionExecutor' object has no attribute '{text}'"
        )));
    }
    let known: Vec<&str> = KINDS.iter().map(|kind| kind.name).collect();
    Err(Refusal::action(format!(
        "'action['action']={}' is not defined. Actions that can be executed: {}",
        python_repr::value(name),
        known.join(", ")
    )))
}

/// The arguments of an action, without what only older clients send.
fn arguments(kind: &Kind, given: &Members) -> Result<Members, Refusal> {
    let mut args = match given.get("args") {
        None | Some(Value::Null) => Members::new(),
        Some(Value::Object(args)) => args.clone(),
        Some(other) => {
            return Err(Refusal::action(format!(
                "action={} has the wrong arguments: args must be an object, not {}",
                python_repr::object(given),
                python_repr::value(other)
            )));
        }
    };
    translate(&mut args);
    check(kind, given, &args)?;
    args.retain(|name, value| !value.is_null() || MAY_BE_NULL.contains(&name.as_str()));
    Ok(args)
}

/// Arguments by the names that older clients have for them.
fn translate(args: &mut Members) {
    for dropped in ["timestamp", "keep_prompt", "task_completed"] {
        args.remove(dropped);
    }
    if let Some(state) = args.remove("is_confirmed") {
        args.insert("confirmation_state".to_owned(), state);
    }
    if let Some(urls) = args.remove("images_urls") {
        args.insert("image_urls".to_owned(), urls);
    }
    let is_risk = |risk: &Value| risk.as_i64().is_some_and(|risk| (-1..=2).contains(&risk));
    if args.get("security_risk").is_some_and(|risk| !is_risk(risk)) {
        args.remove("security_risk");
    }
    if let Some(code) = args.remove("translated_ipython_code") {
        args.extend(code.as_str().and_then(edit_in_code).unwrap_or_default());
        // compat: also when the code says nothing. To view is what `read` is for, and that has no commands.
        if args.get("command").is_some_and(|command| command == "view") {
            args.remove("command");
        }
    }
}

/// The arguments in `print(file_editor(**{...}))`, which are written as Python writes them.
fn edit_in_code(code: &str) -> Option<Members> {
    let printed = code
        .strip_prefix("print(file_editor(**")?
        .strip_suffix("))")?;
    let Value::Object(members) = value(literal(printed)?)? else {
        return None;
    };
    Some(members)
}

/// A Python value as JSON; none if JSON has no such number.
fn value(literal: Literal) -> Option<Value> {
    Some(match literal {
        Literal::None => Value::Null,
        Literal::Bool(yes) => yes.into(),
        Literal::Int(digits) => digits.parse::<i64>().ok()?.into(),
        Literal::Float(number) => serde_json::Number::from_f64(number)?.into(),
        Literal::Str(text) => text.into(),
        Literal::List(items) | Literal::Tuple(items) => {
            Value::Array(items.into_iter().map(value).collect::<Option<_>>()?)
        }
        Literal::Dict(members) => Value::Object(
            members
                .into_iter()
                .map(|(name, member)| Some((name, value(member)?)))
                .collect::<Option<_>>()?,
        ),
    })
}

/// Says what is wrong in the words that a Python client knows.
fn check(kind: &Kind, given: &Members, args: &Members) -> Result<(), Refusal> {
    let wrong = |what: String| {
        Refusal::action(format!(
            "action={} has the wrong arguments: {}.__init__() {what}",
            python_repr::object(given),
            kind.class
        ))
    };
    let is_known = |name: &&str| kind.required.contains(name) || kind.optional.contains(name);
    if let Some(odd) = args.keys().map(String::as_str).find(|name| !is_known(name)) {
        return Err(wrong(format!("got an unexpected keyword argument '{odd}'")));
    }
    let missing: Vec<String> = kind
        .required
        .iter()
        .filter(|name| !args.contains_key(**name))
        .map(|name| format!("'{name}'"))
        .collect();
    match missing.as_slice() {
        [] => Ok(()),
        [one] => Err(wrong(format!(
            "missing 1 required positional argument: {one}"
        ))),
        several => Err(wrong(format!(
            "missing {} required positional arguments: {}",
            several.len(),
            several.join(" and ")
        ))),
    }
}

/// The action by its type. What only clients need of it is left out, so that it cannot be wrong.
fn read(mut action: Members) -> Result<V0Action, Refusal> {
    if let Some(Value::String(source)) = action.get("source")
        && !matches!(source.as_str(), "agent" | "user" | "environment")
    {
        return Err(Refusal::action(format!(
            "'{source}' is not a valid EventSource"
        )));
    }
    action.retain(|name, _| matches!(name.as_str(), "action" | "args" | "timeout"));
    openhands_protocol::strictly(|| serde_json::from_value(Value::Object(action)))
        .map_err(Refusal::action)
}

#[cfg(test)]
#[path = "envelope_tests.rs"]
mod tests;
