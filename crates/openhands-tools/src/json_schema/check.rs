//! Finding what is wrong with a value under a sound schema.

use super::same::{has_type, same};
use super::{MAX_DEPTH, Violation, lookup};
use crate::arguments::Loc;
use fancy_regex::Regex;
use serde_json::{Map, Value};
use std::cell::Cell;

/// Schemas applied to one value, inner ones counted, before it counts as wrong: alternatives that refer back to
/// themselves could go on for ever.
const MAX_STEPS: usize = 1_000_000;

pub(super) fn violations(root: &Value, value: &Value) -> Vec<Violation> {
    let steps = Cell::new(0);
    let mut checker = Checker {
        root,
        steps: &steps,
        at: Vec::new(),
        depth: 0,
        found: Vec::new(),
    };
    checker.check(root, value);
    checker.found
}

struct Checker<'s> {
    root: &'s Value,
    steps: &'s Cell<usize>,
    at: Vec<Loc>,
    depth: usize,
    found: Vec<Violation>,
}

type Fields = Map<String, Value>;

impl<'s> Checker<'s> {
    fn report(&mut self, message: impl Into<String>) {
        self.found.push(Violation {
            at: self.at.clone(),
            message: message.into(),
        });
    }

    fn check(&mut self, schema: &'s Value, value: &Value) {
        let Value::Object(fields) = schema else {
            if schema == &Value::Bool(false) {
                self.report("is not allowed");
            }
            return;
        };
        self.steps.set(self.steps.get() + 1);
        if self.depth >= MAX_DEPTH || self.steps.get() > MAX_STEPS {
            self.report("is too deep to be checked");
            return;
        }
        self.depth += 1;
        let target = fields.get("$ref").and_then(Value::as_str);
        if let Some(target) = target.and_then(|target| lookup(self.root, target)) {
            self.check(target, value);
        }
        self.any_value(fields, value);
        match value {
            Value::Number(number) => self.number(fields, number.as_f64().unwrap_or(f64::NAN)),
            Value::String(text) => self.text(fields, text),
            Value::Array(items) => self.list(fields, items),
            Value::Object(members) => self.object(fields, members),
            Value::Null | Value::Bool(_) => {}
        }
        self.combined(fields, value);
        self.depth -= 1;
    }

    fn check_at(&mut self, step: Loc, schema: &'s Value, value: &Value) {
        self.at.push(step);
        self.check(schema, value);
        self.at.pop();
    }

    fn fits(&self, schema: &'s Value, value: &Value) -> bool {
        let mut inner = Checker {
            root: self.root,
            steps: self.steps,
            at: Vec::new(),
            depth: self.depth,
            found: Vec::new(),
        };
        inner.check(schema, value);
        inner.found.is_empty()
    }

    fn any_value(&mut self, fields: &Fields, value: &Value) {
        if let Some(types) = fields.get("type") {
            let names: Vec<&str> = match types {
                Value::Array(names) => names.iter().filter_map(Value::as_str).collect(),
                one => one.as_str().into_iter().collect(),
            };
            if !names.iter().any(|name| has_type(value, name)) {
                self.report(format!("should be of type {}", names.join(" or ")));
            }
        }
        if let Some(Value::Array(allowed)) = fields.get("enum")
            && !allowed.iter().any(|one| same(one, value))
        {
            self.report(format!("should be one of {}", Value::from(allowed.clone())));
        }
        if let Some(only) = fields.get("const")
            && !same(only, value)
        {
            self.report(format!("should be {only}"));
        }
    }

    fn number(&mut self, fields: &Fields, value: f64) {
        type Holds = fn(f64, f64) -> bool;
        let rules: [(&str, Holds, &str); 5] = [
            ("minimum", |v, limit| v >= limit, "should be at least"),
            ("maximum", |v, limit| v <= limit, "should be at most"),
            ("exclusiveMinimum", |v, limit| v > limit, "should be above"),
            ("exclusiveMaximum", |v, limit| v < limit, "should be below"),
            (
                "multipleOf",
                |v, unit| (v / unit).fract() == 0.0,
                "should be a multiple of",
            ),
        ];
        for (key, holds, words) in rules {
            if let Some(limit) = fields.get(key).and_then(Value::as_f64)
                && !holds(value, limit)
            {
                self.report(format!("{words} {limit}"));
            }
        }
    }

    fn count(&mut self, fields: &Fields, (least, most): (&str, &str), count: usize, what: &str) {
        if let Some(least) = limit(fields, least).filter(|least| count < *least) {
            self.report(format!("should have at least {least} {what}"));
        }
        if let Some(most) = limit(fields, most).filter(|most| count > *most) {
            self.report(format!("should have at most {most} {what}"));
        }
    }

    fn text(&mut self, fields: &Fields, value: &str) {
        let length = value.chars().count();
        self.count(fields, ("minLength", "maxLength"), length, "characters");
        if let Some(pattern) = fields.get("pattern").and_then(Value::as_str)
            && !matches(pattern, value)
        {
            self.report(format!("should match the pattern {pattern}"));
        }
    }

