//! Schemas of types as JSON Schema, with what is named kept in one place.

use std::collections::BTreeMap;

use openhands_protocol::schema::{
    Field, ObjectSchema, Rules, Schema, SchemaOf, Telling, UnionSchema, WordsSchema,
};
use serde_json::{Map, Value, json};

/// The named schemas found so far.
#[derive(Default)]
pub(super) struct Components(BTreeMap<String, Value>);

impl Components {
    /// All of them, by name.
    pub(super) fn into_value(self) -> Value {
        self.0.into_iter().collect()
    }

    /// A schema: a reference, if it has a name.
    pub(super) fn schema(&mut self, schema: &'static Schema) -> Value {
        match schema {
            Schema::Any => json!({}),
            Schema::Boolean => json!({"type": "boolean"}),
            Schema::Integer => json!({"type": "integer"}),
            Schema::Number => json!({"type": "number"}),
            Schema::Text => json!({"type": "string"}),
            Schema::Secret => json!({"type": "string", "format": "password", "writeOnly": true}),
            Schema::Uuid => json!({"type": "string", "format": "uuid"}),
            Schema::Time => json!({"type": "string", "format": "date-time"}),
            Schema::Nullable(inner) => json!({"anyOf": [self.schema(inner()), {"type": "null"}]}),
            Schema::List(items) => json!({"type": "array", "items": self.schema(items())}),
            Schema::Tuple(items) => self.tuple(items),
            Schema::Map(values) => match values() {
                Schema::Any => json!({"type": "object", "additionalProperties": true}),
                values => json!({"type": "object", "additionalProperties": self.schema(values)}),
            },
            Schema::Words(words) if words.is_class() => {
                self.named(words.reference_name(), |_| word_list(words))
            }
            Schema::Words(words) => word_list(words),
            Schema::Object(object) => {
                self.named(object.reference_name(), |this| this.object(object))
            }
            Schema::Union(union) => self.named(union.reference_name(), |this| this.union(union)),
            Schema::OneOf(branches) => {
                let branches: Vec<_> = branches
                    .iter()
                    .map(|branch| self.schema((branch.schema)()))
                    .collect();
                json!({"anyOf": branches})
            }
            Schema::TextOr(inner) => json!({"anyOf": [{"type": "string"}, self.schema(inner())]}),
        }
    }

    /// A reference to a schema that is made when it is first met.
    fn named(&mut self, name: String, make: impl FnOnce(&mut Self) -> Value) -> Value {
        let reference = json!({"$ref": format!("#/components/schemas/{name}")});
        if !self.0.contains_key(&name) {
            // It may contain itself.
            self.0.insert(name.clone(), Value::Null);
            let made = make(self);
            self.0.insert(name, made);
        }
        reference
    }

    fn tuple(&mut self, items: &[SchemaOf]) -> Value {
        let items: Vec<_> = items.iter().map(|item| self.schema(item())).collect();
        json!({
            "type": "array",
            "prefixItems": items,
            "minItems": items.len(),
            "maxItems": items.len(),
        })
    }

    fn union(&mut self, union: &'static UnionSchema) -> Value {
        let kinds: Vec<_> = union
            .variants
            .iter()
            .map(|kind| self.schema(kind()))
            .collect();
        let mut described = described(union.docs);
        if matches!(union.telling, Telling::Trying) {
            described.insert("anyOf".to_owned(), kinds.into());
            return described.into();
        }
        let mapping: Map<String, Value> = union
            .kinds()
            .zip(&kinds)
            .filter_map(|((kind, _), schema)| Some((kind.to_owned(), schema.get("$ref")?.clone())))
            .collect();
        described.insert("oneOf".to_owned(), kinds.into());
        described.insert(
            "discriminator".to_owned(),
            json!({"propertyName": union.tag, "mapping": mapping}),
        );
        described.into()
    }

