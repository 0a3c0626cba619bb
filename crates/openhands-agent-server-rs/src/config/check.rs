//! Whether values fit the table of settings; texts become numbers and booleans where those are wanted.

use serde_json::{Number, Value};

use crate::config::ConfigError;
use crate::config::kind::{Kind, Limit, Setting};
use crate::config::tree::Tree;

/// Checks a value in place. Members that are required but missing are not looked for: see [`complete`].
pub(crate) fn check(tree: &mut Tree, kind: Kind, place: &str) -> Result<(), ConfigError> {
    match (kind, tree) {
        (Kind::Nullable(_), Tree::Leaf(Value::Null)) => Ok(()),
        (Kind::Nullable(inner), tree) => check(tree, *inner, place),
        (Kind::Object(settings), Tree::Object(members)) => {
            for (name, member) in members {
                if let Some(setting) = settings.iter().find(|setting| setting.name == *name) {
                    check(member, setting.kind, &format!("{place}.{name}"))?;
                }
            }
            Ok(())
        }
        (Kind::List(item), Tree::List(items)) => {
            for (index, slot) in items.iter_mut().enumerate() {
                if let Some(given) = slot {
                    check(given, *item, &format!("{place}[{index}]"))?;
                }
            }
            Ok(())
        }
        (Kind::Texts, Tree::Object(members)) if members.iter().all(|(_, one)| is_text(one)) => {
            Ok(())
        }
        (Kind::Choice, Tree::List(items)) if items.iter().flatten().all(is_text) => Ok(()),
        (kind, Tree::Leaf(value)) => {
            *value = leaf(kind, value).ok_or_else(|| misfit(kind, value, place))?;
            Ok(())
        }
        (kind, Tree::Object(_)) => Err(ConfigError::wanted(place, &kind.wanted(), "an object")),
        (kind, Tree::List(_)) => Err(ConfigError::wanted(place, &kind.wanted(), "a list")),
    }
}

fn is_text(tree: &Tree) -> bool {
    matches!(tree, Tree::Leaf(Value::String(_)))
}

/// What is wrong with a value. A secret is not shown.
fn misfit(kind: Kind, value: &Value, place: &str) -> ConfigError {
    let found = match (kind, value) {
        (Kind::Secret, _) => "something else".to_owned(),
        (_, value) => value.to_string(),
    };
    ConfigError::wanted(place, &kind.wanted(), &found)
}

/// The value in the form that the kind has; none if it does not fit.
fn leaf(kind: Kind, value: &Value) -> Option<Value> {
    match kind {
        Kind::Bool | Kind::Choice => boolean(value).map(Value::Bool),
        Kind::Whole(least, most) => whole(value)
            .filter(|number| (least..=most).contains(number))
            .map(Value::from),
        Kind::Number(limit) => number(value)
            .filter(|number| limit.holds(*number))
            .and_then(Number::from_f64)
            .map(Value::Number),
        Kind::Text | Kind::Path | Kind::Secret => value.is_string().then(|| value.clone()),
        Kind::Pattern => value
            .as_str()
            .is_some_and(|pattern| fancy_regex::Regex::new(pattern).is_ok())
            .then(|| value.clone()),
        Kind::Word(words) => value
            .as_str()
            .is_some_and(|word| words.contains(&word))
            .then(|| value.clone()),
        Kind::Texts | Kind::List(_) | Kind::Object(_) | Kind::Nullable(_) => None,
    }
}

fn boolean(value: &Value) -> Option<bool> {
    match value {
        Value::Bool(given) => Some(*given),
        Value::Number(number) => match number.as_f64() {
            Some(0.0) => Some(false),
            Some(1.0) => Some(true),
            _ => None,
        },
        Value::String(text) => match text.to_lowercase().as_str() {
            "true" | "1" | "yes" | "on" | "t" | "y" => Some(true),
            "false" | "0" | "no" | "off" | "f" | "n" => Some(false),
            _ => None,
        },
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

fn whole(value: &Value) -> Option<i64> {
    match value {
        Value::Number(number) => number.as_i64().or_else(|| {
            let float = number.as_f64()?;
            // Printed without a fraction it is the same number again, or it is none that fits.
            (float.fract() == 0.0)
                .then(|| format!("{float:.0}").parse().ok())
                .flatten()
        }),
        Value::String(text) => text.trim().parse().ok(),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    }
}

fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text.trim().parse().ok(),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    }
    .filter(|number| number.is_finite())
}

impl Limit {
    fn holds(self, number: f64) -> bool {
        match self {
            Self::NotNegative => number >= 0.0,
            Self::Positive => number > 0.0,
            Self::Fraction => number > 0.0 && number < 1.0,
        }
    }
}

/// Adds the defaults of what is not there and takes away what the table does not know. A required member that is
/// missing is an error; what is taken away is told in `unknown`.
pub(crate) fn complete(
    value: &mut Value,
    kind: Kind,
    place: &str,
    unknown: &mut Vec<String>,
) -> Result<(), ConfigError> {
    match (kind, value) {
        (Kind::Nullable(inner), value) if !value.is_null() => {
            complete(value, *inner, place, unknown)
        }
        (Kind::List(item), Value::Array(items)) => {
            for (index, value) in items.iter_mut().enumerate() {
                complete(value, *item, &format!("{place}[{index}]"), unknown)?;
            }
            Ok(())
        }
        (Kind::Object(settings), Value::Object(members)) => {
            let mut given = std::mem::take(members);
            for setting in settings {
                let place = join(place, setting.name);
                let mut value = match given.remove(setting.name) {
                    Some(value) => value,
                    None => default(setting, &place)?,
                };
                complete(&mut value, setting.kind, &place, unknown)?;
                members.insert(setting.name.to_owned(), value);
            }
            unknown.extend(given.keys().map(|name| join(place, name)));
            Ok(())
        }
        _ => Ok(()),
    }
}

fn default(setting: &Setting, place: &str) -> Result<Value, ConfigError> {
    let text = setting
        .default
        .ok_or_else(|| ConfigError::new(place, "is missing"))?;
    serde_json::from_str(text).map_err(|error| ConfigError::new(place, &error.to_string()))
}

fn join(place: &str, name: &str) -> String {
    if place.is_empty() {
        name.to_owned()
    } else {
        format!("{place}.{name}")
    }
}