    fn list(&mut self, fields: &'s Fields, items: &[Value]) {
        self.count(fields, ("minItems", "maxItems"), items.len(), "items");
        if fields.get("uniqueItems") == Some(&Value::Bool(true)) {
            let repeats =
                |(at, item): (usize, &Value)| items.iter().take(at).any(|other| same(other, item));
            if items.iter().enumerate().any(repeats) {
                self.report("should have no item twice");
            }
        }
        let first = fields.get("prefixItems").and_then(Value::as_array);
        let first = first.map_or(&[][..], Vec::as_slice);
        let rest = fields.get("items");
        for (index, item) in items.iter().enumerate() {
            if let Some(schema) = first.get(index).or(rest) {
                self.check_at(Loc::Index(index), schema, item);
            }
        }
        if let Some(schema) = fields.get("contains") {
            let count = items.iter().filter(|item| self.fits(schema, item)).count();
            let least = limit(fields, "minContains").unwrap_or(1);
            let most = limit(fields, "maxContains").unwrap_or(usize::MAX);
            if !(least..=most).contains(&count) {
                self.report(format!(
                    "has {count} items of the kind that it should contain"
                ));
            }
        }
    }

    fn object(&mut self, fields: &'s Fields, members: &Fields) {
        self.count(
            fields,
            ("minProperties", "maxProperties"),
            members.len(),
            "fields",
        );
        self.require(members, strings(fields.get("required")));
        let object = |key: &str| fields.get(key).and_then(Value::as_object);
        let named = object("properties");
        let by_pattern = object("patternProperties");
        for (name, value) in members {
            let mut is_known = false;
            if let Some(schema) = named.and_then(|named| named.get(name)) {
                is_known = true;
                self.check_at(Loc::Field(name.clone()), schema, value);
            }
            for (pattern, schema) in by_pattern.into_iter().flatten() {
                if matches(pattern, name) {
                    is_known = true;
                    self.check_at(Loc::Field(name.clone()), schema, value);
                }
            }
            if let Some(schema) = fields.get("additionalProperties").filter(|_| !is_known) {
                self.check_at(Loc::Field(name.clone()), schema, value);
            }
            if let Some(schema) = fields.get("propertyNames")
                && !self.fits(schema, &Value::String(name.clone()))
            {
                self.report(format!("should have no field named `{name}`"));
            }
        }
        for (name, schema) in object("dependentSchemas").into_iter().flatten() {
            if members.contains_key(name) {
                self.check(schema, &Value::Object(members.clone()));
            }
        }
        for (name, others) in object("dependentRequired").into_iter().flatten() {
            if members.contains_key(name) {
                self.require(members, strings(Some(others)));
            }
        }
    }

    fn require<'n>(&mut self, members: &Fields, names: impl Iterator<Item = &'n str>) {
        for name in names {
            if !members.contains_key(name) {
                self.at.push(Loc::Field(name.to_owned()));
                self.report("is required");
                self.at.pop();
            }
        }
    }

    fn combined(&mut self, fields: &'s Fields, value: &Value) {
        let several = |key: &str| fields.get(key).and_then(Value::as_array);
        for schema in several("allOf").into_iter().flatten() {
            self.check(schema, value);
        }
        if let Some(schemas) = several("anyOf")
            && !schemas.iter().any(|schema| self.fits(schema, value))
        {
            self.report("fits none of the alternatives");
        }
        if let Some(schemas) = several("oneOf") {
            let fitting = schemas.iter().filter(|schema| self.fits(schema, value));
            let count = fitting.count();
            if count != 1 {
                self.report(format!(
                    "should fit one of the alternatives and fits {count}"
                ));
            }
        }
        if let Some(schema) = fields.get("not")
            && self.fits(schema, value)
        {
            self.report("is what it should not be");
        }
        if let Some(condition) = fields.get("if") {
            let branch = if self.fits(condition, value) {
                "then"
            } else {
                "else"
            };
            if let Some(schema) = fields.get(branch) {
                self.check(schema, value);
            }
        }
    }
}

fn limit(fields: &Fields, key: &str) -> Option<usize> {
    let number = fields.get(key)?;
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // saturates, and is whole
    let whole = number.as_f64().map(|number| number as u64);
    usize::try_from(number.as_u64().or(whole)?).ok()
}

fn strings(value: Option<&Value>) -> impl Iterator<Item = &str> {
    let items = value.and_then(Value::as_array).into_iter().flatten();
    items.filter_map(Value::as_str)
}

/// A pattern that takes too many steps decides nothing, and so does not match.
fn matches(pattern: &str, text: &str) -> bool {
    Regex::new(pattern)
        .ok()
        .and_then(|pattern| pattern.is_match(text).ok())
        .unwrap_or(false)
}
