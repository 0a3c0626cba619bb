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

/// The tools of one owner. Nothing is started before the first call.
pub(super) struct Bench {
    /// What it was made for, if its owner said so.
    pub(super) equipment: Option<Equipment>,
    pub(super) workspace: LocalWorkspace,
    pub(super) locks: ResourceLocks,
    definitions: Definitions,
    executors: HashMap<String, Arc<dyn ToolExecutor>>,
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
            definitions: Definitions::default(),
            executors: HashMap::new(),
            problems: Vec::new(),
            secrets: Mutex::default(),
        };
        for tool in wanted {
            let one = std::slice::from_ref(tool);
            let halves = registry
                .definitions(one, &machine.place)
                .and_then(|definitions| Ok((definitions, registry.executors(one, machine)?)));
            match halves {
                Ok((definitions, executors)) => {
                    for definition in definitions.iter() {
                        // Of two with one name the first counts.
                        let _ = bench.definitions.add(Arc::clone(definition));
                    }
                    for (name, executor) in executors.into_executors() {
                        bench.executors.entry(name).or_insert(executor);
                    }
                }
                Err(problem) => bench.problems.push(problem.to_string()),
            }
        }
        bench
    }

    /// Both halves of a tool, or why it is not there.
    pub(super) fn tool(
        &self,
        name: &str,
    ) -> Result<(&Arc<dyn ToolDefinition>, &Arc<dyn ToolExecutor>), String> {
        self.definitions
            .get(name)
            .zip(self.executors.get(name))
            .ok_or_else(|| {
                let mut text = format!("tool '{name}' is not available on this machine");
                for problem in &self.problems {
                    text.push_str("; ");
                    text.push_str(problem);
                }
                text
            })
    }

    /// Every tool that can be used.
    pub(super) fn definitions(&self) -> impl Iterator<Item = &Arc<dyn ToolDefinition>> {
        self.definitions
            .iter()
            .filter(|definition| self.executors.contains_key(&definition.spec().name))
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
        for executor in self.executors.values() {
            executor.close().await;
        }
    }
}
