//! The tools by name: from what an agent asks for (`{"name", "params"}`) to both halves.

use crate::definition::ToolDefinition;
use crate::executor::{CallContext, ToolError, ToolExecutor};
use crate::response_schema::{self, Structured};
use indexmap::IndexMap;
use openhands_protocol::JsonObject;
use openhands_protocol::tool::{Action, Observation, Tool};
use parking_lot::Mutex;
use serde_json::Value;
use std::collections::HashMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Weak};

/// What the definitions of a conversation's tools may depend on.
#[derive(Debug, Clone, Default)]
pub struct Place {
    /// The workspace; relative paths start here.
    pub working_dir: PathBuf,
    /// Where the conversation keeps its own files, if it keeps any.
    pub persistence_dir: Option<PathBuf>,
}

/// What the executors of a conversation's tools act on.
#[derive(Debug, Clone, Default)]
pub struct Machine {
    /// Workspace and persistence.
    pub place: Place,
    /// The whole environment that children get.
    pub env: Vec<(String, String)>,
    /// Seconds without activity after which the host stops this machine, if it does.
    pub idle_timeout: Option<f64>,
    /// Whether shells keep the server's scheduling priority instead of a lower one.
    pub keep_priority: bool,
}

/// A tool cannot be made.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum CreateError {
    /// No tool has this name.
    #[error("ToolDefinition '{0}' is not registered")]
    NotRegistered(String),
    /// A parameter of the spec is not what the tool takes.
    #[error("tool '{tool}' has a bad parameter `{parameter}`: {problem}")]
    BadParameter {
        /// Name of the tool.
        tool: String,
        /// Name of the parameter.
        parameter: String,
        /// What is wrong with it.
        problem: String,
    },
    /// Two tools of one agent have the same name.
    #[error("Duplicate tool names found: {0}")]
    Duplicate(String),
    /// The machine lacks what the tool needs.
    #[error("{0}")]
    Unusable(String),
}

type Define =
    dyn Fn(&Place, &JsonObject) -> Result<Vec<Arc<dyn ToolDefinition>>, CreateError> + Send + Sync;
type Equip = dyn Fn(&Machine, &JsonObject) -> Result<Vec<(String, Arc<dyn ToolExecutor>)>, CreateError>
    + Send
    + Sync;

/// How one registered name becomes tools; a tool set becomes several.
#[derive(Clone)]
pub struct Registration {
    define: Arc<Define>,
    equip: Arc<Equip>,
}

impl fmt::Debug for Registration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Registration")
    }
}

impl Registration {
    /// A registration of both halves.
    pub fn new(
        define: impl Fn(&Place, &JsonObject) -> Result<Vec<Arc<dyn ToolDefinition>>, CreateError>
        + Send
        + Sync
        + 'static,
        equip: impl Fn(
            &Machine,
            &JsonObject,
        ) -> Result<Vec<(String, Arc<dyn ToolExecutor>)>, CreateError>
        + Send
        + Sync
        + 'static,
    ) -> Self {
        Self {
            define: Arc::new(define),
            equip: Arc::new(equip),
        }
    }

    /// A registration of one tool whose halves are made by two functions.
    pub fn single<D: ToolDefinition + 'static, E: ToolExecutor + 'static>(
        define: impl Fn(&Place, &JsonObject) -> Result<D, CreateError> + Send + Sync + 'static,
        equip: impl Fn(&Machine, &JsonObject) -> Result<E, CreateError> + Send + Sync + 'static,
        name: &'static str,
    ) -> Self {
        Self::new(
            move |place, params| {
                Ok(vec![
                    Arc::new(define(place, params)?) as Arc<dyn ToolDefinition>
                ])
            },
            move |machine, params| {
                let executor: Arc<dyn ToolExecutor> = Arc::new(equip(machine, params)?);
                Ok(vec![(name.to_owned(), executor)])
            },
        )
    }
}

impl Registration {
    /// A registration of one tool whose definition depends on nothing but what `key` takes from the place. Agents with the same key
    /// share it for as long as one of them has it: what a model is told about a tool is large.
    pub fn shared<
        K: PartialEq + Send + 'static,
        D: ToolDefinition + 'static,
        E: ToolExecutor + 'static,
    >(
        key: impl Fn(&Place) -> K + Send + Sync + 'static,
        define: impl Fn(&K) -> D + Send + Sync + 'static,
        equip: impl Fn(&Machine, &JsonObject) -> Result<E, CreateError> + Send + Sync + 'static,
        name: &'static str,
    ) -> Self {
        let known: Mutex<Vec<(K, Weak<D>)>> = Mutex::default();
        Self::new(
            move |place, _| {
                let key = key(place);
                let mut known = known.lock();
                known.retain(|(_, definition)| definition.strong_count() > 0);
                let mut same = known.iter().filter(|(other, _)| *other == key);
                if let Some(definition) = same.find_map(|(_, definition)| definition.upgrade()) {
                    return Ok(vec![definition as Arc<dyn ToolDefinition>]);
                }
                let definition = Arc::new(define(&key));
                known.push((key, Arc::downgrade(&definition)));
                Ok(vec![definition as Arc<dyn ToolDefinition>])
            },
            move |machine, params| {
                let executor: Arc<dyn ToolExecutor> = Arc::new(equip(machine, params)?);
                Ok(vec![(name.to_owned(), executor)])
            },
        )
    }
}

/// Every tool that can be asked for.
#[derive(Debug, Clone, Default)]
pub struct Registry {
    entries: IndexMap<String, Registration>,
}

impl Registry {
    /// A registry without tools.
    pub fn empty() -> Self {
        Self::default()
    }

    /// Adds or replaces a tool.
    pub fn register(&mut self, name: impl Into<String>, registration: Registration) {
        self.entries.insert(name.into(), registration);
    }

