//! The `delegate` tool: several sub-agents with names, at work side by side.

use std::sync::Arc;

use futures_util::future::{BoxFuture, join_all};
use indexmap::IndexMap;
use openhands_protocol::JsonObject;
use openhands_protocol::tool::{
    Action, DelegateAction, DelegateCommand, DelegateObservation, Observation, ToolSpec,
};
use openhands_tools::arguments::{Arguments, InvalidArguments, Read, Refused, list, one_of, text};
use openhands_tools::{
    CallContext, CreateError, Hints, Registration, ToolError, ToolExecutor, spec,
};
use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;

use crate::builtin::seat::Seat;
use crate::builtin::stated::{Stated, only};
use crate::conversation::Inner;
use crate::subagents::{Child, Outcome, Plan, Scope};

/// The tool's name.
pub(crate) const NAME: &str = "delegate";

/// How many sub-agents there may be, unless the tool's parameters say otherwise.
const MAX_CHILDREN: usize = 5;
const MAX_CHILDREN_PARAMETER: &str = "max_children";

/// The type of a sub-agent that was given none.
const USUAL: &str = "default";

const DESCRIPTION: &str = "\
Lets sub-agents work side by side. First `spawn` them: each id in `ids` becomes a sub-agent, with the type at the same place of \
`agent_types` or the usual one. Then `delegate`: `tasks` maps ids to what each of them is to do. The call waits for all of \
them and gives you every answer. A sub-agent remembers its earlier tasks, and knows nothing of this conversation.

The types:
{agents}";

fn tool_spec(agents: &str) -> ToolSpec {
    let hints = Hints {
        read_only: false,
        destructive: false,
        idempotent: false,
        open_world: true,
    };
    let schema = json!({
        "type": "object",
        "properties": {
            "command": {
                "type": "string",
                "enum": ["spawn", "delegate"],
                "description": "What to do: `spawn` or `delegate`.",
            },
            "ids": {
                "type": "array",
                "items": {"type": "string"},
                "description": "For `spawn`: the names of the new sub-agents.",
            },
            "agent_types": {
                "type": "array",
                "items": {"type": "string"},
                "description": "For `spawn`: the type of each; the usual one where there is none.",
            },
            "tasks": {
                "type": "object",
                "description": "For `delegate`: what each sub-agent is to do, by its name.",
            },
        },
        "required": ["command"],
    });
    spec(
        NAME,
        "Delegate",
        DESCRIPTION.replace("{agents}", agents),
        hints,
        schema,
    )
}

fn decode(arguments: &Map<String, Value>) -> Result<Action, InvalidArguments> {
    let mut arguments = Arguments::new(arguments);
    let command = arguments.required("command", one_of(&["spawn", "delegate"]));
    let ids = arguments.optional("ids", list(text));
    let agent_types = arguments.optional("agent_types", list(text));
    let tasks = arguments.optional("tasks", texts_by_name);
    arguments.finish()?;
    Ok(Action::Delegate(DelegateAction {
        command: if command == "spawn" {
            DelegateCommand::Spawn
        } else {
            DelegateCommand::Delegate
        },
        ids,
        agent_types,
        tasks,
        ..DelegateAction::default()
    }))
}

fn texts_by_name(value: &Value) -> Read<IndexMap<String, String>> {
    let Value::Object(given) = value else {
        let problem = Refused::new("dict_type", "Input should be a valid dictionary");
        return Err(vec![problem]);
    };
    given
        .iter()
        .map(|(name, value)| Ok((name.clone(), text(value)?)))
        .collect()
}

#[derive(Debug)]
struct Delegates {
    seat: Arc<Seat>,
    max_children: usize,
}

impl Delegates {
    async fn spawn(&self, parent: &Inner, action: &DelegateAction) -> Result<String, String> {
        let ids = action.ids.as_deref().unwrap_or_default();
        let types = action.agent_types.as_deref().unwrap_or_default();
        if ids.is_empty() {
            return Err("At least one ID is required for spawn action".to_owned());
        }
        if types.len() > ids.len() {
            return Err(format!(
                "agent_types length ({}) cannot exceed ids length ({})",
                types.len(),
                ids.len()
            ));
        }
        let there = parent.subagents.delegates.lock().len();
        let new = {
            let delegates = parent.subagents.delegates.lock();
            let new: std::collections::HashSet<_> = ids
                .iter()
                .filter(|id| !delegates.contains_key(*id))
                .collect();
            new.len()
        };
        if there + new > self.max_children {
            return Err(format!(
                "Cannot spawn {} agents. Already have {there} agents, maximum is {}",
                ids.len(),
                self.max_children
            ));
        }
        // Boxed, because plans are large.
        let spawned = Box::pin(self.begin_all(parent, ids, types)).await;
        let spawned = spawned.map_err(|error| format!("failed to spawn agents: {error}"))?;
        let mut labels = Vec::with_capacity(spawned.len());
        for (id, kind, child) in spawned {
            labels.push(format!("{id} ({kind})"));
            let earlier = parent
                .subagents
                .delegates
                .lock()
                .insert(id, Arc::new(child));
            // One of the same name makes room.
            if let Some(earlier) = earlier.and_then(Arc::into_inner) {
                earlier.close().await;
            }
        }
        Ok(format!(
            "Successfully spawned {} sub-agents: {}",
            labels.len(),
            labels.join(", ")
        ))
    }