    fn object(&mut self, object: &'static ObjectSchema) -> Value {
        let mut properties = Map::new();
        let mut required = Vec::new();
        for field in object.members() {
            properties.insert(field.name.to_owned(), self.field(field));
            if field.is_required() {
                required.push(field.name);
            }
        }
        if let Some((tag, value)) = object.tag {
            let mut schema = json!({"type": "string", "const": value});
            match (tag, schema.as_object_mut()) {
                // A kind may be left out where it is clear.
                ("kind", _) => {}
                ("strategy", _) => required.push(tag),
                (_, Some(members)) => {
                    members.insert("default".to_owned(), value.into());
                }
                (_, None) => {}
            }
            properties.insert(tag.to_owned(), schema);
        }
        let mut described = described(object.docs);
        described.insert("type".to_owned(), "object".into());
        described.insert("title".to_owned(), object.reference_name().into());
        described.insert("properties".to_owned(), properties.into());
        if !required.is_empty() {
            described.insert("required".to_owned(), required.into());
        }
        if object.closed {
            described.insert("additionalProperties".to_owned(), false.into());
        }
        described.into()
    }

    /// A member or parameter, with its limits, default and description.
    pub(super) fn field(&mut self, field: &Field) -> Value {
        let mut schema = self.schema(field.shape());
        if let Some(rules) = field.rules {
            limit(&mut schema, rules);
        }
        let Some(members) = schema.as_object_mut() else {
            return schema;
        };
        members.extend(described(field.docs));
        // Ids and times are made afresh; a missing value needs no words.
        let made_up = matches!(field.shape().inner(), Schema::Uuid | Schema::Time);
        let default = field.default.filter(|_| !made_up).map(|default| default());
        if let Some(default) = default.filter(|default| !default.is_null()) {
            members.insert("default".to_owned(), default);
        }
        schema
    }
}

fn word_list(words: &WordsSchema) -> Value {
    let mut described = described(words.docs);
    described.insert("type".to_owned(), "string".into());
    described.insert("enum".to_owned(), words.words.into());
    described.into()
}

/// A description, if there is something to say.
fn described(docs: &[&str]) -> Map<String, Value> {
    let lines: Vec<_> = docs.iter().map(|line| line.trim()).collect();
    let text = lines.join("\n").replace("[`", "`").replace("`]", "`");
    let mut members = Map::new();
    if !text.is_empty() {
        members.insert("description".to_owned(), text.into());
    }
    members
}

/// Adds limits where the value is, and not where it may be null.
fn limit(schema: &mut Value, rules: &Rules) {
    if let Some(Value::Array(branches)) = schema.get_mut("anyOf") {
        for branch in branches
            .iter_mut()
            .filter(|branch| branch.get("type") != Some(&json!("null")))
        {
            limit(branch, rules);
        }
        return;
    }
    let is_list = schema.get("type") == Some(&json!("array"));
    let is_whole = schema.get("type") == Some(&json!("integer"));
    let Some(members) = schema.as_object_mut() else {
        return;
    };
    #[allow(clippy::cast_possible_truncation)] // bounds of whole numbers are whole
    let number = |bound: f64| {
        if is_whole {
            json!(bound as i64)
        } else {
            json!(bound)
        }
    };
    let (least, most) = if is_list {
        ("minItems", "maxItems")
    } else {
        ("minLength", "maxLength")
    };
    let limits = [
        ("minimum", rules.ge.map(number)),
        ("exclusiveMinimum", rules.gt.map(number)),
        ("maximum", rules.le.map(number)),
        ("exclusiveMaximum", rules.lt.map(number)),
        (least, rules.min_length.map(Value::from)),
        (most, rules.max_length.map(Value::from)),
        ("pattern", rules.pattern.map(Value::from)),
        ("enum", rules.words.map(Value::from)),
        ("format", rules.format.map(Value::from)),
    ];
    for (name, limit) in limits {
        members.extend(limit.map(|limit| (name.to_owned(), limit)));
    }
}