    /// Every registered name, in the order of registration.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.entries.keys().map(String::as_str)
    }

    /// Whether a name, or the class that it stands for, is registered.
    pub fn knows(&self, name: &str) -> bool {
        self.entry(name).is_ok()
    }

    /// Whether two names stand for the same tool.
    pub fn is_same(&self, one: &str, other: &str) -> bool {
        let registered = |name: &str| {
            if self.entries.contains_key(name) {
                name.to_owned()
            } else {
                tool_name(name)
            }
        };
        registered(one) == registered(other)
    }

    /// The pure halves of the tools that an agent asks for, in order.
    pub fn definitions(&self, wanted: &[Tool], place: &Place) -> Result<Definitions, CreateError> {
        let mut definitions = Definitions::default();
        for tool in wanted {
            let (params, response_schema) = split_params(tool);
            let mut made = (self.entry(&tool.name)?.define)(place, &params)?;
            if let Some(schema) = response_schema {
                made = vec![with_response_schema(made, &schema, &tool.name)?];
            }
            for definition in made {
                definitions.add(definition)?;
            }
        }
        Ok(definitions)
    }

    /// The acting halves of the tools that an agent asks for.
    pub fn executors(&self, wanted: &[Tool], machine: &Machine) -> Result<ToolSet, CreateError> {
        let mut executors = HashMap::new();
        for tool in wanted {
            let (params, _) = split_params(tool);
            executors.extend((self.entry(&tool.name)?.equip)(machine, &params)?);
        }
        Ok(ToolSet { executors })
    }

    fn entry(&self, name: &str) -> Result<&Registration, CreateError> {
        self.entries
            .get(name)
            .or_else(|| self.entries.get(&tool_name(name)))
            .ok_or_else(|| CreateError::NotRegistered(name.to_owned()))
    }
}

/// The parameters of the tool itself, and the response schema, which any tool may be given.
fn split_params(tool: &Tool) -> (JsonObject, Option<Value>) {
    let mut params = tool.params.clone();
    let schema = params.0.shift_remove(response_schema::PARAMETER);
    (params, schema.filter(|schema| !schema.is_null()))
}

/// The one tool of a spec with the fields of a response schema.
fn with_response_schema(
    made: Vec<Arc<dyn ToolDefinition>>,
    schema: &Value,
    tool: &str,
) -> Result<Arc<dyn ToolDefinition>, CreateError> {
    let bad = |problem: String| CreateError::BadParameter {
        tool: tool.to_owned(),
        parameter: response_schema::PARAMETER.to_owned(),
        problem,
    };
    let Ok([definition]) = <[_; 1]>::try_from(made) else {
        return Err(bad(
            "it needs a name that stands for exactly one tool".to_owned()
        ));
    };
    let structured = Structured::new(definition, schema).map_err(bad)?;
    Ok(Arc::new(structured))
}

/// The registered name behind a class-style one: `FileEditorTool` is `file_editor`.
///
/// compat: older clients name tools by their class.
pub fn tool_name(class: &str) -> String {
    let mut name = String::with_capacity(class.len() + 4);
    let mut previous: Option<char> = None;
    let mut characters = class.chars().peekable();
    while let Some(character) = characters.next() {
        let begins_word = character.is_uppercase()
            && previous.is_some_and(|previous| {
                previous.is_lowercase()
                    || previous.is_ascii_digit()
                    // The last letter of several in a row belongs to the next word: `LLMTool`.
                    || previous.is_uppercase()
                        && characters.peek().is_some_and(|next| next.is_lowercase())
            });
        if begins_word {
            name.push('_');
        }
        previous = Some(character);
        name.extend(character.to_lowercase());
    }
    match name.strip_suffix("_tool") {
        Some(stem) => stem.to_owned(),
        None => name,
    }
}

/// The definitions of one agent's tools, by name and in order.
#[derive(Clone, Default)]
pub struct Definitions(IndexMap<String, Arc<dyn ToolDefinition>>);

impl fmt::Debug for Definitions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

impl Definitions {
    /// Adds a tool; its name must be new.
    pub fn add(&mut self, definition: Arc<dyn ToolDefinition>) -> Result<(), CreateError> {
        let name = definition.spec().name.clone();
        if self.0.contains_key(&name) {
            return Err(CreateError::Duplicate(name));
        }
        self.0.insert(name, definition);
        Ok(())
    }

    /// The tool of this name.
    pub fn get(&self, name: &str) -> Option<&Arc<dyn ToolDefinition>> {
        self.0.get(name)
    }

    /// Every tool, in order.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<dyn ToolDefinition>> {
        self.0.values()
    }
}

/// The executors of one conversation's tools, with their state.
#[derive(Clone, Default)]
pub struct ToolSet {
    executors: HashMap<String, Arc<dyn ToolExecutor>>,
}

impl fmt::Debug for ToolSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.executors.keys()).finish()
    }
}

impl ToolSet {
    /// The executors by name.
    pub fn into_executors(self) -> HashMap<String, Arc<dyn ToolExecutor>> {
        self.executors
    }

    /// Executes an action of the tool `name`.
    pub async fn execute(
        &self,
        name: &str,
        action: Action,
        cx: CallContext,
    ) -> Result<Observation, ToolError> {
        match self.executors.get(name) {
            Some(executor) => executor.execute(action, cx).await,
            None => Err(ToolError::Invalid(format!(
                "tool '{name}' is not available on this machine"
            ))),
        }
    }

    /// Gives up what the tools hold: shells, kernels, browsers.
    pub async fn close(&self) {
        for executor in self.executors.values() {
            executor.close().await;
        }
    }
}

#[cfg(test)]
#[path = "registry_tests.rs"]
mod tests;
