//! The tools of one owner, with their state: a shell, an edit history.

use std::collections::{BTreeSet, HashMap};
use std::fmt;
use std::sync::Arc;

use openhands_protocol::tool::Tool;
use openhands_sdk_rs::runtime::LocalWorkspace;
use openhands_sdk_rs::runtime::hands::{Equipment, Exposed};
use openhands_sdk_rs::secrets::Masker;
use openhands_sdk_rs::tools::{
    Definitions, Machine, Registry, ResourceLocks, ToolDefinition, ToolExecutor,
};
use parking_lot::Mutex;

/// The tools of one owner. Without a choice of tools, the acting half of each is made at its first call.
pub(super) struct Bench {
    /// What it was made for, if its owner said so.
    pub(super) equipment: Option<Equipment>,
    pub(super) workspace: LocalWorkspace,
    pub(super) locks: ResourceLocks,
    registry: Registry,
    machine: Machine,
    definitions: Definitions,
    /// As what each tool was asked for.
    wanted: HashMap<String, Tool>,
    executors: Mutex<HashMap<String, Arc<dyn ToolExecutor>>>,
    /// Why there are not more.
    problems: Vec<String>,
    secrets: Mutex<Seen>,
}

/// The secrets that calls have brought. What one call put into a file or a variable may be printed by the next.
#[derive(Default)]
struct Seen {
    values: BTreeSet<String>,
    masker: Masker,
}

impl fmt::Debug for Bench {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Bench")
            .field("tools", &self.definitions)
            .finish_non_exhaustive()
    }
}

impl Bench {
    /// The wanted tools. One that cannot be made does not keep the others from being used.
    pub(super) fn new(
        registry: &Registry,
        wanted: &[Tool],
        machine: &Machine,
        equipment: Option<Equipment>,
    ) -> Self {
        let mut bench = Self {
            equipment,
            workspace: LocalWorkspace::new(&machine.place.working_dir, &machine.env),
            locks: ResourceLocks::default(),
            registry: registry.clone(),
            machine: machine.clone(),
            definitions: Definitions::default(),
            wanted: HashMap::new(),
            executors: Mutex::default(),
            problems: Vec::new(),
            secrets: Mutex::default(),
        };
        for tool in wanted {
            match registry.definitions(std::slice::from_ref(tool), &machine.place) {
                Ok(definitions) => {
                    for definition in definitions.iter() {
                        // Of two with one name the first counts.
                        if bench.definitions.add(Arc::clone(definition)).is_ok() {
                            let name = definition.spec().name.clone();
                            bench.wanted.insert(name, tool.clone());
                        }
                    }
                }
                Err(problem) => bench.problems.push(problem.to_string()),
            }
        }
        if bench.equipment.is_some() {
            // Whoever says which tools it wants has all of them made now, as a local runtime does: some prepare their
            // place. A problem is told at the first call.
            for name in bench.wanted.keys() {
                let _ = bench.tool(name);
            }
        }
        bench
    }

    /// Whether there is a tool of this name.
    pub(super) fn has(&self, name: &str) -> bool {
        self.wanted.contains_key(name)
    }

    /// Both halves of a tool, or why it is not there.
    pub(super) fn tool(
        &self,
        name: &str,
    ) -> Result<(&Arc<dyn ToolDefinition>, Arc<dyn ToolExecutor>), String> {
        let missing = |problems: &[String]| {
            let mut text = format!("tool '{name}' is not available on this machine");
            for problem in problems {
                text.push_str("; ");
                text.push_str(problem);
            }
            text
        };
        let (Some(definition), Some(wanted)) = (self.definitions.get(name), self.wanted.get(name))
        else {
            return Err(missing(&self.problems));
        };
        let mut executors = self.executors.lock();
        if !executors.contains_key(name) {
            let made = self
                .registry
                .executors(std::slice::from_ref(wanted), &self.machine)
                .map_err(|problem| missing(&[problem.to_string()]))?;
            for (name, executor) in made.into_executors() {
                executors.entry(name).or_insert(executor);
            }
        }
        match executors.get(name) {
            Some(executor) => Ok((definition, Arc::clone(executor))),
            None => Err(missing(&self.problems)),
        }
    }

    /// Every tool that can be used.
    pub(super) fn definitions(&self) -> impl Iterator<Item = &Arc<dyn ToolDefinition>> {
        self.definitions.iter()
    }

    /// Hides the secrets of this call and of all before it.
    pub(super) fn masker(&self, env: &[(String, Exposed)]) -> Masker {
        let mut seen = self.secrets.lock();
        let before = seen.values.len();
        seen.values
            .extend(env.iter().map(|(_, value)| value.text().to_owned()));
        if seen.values.len() != before {
            seen.masker = Masker::new(seen.values.iter().map(String::as_str));
        }
        seen.masker.clone()
    }

    /// Gives up what the tools hold.
    pub(super) async fn close(&self) {
        let executors: Vec<_> = self.executors.lock().values().cloned().collect();
        for executor in executors {
            executor.close().await;
        }
    }
}
