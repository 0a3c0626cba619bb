//! What a hook decided: read from a program's exit code and output, or from a model's answer.

use serde_json::Value;

/// The exit code by which a program forbids what it was asked about.
const BLOCKS: i32 = 2;
/// The exit code of a hook of which none can be known.
const NO_EXIT_CODE: i32 = -1;

/// The outcome of one hook.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Verdict {
    /// Whether the hook did its work; what it decided is another matter.
    pub(super) success: bool,
    pub(super) blocked: bool,
    pub(super) exit_code: i32,
    pub(super) stdout: String,
    pub(super) stderr: String,
    pub(super) reason: Option<String>,
    pub(super) additional_context: Option<String>,
    pub(super) error: Option<String>,
    /// The caller did not wait for its end.
    pub(super) cancelled: bool,
}

impl Verdict {
    /// Reads what a program left when it ended.
    pub(super) fn of_program(exit_code: i32, stdout: &[u8], stderr: &[u8]) -> Self {
        let mut verdict = Self {
            success: exit_code == 0,
            blocked: exit_code == BLOCKS,
            exit_code,
            stdout: to_text(stdout),
            stderr: to_text(stderr),
            ..Self::default()
        };
        // Output that is no JSON object is output, and nothing more.
        if let Ok(Value::Object(said)) = serde_json::from_str(&verdict.stdout) {
            let decision = said.get("decision").and_then(Value::as_str);
            let denies = decision.is_some_and(|word| word.eq_ignore_ascii_case("deny"));
            let ends = said.get("continue").is_some_and(|value| !is_truthy(value));
            verdict.blocked |= denies || ends;
            verdict.reason = said.get("reason").and_then(in_words);
            verdict.additional_context = said.get("additionalContext").and_then(in_words);
        }
        verdict
    }

    /// Reads the answer of a model: the first JSON object in it. An answer without a clear decision allows, and the
    /// hook counts as failed.
    pub(super) fn of_answer(kind: &str, answer: &str) -> Self {
        if answer.is_empty() {
            return Self::undecided(format!("The {kind} hook gave no answer: allowed"), None);
        }
        let Some(said) = first_object(answer) else {
            return Self::undecided(
                format!("The answer of the {kind} hook has no JSON object: allowed"),
                None,
            );
        };
        let word = said.get("decision").and_then(in_words).unwrap_or_default();
        let blocked = match word.to_lowercase().as_str() {
            "deny" => true,
            "allow" => false,
            _ => {
                return Self::undecided(
                    format!("The {kind} hook decided neither allow nor deny: allowed"),
                    None,
                );
            }
        };
        Self {
            success: true,
            blocked,
            reason: Some(said.get("reason").and_then(in_words).unwrap_or_default()),
            ..Self::default()
        }
    }

    /// A model could not decide: what it was asked about is allowed.
    pub(super) fn undecided(reason: String, error: Option<String>) -> Self {
        Self {
            error: Some(error.unwrap_or_else(|| reason.clone())),
            reason: Some(reason),
            ..Self::default()
        }
    }

    /// A program that did not run to its end decides nothing.
    pub(super) fn failed(error: String) -> Self {
        Self {
            exit_code: NO_EXIT_CODE,
            error: Some(error),
            ..Self::default()
        }
    }

    /// A hook that was ended by the caller decides nothing.
    pub(super) fn cancelled() -> Self {
        Self {
            cancelled: true,
            ..Self::failed("The hook was cancelled".to_owned())
        }
    }

    /// A program that goes on by itself.
    pub(super) fn started() -> Self {
        Self {
            success: true,
            ..Self::default()
        }
    }

    /// Why it blocks, in the words of the hook if it has any.
    pub(super) fn blocking_reason(&self) -> Option<String> {
        let given = self.reason.as_deref().filter(|reason| !reason.is_empty());
        let printed = Some(self.stderr.trim()).filter(|text| !text.is_empty());
        self.blocked
            .then(|| given.or(printed).unwrap_or("Blocked by hook").to_owned())
    }
}

/// Text in the form that programs on any system give: one line end, and nothing that is no text.
pub(super) fn to_text(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    if text.contains('\r') {
        text.replace("\r\n", "\n").replace('\r', "\n")
    } else {
        text.into_owned()
    }
}

/// A value as a sentence. Nothing is no sentence.
fn in_words(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
    }
}

/// Whether a value means yes to a script: everything but false, zero and what is empty.
fn is_truthy(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(yes) => *yes,
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::String(text) => !text.is_empty(),
        Value::Array(items) => !items.is_empty(),
        Value::Object(members) => !members.is_empty(),
    }
}

/// The first JSON object in a text, whatever stands around it.
fn first_object(text: &str) -> Option<serde_json::Map<String, Value>> {
    text.match_indices('{').find_map(|(place, _)| {
        let mut values = serde_json::Deserializer::from_str(text.get(place..)?).into_iter();
        match values.next()?.ok()? {
            Value::Object(members) => Some(members),
            _ => None,
        }
    })
}

#[cfg(test)]
#[path = "verdict_tests.rs"]
mod tests;
