//! Values that are put together from several places: JSON in which items of a list may still be missing.

use serde_json::{Map, Value};

use crate::config::ConfigError;

/// A value, or what is known of it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Tree {
    /// Anything that is taken as a whole.
    Leaf(Value),
    /// Members, in order.
    Object(Vec<(String, Tree)>),
    /// Items; those that are none may come from another place.
    List(Vec<Option<Tree>>),
}

/// What becomes of a value where the stronger side says null.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Nulls {
    /// Null replaces it.
    Win,
    /// It stays.
    Yield,
}

impl From<Value> for Tree {
    fn from(value: Value) -> Self {
        match value {
            Value::Object(members) => Self::Object(
                members
                    .into_iter()
                    .map(|(name, value)| (name, value.into()))
                    .collect(),
            ),
            Value::Array(items) => {
                Self::List(items.into_iter().map(|item| Some(item.into())).collect())
            }
            leaf @ (Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_)) => {
                Self::Leaf(leaf)
            }
        }
    }
}

impl Tree {
    /// This value with `stronger` on top of it: objects by member, lists by position.
    pub(crate) fn overlaid(self, stronger: Self, nulls: Nulls) -> Self {
        match (self, stronger) {
            (Self::Object(mut members), Self::Object(others)) => {
                for (name, other) in others {
                    set_member(&mut members, name, other, nulls);
                }
                Self::Object(members)
            }
            (Self::List(mut items), Self::List(others)) => {
                for (index, other) in others.into_iter().enumerate() {
                    match items.get_mut(index) {
                        None => items.push(other),
                        Some(item) => {
                            let weaker = item.take();
                            *item = overlay(weaker, other, nulls);
                        }
                    }
                }
                Self::List(items)
            }
            (weaker, Self::Leaf(Value::Null)) if nulls == Nulls::Yield => weaker,
            (_, stronger) => stronger,
        }
    }

    /// The value as JSON; a missing item is an error that names `place`.
    pub(crate) fn into_value(self, place: &str) -> Result<Value, ConfigError> {
        Ok(match self {
            Self::Leaf(value) => value,
            Self::Object(members) => Value::Object(
                members
                    .into_iter()
                    .map(|(name, member)| {
                        let value = member.into_value(&format!("{place}.{name}"))?;
                        Ok((name, value))
                    })
                    .collect::<Result<Map<_, _>, ConfigError>>()?,
            ),
            Self::List(items) => Value::Array(
                items
                    .into_iter()
                    .enumerate()
                    .map(|(index, item)| {
                        let place = format!("{place}[{index}]");
                        item.ok_or_else(|| ConfigError::new(&place, "is missing"))?
                            .into_value(&place)
                    })
                    .collect::<Result<_, ConfigError>>()?,
            ),
        })
    }
}

/// Both values together, where either may be missing.
pub(crate) fn overlay(weaker: Option<Tree>, stronger: Option<Tree>, nulls: Nulls) -> Option<Tree> {
    match (weaker, stronger) {
        (Some(weaker), Some(stronger)) => Some(weaker.overlaid(stronger, nulls)),
        (one, other) => one.or(other),
    }
}

/// Puts a value on top of a member, or adds it.
pub(crate) fn set_member(
    members: &mut Vec<(String, Tree)>,
    name: String,
    value: Tree,
    nulls: Nulls,
) {
    match members.iter_mut().find(|(known, _)| *known == name) {
        Some((_, member)) => {
            let weaker = std::mem::replace(member, Tree::Leaf(Value::Null));
            *member = weaker.overlaid(value, nulls);
        }
        None => members.push((name, value)),
    }
}
