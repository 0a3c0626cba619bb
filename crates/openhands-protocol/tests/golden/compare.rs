//! Reading a body as a type, writing it back, and comparing the two.

use openhands_protocol::{Form, Reading};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// How a body is checked.
#[derive(Clone)]
pub(crate) struct Check {
    /// The type's name.
    pub(crate) name: &'static str,
    form: Form,
    mode: Mode,
    reading: Reading,
    round_trip: fn(&Value, &Form, &Reading) -> Result<Value, String>,
}

/// What may differ.
#[derive(Clone, Copy, PartialEq)]
enum Mode {
    /// Nothing, except inside shortened objects.
    Exact,
    /// Members that were not recorded may be written: requests leave defaults out, and the recorder
    /// shortened some answers.
    Part,
}

fn round_trip<T: Serialize + DeserializeOwned>(
    body: &Value,
    form: &Form,
    reading: &Reading,
) -> Result<Value, String> {
    let value: T = reading
        .from_value(body.clone())
        .map_err(|e| format!("does not decode: {e}"))?;
    let written = form
        .to_value(&value)
        .map_err(|e| format!("does not encode: {e}"))?;
    let text = form
        .to_vec(&value)
        .map_err(|e| format!("does not encode as text: {e}"))?;
    let from_text: T = reading
        .from_slice(&text)
        .map_err(|e| format!("its text does not decode: {e}"))?;
    let again = form.to_value(&from_text).map_err(|e| e.to_string())?;
    if again == written {
        Ok(written)
    } else {
        Err(format!(
            "changes when it is read twice: {written} and {again}"
        ))
    }
}

fn short_name<T>() -> &'static str {
    let name = std::any::type_name::<T>();
    name.strip_prefix("openhands_protocol::").unwrap_or(name)
}

/// A body that must come back unchanged.
pub(crate) fn exact<T: Serialize + DeserializeOwned>(form: Form) -> Check {
    Check {
        name: short_name::<T>(),
        form,
        mode: Mode::Exact,
        // No unknown kind, no unknown member.
        reading: Reading::strict().known_members_only(),
        round_trip: round_trip::<T>,
    }
}

/// A request: absent members may come back as defaults.
pub(crate) fn request<T: Serialize + DeserializeOwned>() -> Check {
    Check {
        mode: Mode::Part,
        ..exact::<T>(Form::PEER)
    }
}

impl Check {
    /// The same check for a request with members that the reference does not know either.
    pub(crate) fn with_unknown_members(&self) -> Self {
        Self {
            reading: Reading::strict(),
            ..self.clone()
        }
    }

    /// The same check for a body that the recorder shortened without a mark.
    pub(crate) fn part(&self) -> Self {
        Self {
            mode: Mode::Part,
            ..self.clone()
        }
    }

    /// Checks a body. `whole` completes the objects in it of which only some members were recorded.
    pub(crate) fn run(&self, body: &Value, whole: &Value) -> Result<(), String> {
        let body = without_placeholders(body);
        let written = (self.round_trip)(&completed(&body, whole), &self.form, &self.reading)?;
        compare(&body, &written, self.mode, "$")
    }
}

/// Fills marked objects up with the members that `whole` has at the same place.
fn completed(body: &Value, whole: &Value) -> Value {
    match body {
        Value::Array(items) => items.iter().map(|item| completed(item, whole)).collect(),
        Value::Object(members) => {
            let shortened = members.contains_key("...");
            let mut all = match whole {
                Value::Object(whole) if shortened => whole.clone(),
                _ => Map::new(),
            };
            for (name, value) in members
                .iter()
                .filter(|(name, _)| !shortened || *name != "...")
            {
                let value = match name.as_str() {
                    // The items of a page are completed by the same whole.
                    "items" => completed(value, whole),
                    // Free-form.
                    "value" => value.clone(),
                    _ => completed(value, whole.get(name).unwrap_or(&Value::Null)),
                };
                all.insert(name.clone(), value);
            }
            Value::Object(all)
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => body.clone(),
    }
}

/// Drops what the recorder put in place of list items, such as `<3 more tools>`.
pub(crate) fn without_placeholders(body: &Value) -> Value {
    match body {
        Value::Array(items) => {
            let placeholder = |item: &Value| {
                item.as_str()
                    .is_some_and(|text| text.starts_with('<') && text.ends_with(" more tools>"))
            };
            items
                .iter()
                .filter(|item| !placeholder(item))
                .map(without_placeholders)
                .collect()
        }
        Value::Object(members) => Value::Object(
            members
                .iter()
                .map(|(name, value)| (name.clone(), without_placeholders(value)))
                .collect::<Map<_, _>>(),
        ),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => body.clone(),
    }
}

fn compare(recorded: &Value, written: &Value, mode: Mode, path: &str) -> Result<(), String> {
    match (recorded, written) {
        (Value::Object(recorded), Value::Object(written)) => {
            let shortened = recorded.contains_key("...");
            for (name, value) in recorded.iter().filter(|(name, _)| *name != "...") {
                let path = format!("{path}.{name}");
                let other = written
                    .get(name)
                    .ok_or_else(|| format!("{path} is not written"))?;
                compare(value, other, mode, &path)?;
            }
            if mode == Mode::Exact
                && !shortened
                && let Some(name) = written.keys().find(|name| !recorded.contains_key(*name))
            {
                return Err(format!("{path}.{name} is written but was not recorded"));
            }
            Ok(())
        }
        (Value::Array(recorded), Value::Array(written)) if recorded.len() == written.len() => {
            recorded
                .iter()
                .zip(written)
                .enumerate()
                .try_for_each(|(i, (a, b))| compare(a, b, mode, &format!("{path}[{i}]")))
        }
        // 300 and 300.0 are the same number.
        (Value::Number(a), Value::Number(b)) if a.as_f64() == b.as_f64() => Ok(()),
        (a, b) if a == b => Ok(()),
        (a, b) => Err(format!("{path}: recorded {a}, written {b}")),
    }
}