    /// Begins all or none.
    async fn begin_all(
        &self,
        parent: &Inner,
        ids: &[String],
        types: &[String],
    ) -> Result<Vec<(String, String, Child)>, String> {
        let kinds = ids.iter().enumerate().map(|(at, id)| {
            let kind = types.get(at).map(|kind| kind.trim()).unwrap_or_default();
            let kind = if kind.is_empty() { USUAL } else { kind };
            let definition = self.seat.catalog.get(kind);
            definition
                .map(|definition| (id, kind, definition))
                .map_err(|error| error.to_string())
        });
        let kinds: Vec<_> = kinds.collect::<Result<_, _>>()?;
        let mut plans = Vec::with_capacity(kinds.len());
        for (id, kind, definition) in kinds {
            let mut plan = Plan::of(parent, definition, Scope::default()).await?;
            plan.outlives_call = true;
            plans.push((id, kind, plan));
        }
        let mut begun: Vec<(String, String, Child)> = Vec::with_capacity(plans.len());
        for (id, kind, plan) in plans {
            match Child::begin(parent, plan).await {
                Ok(child) => begun.push((id.clone(), kind.to_owned(), child)),
                Err(error) => {
                    for (_, _, child) in begun {
                        child.close().await;
                    }
                    return Err(error.to_string());
                }
            }
        }
        Ok(begun)
    }

    async fn delegate(
        &self,
        parent: &Inner,
        action: &DelegateAction,
        cancel: &CancellationToken,
    ) -> Result<Result<String, String>, ToolError> {
        let Some(tasks) = action.tasks.as_ref().filter(|tasks| !tasks.is_empty()) else {
            return Ok(Err(
                "at least one task is required for delegate action".to_owned()
            ));
        };
        let (mut known, mut unknown) = (Vec::new(), Vec::new());
        {
            let delegates = parent.subagents.delegates.lock();
            for (id, task) in tasks {
                match delegates.get(id) {
                    Some(child) => known.push((id, task, Arc::clone(child))),
                    None => unknown.push(id.as_str()),
                }
            }
            if !unknown.is_empty() {
                let available: Vec<&str> = delegates.keys().map(String::as_str).collect();
                return Ok(Err(format!(
                    "sub-agents not found: {}. Available agents: {}",
                    unknown.join(", "),
                    available.join(", ")
                )));
            }
        }
        let outcomes = join_all(known.iter().map(|(_, task, child)| child.run(task, cancel))).await;
        let mut errors = 0;
        let mut lines = Vec::with_capacity(known.len());
        let mut is_cut_off = false;
        for (at, ((id, _, child), outcome)) in known.iter().zip(outcomes).enumerate() {
            child.book(parent, format!("delegate:{id}"));
            let number = at + 1;
            lines.push(match outcome {
                Outcome::Completed(answer) if answer.is_empty() => {
                    format!("{number}. Agent {id}: No response from sub-agent")
                }
                Outcome::Completed(answer) => format!("{number}. Agent {id}: {answer}"),
                Outcome::Stopped(reason) => {
                    errors += 1;
                    format!("{number}. Agent {id} ERROR: Sub-agent {id} failed: {reason}")
                }
                Outcome::Cancelled => {
                    is_cut_off = true;
                    continue;
                }
            });
        }
        if is_cut_off {
            return Err(ToolError::Cancelled);
        }
        let errors = match errors {
            0 => String::new(),
            errors => format!(" with {errors} errors"),
        };
        Ok(Ok(format!(
            "Completed delegation of {} tasks{errors}\n\nResults:\n{}",
            tasks.len(),
            lines.join("\n")
        )))
    }
}

impl ToolExecutor for Delegates {
    fn execute(
        &self,
        action: Action,
        cx: CallContext,
    ) -> BoxFuture<'_, Result<Observation, ToolError>> {
        Box::pin(async move {
            let Action::Delegate(action) = action else {
                return Err(ToolError::wrong_action(NAME, &action));
            };
            let conversation = self.seat.conversation()?;
            let parent = &conversation.inner;
            let done = match action.command {
                DelegateCommand::Spawn => self.spawn(parent, &action).await,
                DelegateCommand::Delegate => self.delegate(parent, &action, &cx.cancel).await?,
            };
            let observation = match done {
                Ok(text) => DelegateObservation::with_text(text),
                Err(text) => DelegateObservation::with_error(text),
            };
            Ok(Observation::Delegate(DelegateObservation {
                command: action.command,
                ..observation
            }))
        })
    }

    /// Gives up the shells of the sub-agents; they are there again with their next task.
    fn close(&self) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            let Ok(conversation) = self.seat.conversation() else {
                return;
            };
            let children: Vec<_> = {
                let delegates = conversation.inner.subagents.delegates.lock();
                delegates.values().cloned().collect()
            };
            for child in children {
                child.rest().await;
            }
        })
    }
}

fn max_children(params: &JsonObject) -> Result<usize, CreateError> {
    only(NAME, params, &[MAX_CHILDREN_PARAMETER])?;
    let Some(given) = params.0.get(MAX_CHILDREN_PARAMETER) else {
        return Ok(MAX_CHILDREN);
    };
    let number = given
        .as_u64()
        .and_then(|number| usize::try_from(number).ok());
    number.ok_or_else(|| CreateError::BadParameter {
        tool: NAME.to_owned(),
        parameter: MAX_CHILDREN_PARAMETER.to_owned(),
        problem: "it must be a whole number".to_owned(),
    })
}

pub(crate) fn registration(seat: &Arc<Seat>) -> Registration {
    let told = Arc::clone(seat);
    let seat = Arc::clone(seat);
    Registration::single(
        move |_, params| {
            max_children(params)?;
            let agents = told.catalog.listing(|_| true);
            Ok(Stated::new(tool_spec(&agents), decode))
        },
        move |_, params| {
            Ok(Delegates {
                seat: Arc::clone(&seat),
                max_children: max_children(params)?,
            })
        },
        NAME,
    )
}
