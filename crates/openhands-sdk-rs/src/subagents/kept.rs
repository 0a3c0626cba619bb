//! The sub-agents that a conversation has had: tasks by their ids, delegates by their names.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use futures_util::future::BoxFuture;
use indexmap::IndexMap;
use openhands_protocol::ConversationId;
use parking_lot::Mutex;
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use crate::conversation::{Conversation, Inner};
use crate::subagents::catalog::Catalog;
use crate::subagents::child::{Child, Outcome, Plan};
use crate::subagents::scope::Scope;

/// Under which key of the agent's state the tasks are kept.
const STATE_KEY: &str = "subagent_tasks";

/// The sub-agents of one conversation.
#[derive(Debug, Default)]
pub(crate) struct Kept {
    /// Tasks that are done, of a conversation that is kept in memory.
    resting: Mutex<HashMap<String, Conversation>>,
    /// Tasks that are at work.
    busy: Mutex<HashSet<String>>,
    /// Those of the delegate tool.
    pub(crate) delegates: Mutex<IndexMap<String, Arc<Child>>>,
}

impl Kept {
    /// Closes those that wait for more work. They are gone with their conversation.
    ///
    /// Boxed, because a sub-agent may have sub-agents.
    pub(crate) fn close(&self) -> BoxFuture<'_, ()> {
        Box::pin(async {
            let delegates = std::mem::take(&mut *self.delegates.lock());
            for child in delegates.into_values().filter_map(Arc::into_inner) {
                child.close().await;
            }
            self.resting.lock().clear();
        })
    }
}

/// A task for a sub-agent.
#[derive(Debug)]
pub(crate) struct TaskOrder<'a> {
    pub(crate) prompt: &'a str,
    pub(crate) subagent_type: &'a str,
    pub(crate) resume: Option<&'a str>,
    pub(crate) scope: Scope,
}

/// Has a task done by a sub-agent. Gives its id and how it ended, or why it could not begin.
pub(crate) async fn run_task(
    parent: &Inner,
    catalog: &Catalog,
    order: TaskOrder<'_>,
    cancel: &CancellationToken,
) -> Result<(String, Outcome), String> {
    let (child, at_work) = match order.resume.filter(|id| !id.is_empty()) {
        Some(id) => resume(parent, catalog, &order, id).await?,
        None => begin(parent, catalog, &order).await?,
    };
    let id = at_work.id.clone();
    let outcome = {
        let _books = Books {
            child: &child,
            parent,
            usage_id: format!("task:{id}"),
        };
        child.run(order.prompt, cancel).await
    };
    if let Some(resting) = child.close().await {
        parent.subagents.resting.lock().insert(id.clone(), resting);
    }
    Ok((id, outcome))
}

async fn begin<'a>(
    parent: &'a Inner,
    catalog: &Catalog,
    order: &TaskOrder<'_>,
) -> Result<(Child, AtWork<'a>), String> {
    let definition = catalog
        .get(order.subagent_type)
        .map_err(|error| error.to_string())?;
    let plan = Plan::of(parent, definition, order.scope).await?;
    let child = Child::begin(parent, plan)
        .await
        .map_err(|error| error.to_string())?;
    let id = remember(parent, child.id());
    let at_work = AtWork::begin(parent, &id).ok_or_else(|| still_running(&id))?;
    Ok((child, at_work))
}

async fn resume<'a>(
    parent: &'a Inner,
    catalog: &Catalog,
    order: &TaskOrder<'_>,
    id: &str,
) -> Result<(Child, AtWork<'a>), String> {
    let conversation = find(parent, id).ok_or_else(|| not_found(parent, id))?;
    let at_work = AtWork::begin(parent, id).ok_or_else(|| still_running(id))?;
    let definition = catalog
        .get(order.subagent_type)
        .map_err(|error| error.to_string())?;
    let plan = Plan::of(parent, definition, order.scope).await?;
    let resting = parent.subagents.resting.lock().remove(id);
    let child = match resting {
        Some(resting) => Child::wake(parent, resting, plan),
        // A copy of a conversation knows of tasks whose files it does not have.
        None if !Child::is_on_disk(parent, conversation).await => {
            return Err(not_found(parent, id));
        }
        None => Child::resume(parent, conversation, plan)
            .await
            .map_err(|error| error.to_string())?,
    };
    Ok((child, at_work))
}

fn not_found(parent: &Inner, id: &str) -> String {
    let mut ids: Vec<String> = tasks(parent).into_iter().map(|(id, _)| id).collect();
    ids.sort();
    format!("Task '{id}' not found. Available tasks: {}", ids.join(", "))
}

fn still_running(id: &str) -> String {
    format!("Task '{id}' is still at work.")
}

/// Gives a sub-agent the next task id, and keeps it with the conversation's state.
fn remember(parent: &Inner, conversation: ConversationId) -> String {
    let mut state = parent.state.write();
    let kept = state
        .agent_state
        .0
        .entry(STATE_KEY)
        .or_insert_with(|| Value::Object(Map::new()));
    if !kept.is_object() {
        *kept = Value::Object(Map::new());
    }
    let count = kept.as_object().map_or(0, Map::len);
    let id = format!("task_{:08x}", count + 1);
    if let Some(kept) = kept.as_object_mut() {
        kept.insert(id.clone(), Value::String(conversation.to_string()));
    }
    id
}

fn tasks(parent: &Inner) -> Vec<(String, ConversationId)> {
    let state = parent.state.read();
    let kept = state
        .agent_state
        .0
        .get(STATE_KEY)
        .and_then(Value::as_object);
    kept.into_iter()
        .flatten()
        .filter_map(|(id, value)| Some((id.clone(), value.as_str()?.parse().ok()?)))
        .collect()
}

fn find(parent: &Inner, id: &str) -> Option<ConversationId> {
    tasks(parent)
        .into_iter()
        .find(|(known, _)| known == id)
        .map(|(_, conversation)| conversation)
}

/// Books what a sub-agent used, however the work on it ends.
struct Books<'a> {
    child: &'a Child,
    parent: &'a Inner,
    usage_id: String,
}

impl Drop for Books<'_> {
    fn drop(&mut self) {
        let usage_id = std::mem::take(&mut self.usage_id);
        self.child.book(self.parent, usage_id);
    }
}

/// A task that is at work: it cannot be taken up a second time.
struct AtWork<'a> {
    parent: &'a Inner,
    id: String,
}

impl<'a> AtWork<'a> {
    fn begin(parent: &'a Inner, id: &str) -> Option<Self> {
        parent
            .subagents
            .busy
            .lock()
            .insert(id.to_owned())
            .then(|| Self {
                parent,
                id: id.to_owned(),
            })
    }
}

impl Drop for AtWork<'_> {
    fn drop(&mut self) {
        self.parent.subagents.busy.lock().remove(&self.id);
    }
}
