//! Settings from variables: `OH_NAME`, `OH_LIST_0`, `OH_OBJECT_MEMBER`, JSON, and `OH_NAME_IS_NONE`.

use serde_json::Value;

use crate::config::ConfigError;
use crate::config::check::check;
use crate::config::environment::Environment;
use crate::config::kind::{Kind, Setting};
use crate::config::tree::{Nulls, Tree, overlay, set_member};

/// No list is longer: a bound for the number in `OH_LIST=<number of items>`.
const MAX_ITEMS: u64 = 1000;

/// Reads settings from variables.
#[derive(Debug)]
pub(crate) struct FromVariables<'a> {
    variables: &'a Environment,
    /// What was passed over, for the log.
    pub(crate) warnings: Vec<String>,
}

impl<'a> FromVariables<'a> {
    pub(crate) fn new(variables: &'a Environment) -> Self {
        Self {
            variables,
            warnings: Vec::new(),
        }
    }

    /// The value of the variable `key` and of those that begin with its name; none if nothing is said.
    pub(crate) fn read(&mut self, key: &str, kind: Kind) -> Result<Option<Tree>, ConfigError> {
        match kind {
            Kind::Nullable(inner) => {
                let value = self.read(key, *inner)?;
                let none = self
                    .variables
                    .is_on(&format!("{key}_IS_NONE"), &["1", "TRUE"]);
                Ok(value.or_else(|| none.then_some(Tree::Leaf(Value::Null))))
            }
            Kind::Object(settings) => self.object(key, kind, settings),
            Kind::List(item) => self.list(key, *item),
            Kind::Texts => match self.variables.get(key) {
                None | Some("") => Ok(None),
                Some(text) => json(key, kind, text).map(Some),
            },
            Kind::Bool
            | Kind::Whole(..)
            | Kind::Number(_)
            | Kind::Text
            | Kind::Path
            | Kind::Secret
            | Kind::Pattern
            | Kind::Word(_)
            | Kind::Choice => match self.variables.get(key) {
                None => Ok(None),
                Some(text) => self.single(key, kind, text),
            },
        }
    }

    fn single(&mut self, key: &str, kind: Kind, text: &str) -> Result<Option<Tree>, ConfigError> {
        let value = match kind {
            Kind::Bool => Value::Bool(is_true(text)),
            Kind::Word(words) if !words.contains(&text) => {
                // compat: the reference passes over a word that it does not know.
                self.warnings.push(format!(
                    "{key} is ignored: expected {}, found {text:?}",
                    kind.wanted()
                ));
                return Ok(None);
            }
            Kind::Choice if matches!(text.to_uppercase().as_str(), "" | "0" | "FALSE") => {
                Value::Bool(false)
            }
            Kind::Choice if is_true(text) => Value::Bool(true),
            Kind::Choice => return json(key, kind, text).map(Some),
            Kind::Whole(..)
            | Kind::Number(_)
            | Kind::Text
            | Kind::Path
            | Kind::Secret
            | Kind::Pattern
            | Kind::Word(_)
            | Kind::Texts
            | Kind::List(_)
            | Kind::Object(_)
            | Kind::Nullable(_) => Value::String(text.to_owned()),
        };
        let mut tree = Tree::Leaf(value);
        check(&mut tree, kind, key)?;
        Ok(Some(tree))
    }

    fn object(
        &mut self,
        key: &str,
        kind: Kind,
        settings: &'static [Setting],
    ) -> Result<Option<Tree>, ConfigError> {
        let mut base = match self.variables.get(key) {
            None | Some("") => None,
            Some(text) => Some(json(key, kind, text)?),
        };
        for setting in settings {
            let name = format!("{key}_{}", setting.name.to_uppercase());
            let Some(value) = self.read(&name, setting.kind)? else {
                continue;
            };
            let mut members = match base.take() {
                Some(Tree::Object(members)) => members,
                _ => Vec::new(),
            };
            set_member(&mut members, setting.name.to_owned(), value, Nulls::Yield);
            base = Some(Tree::Object(members));
        }
        Ok(base)
    }

    fn list(&mut self, key: &str, item: Kind) -> Result<Option<Tree>, ConfigError> {
        let Some(text) = self.variables.get(key) else {
            return self.numbered(key, item);
        };
        let mut items = match parse(key, text)? {
            // A number says how many items there are; they come from numbered variables or from the file.
            Value::Number(count) => {
                let count = count
                    .as_u64()
                    .filter(|count| *count <= MAX_ITEMS)
                    .and_then(|count| usize::try_from(count).ok());
                vec![None; count.ok_or_else(|| not_a_list(key, text))?]
            }
            list @ Value::Array(_) => match Tree::from(list) {
                Tree::List(items) => items,
                Tree::Leaf(_) | Tree::Object(_) => Vec::new(),
            },
            _ => return Err(not_a_list(key, text)),
        };
        for (index, slot) in items.iter_mut().enumerate() {
            let place = format!("{key}_{index}");
            if let Some(given) = slot {
                check(given, item, &format!("{key}[{index}]"))?;
            }
            *slot = overlay(slot.take(), self.read(&place, item)?, Nulls::Yield);
        }
        Ok(Some(Tree::List(items)))
    }

    /// Items from `KEY_0`, `KEY_1` and so on, up to the first that is not there.
    fn numbered(&mut self, key: &str, item: Kind) -> Result<Option<Tree>, ConfigError> {
        let mut items = Vec::new();
        while let Some(value) = self.read(&format!("{key}_{}", items.len()), item)? {
            items.push(Some(value));
        }
        Ok((!items.is_empty()).then_some(Tree::List(items)))
    }
}

/// Whether a variable says yes.
fn is_true(text: &str) -> bool {
    matches!(text.to_uppercase().as_str(), "1" | "TRUE")
}

fn parse(key: &str, text: &str) -> Result<Value, ConfigError> {
    serde_json::from_str(text)
        .map_err(|error| ConfigError::new(key, &format!("is not valid JSON: {error}")))
}

fn json(key: &str, kind: Kind, text: &str) -> Result<Tree, ConfigError> {
    let mut tree = Tree::from(parse(key, text)?);
    check(&mut tree, kind, key)?;
    Ok(tree)
}

fn not_a_list(key: &str, text: &str) -> ConfigError {
    ConfigError::new(
        key,
        &format!("expected a JSON list or the number of its items, found {text:?}"),
    )
}
