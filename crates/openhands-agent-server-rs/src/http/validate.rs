//! Checks input against the schema of its type, as the reference does: all that is wrong is said at once,
//! in its words. What passes is brought into the form that the type reads.

mod number;
mod object;
mod redact;
mod text;
mod time;
mod union;

use openhands_protocol::schema::{Branch, Rule, Rules, Schema, SchemaOf};
use openhands_protocol::server::{ErrorLocation, ValidationError};
use openhands_protocol::{Json, Patch};
use serde_json::{Map, Value, json};

use redact::redacted;

/// More than this are not told one by one.
const MAX_ERRORS: usize = 1000;

/// Checks what came in `place` (`body`, `query` or `path`) and returns it as the type reads it.
pub(crate) fn check(
    place: &str,
    schema: &'static Schema,
    value: Value,
) -> Result<Value, Vec<ValidationError>> {
    let mut checker = Checker::new(vec![ErrorLocation::Name(place.to_owned())], true);
    // Parameters have no object around them: one that is missing is reported alone.
    checker.has_object = place == "body";
    checker.finish(schema, value)
}

/// Checks a value that a handler got by another way. Places of errors are relative to the value.
#[allow(dead_code, reason = "for handlers that check a part of their input")]
pub(crate) fn check_part(
    schema: &'static Schema,
    value: Value,
) -> Result<Value, Vec<ValidationError>> {
    Checker::new(Vec::new(), false).finish(schema, value)
}

/// A rule of a handler's own was broken.
#[allow(dead_code, reason = "for handlers with rules of their own")]
pub(crate) fn value_error(place: &[&str], message: &str, input: &Value) -> ValidationError {
    let loc = place
        .iter()
        .map(|name| ErrorLocation::Name((*name).to_owned()))
        .collect();
    broken_rule(loc, message, input)
}

fn broken_rule(loc: Vec<ErrorLocation>, message: &str, input: &Value) -> ValidationError {
    let said = format!("Value error, {message}");
    let ctx = json!({"error": message});
    error("value_error", loc, said, input, Some(ctx))
}

fn error(
    kind: &str,
    loc: Vec<ErrorLocation>,
    msg: String,
    input: &Value,
    ctx: Option<Value>,
) -> ValidationError {
    ValidationError {
        kind: kind.to_owned(),
        loc,
        msg,
        input: Patch::Value(Json(redacted(input))),
        ctx: match ctx {
            Some(Value::Object(members)) => Some(members.into()),
            _ => None,
        },
        ..ValidationError::default()
    }
}

/// A check under way: where it is, and what was found so far.
struct Checker {
    loc: Vec<ErrorLocation>,
    errors: Vec<ValidationError>,
    /// Whether objects may be given by anything with attributes. Only the words of an error depend on it.
    by_attributes: bool,
    /// Whether an error about a missing member shows the object.
    has_object: bool,
}

impl Checker {
    fn new(loc: Vec<ErrorLocation>, by_attributes: bool) -> Self {
        Self {
            loc,
            errors: Vec::new(),
            by_attributes,
            has_object: true,
        }
    }

    fn finish(
        mut self,
        schema: &'static Schema,
        value: Value,
    ) -> Result<Value, Vec<ValidationError>> {
        let replaced = self.value(schema, &Rules::NONE, &value);
        if self.errors.is_empty() {
            Ok(replaced.unwrap_or(value))
        } else {
            Err(self.errors)
        }
    }

    /// Notes what is wrong here.
    fn fail(&mut self, kind: &str, msg: impl Into<String>, input: &Value, ctx: Option<Value>) {
        if self.errors.len() < MAX_ERRORS {
            let loc = self.loc.clone();
            self.errors.push(error(kind, loc, msg.into(), input, ctx));
        }
    }

    /// Whether a rule is kept; notes it if not. The input is asked for only then: it may be large.
    fn keep<T>(&mut self, rule: Option<Rule<T>>, value: &T, input: impl FnOnce() -> Value) -> bool {
        match rule.map(|rule| rule(value)) {
            Some(Err(message)) => {
                self.broken(&message, &input());
                false
            }
            Some(Ok(())) | None => true,
        }
    }

    /// Notes a broken rule.
    fn broken(&mut self, message: &str, input: &Value) {
        let loc = self.loc.clone();
        self.errors.push(broken_rule(loc, message, input));
    }

    /// Goes one step down.
    fn within<R>(&mut self, step: ErrorLocation, check: impl FnOnce(&mut Self) -> R) -> R {
        self.loc.push(step);
        let result = check(self);
        self.loc.pop();
        result
    }

    /// Checks a value. What it has to become, if not itself.
    fn value(&mut self, schema: &'static Schema, rules: &Rules, value: &Value) -> Option<Value> {
        match schema {
            Schema::Any => None,
            // Either may be something simpler.
            Schema::Nullable(_) if value.is_null() => None,
            Schema::TextOr(_) if value.is_string() => None,
            Schema::Boolean => self.boolean(value),
            Schema::Integer => self.integer(rules, value),
            Schema::Number => self.number(rules, value),
            Schema::Text => self.text(rules, value),
            Schema::Secret => self.secret(rules, value),
            Schema::Uuid => self.uuid(value),
            Schema::Time => self.time(value),
            Schema::Words(words) => self.words(words, value),
            Schema::List(items) => self.list(*items, rules, value),
            Schema::Tuple(items) => self.tuple(items, value),
            Schema::Map(values) => self.map(*values, value),
            Schema::Object(object) => self.object(object, value, None),
            Schema::Union(union) => self.union(union, value),
            Schema::OneOf(branches) => self.one_of(branches, value),
            Schema::Nullable(inner) | Schema::TextOr(inner) => self.value(inner(), rules, value),
        }
    }

