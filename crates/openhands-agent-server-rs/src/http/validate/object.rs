//! Objects with known members.

use openhands_protocol::schema::{Field, ObjectSchema, Rules};
use openhands_protocol::server::ErrorLocation;
use serde_json::{Map, Value, json};

use super::{Checker, with_members};

impl Checker {
    /// Checks an object. `hidden` is the tag by which it was found, which errors do not show.
    pub(super) fn object(
        &mut self,
        object: &'static ObjectSchema,
        value: &Value,
        hidden: Option<&str>,
    ) -> Option<Value> {
        let none = Map::new();
        let members = match value {
            Value::Object(members) => members,
            // compat: parameters are looked for in what is no object, and not found.
            _ if object.embedded => &none,
            _ => {
                self.no_object(&object.reference_name(), value);
                return None;
            }
        };
        let shown = || shown(value, hidden);
        if !self.keep(object.before, members, shown) || !self.tag(object, members, value) {
            return None;
        }
        let before = self.errors.len();
        let mut replaced = Vec::new();
        for field in object.members() {
            let step = ErrorLocation::Name(field.name.to_owned());
            let Some((name, member)) = found(field, members) else {
                if field.is_required() {
                    let has_object = self.has_object && !object.embedded;
                    let input = if has_object { shown() } else { Value::Null };
                    self.within(step, |this| {
                        this.fail("missing", "Field required", &input, None);
                    });
                }
                continue;
            };
            let rules = field.rules.unwrap_or(&Rules::NONE);
            if rules.null_is_default && member.is_null() {
                replaced.push((name.to_owned(), None));
                continue;
            }
            let new = self.within(step, |this| {
                this.inside(|this| this.ruled(field.shape(), rules, member))
            });
            replaced.extend(new.map(|new| (name.to_owned(), Some(new))));
        }
        if object.closed {
            self.strangers(object, members);
        }
        let replaced = with_members(members, replaced);
        if self.errors.len() == before {
            let members = replaced
                .as_ref()
                .and_then(Value::as_object)
                .unwrap_or(members);
            self.keep(object.after, members, shown);
        }
        replaced
    }

    /// Below a parameter there are objects.
    fn inside<R>(&mut self, check: impl FnOnce(&mut Self) -> R) -> R {
        let outside = std::mem::replace(&mut self.has_object, true);
        let result = check(self);
        self.has_object = outside;
        result
    }

    pub(super) fn no_object(&mut self, class: &str, value: &Value) {
        if self.by_attributes {
            let msg = "Input should be a valid dictionary or object to extract fields from";
            self.fail("model_attributes_type", msg, value, None);
        } else {
            let msg = format!("Input should be a valid dictionary or instance of {class}");
            let ctx = json!({"class_name": class});
            self.fail("model_type", msg, value, Some(ctx));
        }
    }

    /// Whether an object may be read as what it is to be. A wrong `kind` ends the check, as it ends the reference's.
    fn tag(&mut self, object: &ObjectSchema, members: &Map<String, Value>, value: &Value) -> bool {
        let Some((tag, expected)) = object.tag else {
            return true;
        };
        let Some(found) = members
            .get(tag)
            .filter(|found| found.as_str() != Some(expected))
        else {
            return true;
        };
        if tag == "kind" {
            if found.is_null() {
                return true;
            }
            let ctx = json!({"error": ""});
            self.fail("assertion_error", "Assertion failed, ", value, Some(ctx));
            return false;
        }
        let step = ErrorLocation::Name(tag.to_owned());
        self.within(step, |this| {
            this.other_word("literal_error", &[expected], found);
        });
        true
    }

    fn strangers(&mut self, object: &ObjectSchema, members: &Map<String, Value>) {
        for (name, value) in members {
            let is_tag = object.tag.is_some_and(|(tag, _)| tag == name);
            let is_known = object
                .members()
                .any(|field| field.name == name || field.alias == Some(name));
            if !is_tag && !is_known {
                self.within(ErrorLocation::Name(name.clone()), |this| {
                    this.fail(
                        "extra_forbidden",
                        "Extra inputs are not permitted",
                        value,
                        None,
                    );
                });
            }
        }
    }
}

/// A member by one of its names.
fn found<'a>(field: &Field, members: &'a Map<String, Value>) -> Option<(&'static str, &'a Value)> {
    std::iter::once(field.name)
        .chain(field.alias)
        .find_map(|name| members.get(name).map(|member| (name, member)))
}

/// An object as errors show it.
fn shown(value: &Value, hidden: Option<&str>) -> Value {
    let mut value = value.clone();
    if let (Some(members), Some(hidden)) = (value.as_object_mut(), hidden) {
        members.shift_remove(hidden);
    }
    value
}
