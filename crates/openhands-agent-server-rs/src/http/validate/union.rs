//! Objects told apart by a tag.

use openhands_protocol::schema::{DefaultKind, ObjectSchema, Telling, UnionSchema};
use openhands_protocol::server::ErrorLocation;
use serde_json::{Map, Value, json};

use super::Checker;

impl Checker {
    pub(super) fn union(&mut self, union: &'static UnionSchema, value: &Value) -> Option<Value> {
        match union.telling {
            Telling::Tag { found_using } => self.tagged(union, found_using, value),
            Telling::Class { path, default } => self.classed(union, path, default, value),
            Telling::Trying => self.tried(union, value),
        }
    }

    fn tagged(
        &mut self,
        union: &'static UnionSchema,
        found_using: &str,
        value: &Value,
    ) -> Option<Value> {
        let Value::Object(members) = value else {
            let msg = "Input should be a valid dictionary or object to extract fields from";
            self.fail("model_attributes_type", msg, value, None);
            return None;
        };
        let given = members.get(union.tag);
        let default = union.default.and_then(|default| default(members));
        let Some(kind) = given.map(python_text).or(default.map(str::to_owned)) else {
            let msg = format!("Unable to extract tag using discriminator {found_using}");
            let ctx = json!({"discriminator": found_using});
            self.fail("union_tag_not_found", msg, value, Some(ctx));
            return None;
        };
        if union.prefix.is_some_and(|prefix| kind.starts_with(prefix)) {
            return None;
        }
        let Some(object) = find(union, &kind) else {
            let expected: Vec<_> = union.kinds().map(|(kind, _)| format!("'{kind}'")).collect();
            let expected = expected.join(", ");
            let msg = format!(
                "Input tag '{kind}' found using {found_using} does not match any of the expected tags: {expected}"
            );
            let ctx = json!({"discriminator": found_using, "tag": kind, "expected_tags": expected});
            self.fail("union_tag_invalid", msg, value, Some(ctx));
            return None;
        };
        let step = ErrorLocation::Name(kind.clone());
        if given.is_some() {
            return self.within(step, |this| this.object(object, value, None));
        }
        let named = with_tag(members, union.tag, &kind);
        let replaced = self.within(step, |this| this.object(object, &named, None));
        Some(replaced.unwrap_or(named))
    }

    fn classed(
        &mut self,
        union: &'static UnionSchema,
        path: &str,
        default: Option<DefaultKind>,
        value: &Value,
    ) -> Option<Value> {
        let Value::Object(members) = value else {
            self.no_object(&union.reference_name(), value);
            return None;
        };
        let given = members.get(union.tag).filter(|kind| !kind.is_null());
        let default = default
            .and_then(|default| default(members))
            .unwrap_or_default();
        let kind = given.map_or_else(|| default.to_owned(), python_text);
        let Some(object) = find(union, &kind) else {
            let expected: Vec<_> = union.kinds().map(|(kind, _)| format!("'{kind}'")).collect();
            let message = format!(
                "Unknown kind '{kind}' for {path}; Expected one of: [{}]",
                expected.join(", ")
            );
            self.broken(&message, value);
            return None;
        };
        // From here on the reference reads the object by itself, and says other words about what it holds.
        let outside = std::mem::replace(&mut self.by_attributes, false);
        let replaced = self.object(object, value, Some(union.tag));
        self.by_attributes = outside;
        if given.is_some() {
            return replaced;
        }
        let members = replaced
            .as_ref()
            .and_then(Value::as_object)
            .unwrap_or(members);
        Some(with_tag(members, union.tag, &kind))
    }

    fn tried(&mut self, union: &'static UnionSchema, value: &Value) -> Option<Value> {
        let before = self.errors.len();
        for (kind, object) in union.kinds() {
            let step = ErrorLocation::Name(object.reference_name());
            let found = self.errors.len();
            let replaced = self.within(step, |this| this.object(object, value, None));
            if self.errors.len() == found {
                self.errors.truncate(before);
                let members = replaced.as_ref().unwrap_or(value).as_object()?;
                if members.contains_key(union.tag) {
                    return replaced;
                }
                return Some(with_tag(members, union.tag, kind));
            }
        }
        None
    }
}

fn find(union: &'static UnionSchema, kind: &str) -> Option<&'static ObjectSchema> {
    let mut kinds = union.kinds();
    kinds
        .find(|(known, _)| *known == kind)
        .map(|(_, object)| object)
}

fn with_tag(members: &Map<String, Value>, tag: &str, kind: &str) -> Value {
    let mut members = members.clone();
    members.insert(tag.to_owned(), kind.into());
    Value::Object(members)
}

/// A tag as an error shows it.
fn python_text(tag: &Value) -> String {
    match tag {
        Value::String(text) => text.clone(),
        Value::Null => "None".to_owned(),
        Value::Bool(true) => "True".to_owned(),
        Value::Bool(false) => "False".to_owned(),
        Value::Number(_) | Value::Array(_) | Value::Object(_) => tag.to_string(),
    }
}