    /// Checks a value with the rules that hold whatever its type is.
    fn ruled(&mut self, schema: &'static Schema, rules: &Rules, value: &Value) -> Option<Value> {
        if !self.keep(rules.before, value, || value.clone()) {
            return None;
        }
        let before = self.errors.len();
        let replaced = self.value(schema, rules, value);
        if self.errors.len() == before {
            self.keep(rules.check, replaced.as_ref().unwrap_or(value), || {
                value.clone()
            });
        }
        replaced
    }

    fn list(&mut self, items: SchemaOf, rules: &Rules, value: &Value) -> Option<Value> {
        let Value::Array(list) = value else {
            self.fail("list_type", "Input should be a valid list", value, None);
            return None;
        };
        if rules.max_length.is_some_and(|most| list.len() > most) {
            self.length("too_long", "List", rules.max_length, list.len(), value);
            return None;
        }
        let before = self.errors.len();
        let mut replaced = Vec::new();
        for (place, item) in list.iter().enumerate() {
            let step = ErrorLocation::Index(i64::try_from(place).unwrap_or(i64::MAX));
            let new = self.within(step, |this| this.value(items(), &Rules::NONE, item));
            replaced.extend(new.map(|new| (place, new)));
        }
        let short = rules.min_length.is_some_and(|least| list.len() < least);
        if short && self.errors.len() == before {
            self.length("too_short", "List", rules.min_length, list.len(), value);
        }
        with_items(list, replaced)
    }

    fn length(
        &mut self,
        kind: &str,
        field_type: &str,
        bound: Option<usize>,
        actual: usize,
        value: &Value,
    ) {
        let bound = bound.unwrap_or_default();
        let (word, name) = match kind {
            "too_long" => ("most", "max_length"),
            _ => ("least", "min_length"),
        };
        let items = if bound == 1 { "item" } else { "items" };
        self.fail(
            kind,
            format!(
                "{field_type} should have at {word} {bound} {items} after validation, not {actual}"
            ),
            value,
            Some(json!({"field_type": field_type, name: bound, "actual_length": actual})),
        );
    }

    fn tuple(&mut self, items: &[SchemaOf], value: &Value) -> Option<Value> {
        let Value::Array(list) = value else {
            self.fail("tuple_type", "Input should be a valid tuple", value, None);
            return None;
        };
        if list.len() > items.len() {
            self.length("too_long", "Tuple", Some(items.len()), list.len(), value);
            return None;
        }
        let mut replaced = Vec::new();
        for (place, item) in items.iter().enumerate() {
            let step = ErrorLocation::Index(i64::try_from(place).unwrap_or(i64::MAX));
            self.within(step, |this| match list.get(place) {
                Some(value) => {
                    let new = this.value(item(), &Rules::NONE, value);
                    replaced.extend(new.map(|new| (place, new)));
                }
                None => this.fail("missing", "Field required", value, None),
            });
        }
        with_items(list, replaced)
    }

    fn map(&mut self, values: SchemaOf, value: &Value) -> Option<Value> {
        let Value::Object(members) = value else {
            self.fail(
                "dict_type",
                "Input should be a valid dictionary",
                value,
                None,
            );
            return None;
        };
        let mut replaced = Vec::new();
        for (name, member) in members {
            let step = ErrorLocation::Name(name.clone());
            let new = self.within(step, |this| this.value(values(), &Rules::NONE, member));
            replaced.extend(new.map(|new| (name.clone(), Some(new))));
        }
        with_members(members, replaced)
    }

    /// Tries each way; the value as it is counts for more than one that it can become.
    fn one_of(&mut self, branches: &[Branch], value: &Value) -> Option<Value> {
        let before = self.errors.len();
        let mut possible = None;
        for branch in branches {
            let step = ErrorLocation::Name(branch.label.to_owned());
            let found = self.errors.len();
            let replaced = self.within(step, |this| {
                this.value((branch.schema)(), &Rules::NONE, value)
            });
            if self.errors.len() == found {
                match replaced {
                    None => {
                        self.errors.truncate(before);
                        return None;
                    }
                    Some(new) => possible = possible.or(Some(new)),
                }
            }
        }
        if possible.is_some() {
            self.errors.truncate(before);
        }
        possible
    }
}

/// A list with some items replaced.
fn with_items(list: &[Value], replaced: Vec<(usize, Value)>) -> Option<Value> {
    if replaced.is_empty() {
        return None;
    }
    let mut list = list.to_vec();
    for (place, new) in replaced {
        if let Some(item) = list.get_mut(place) {
            *item = new;
        }
    }
    Some(Value::Array(list))
}

/// An object with some members replaced, or taken out.
fn with_members(
    members: &Map<String, Value>,
    replaced: Vec<(String, Option<Value>)>,
) -> Option<Value> {
    if replaced.is_empty() {
        return None;
    }
    let mut members = members.clone();
    for (name, new) in replaced {
        match new {
            Some(new) => members.insert(name, new),
            None => members.shift_remove(&name),
        };
    }
    Some(Value::Object(members))
}

#[cfg(test)]
#[path = "validate_tests.rs"]
mod tests;
