//! The hands of this server over MCP: its tools at `/mcp`, for any client of the protocol and for an outer server.
//!
//! ```text
//! /mcp ─► Door (streamable HTTP, by the library) ─► Face ─┬─► Bench   the tools of a conversation, with their state
//!                                                         ├─► Calls   what came of each call: none runs twice
//!                                                         └─► files   read, write, list, exec, under reserved names
//! ```
//!
//! A call runs in a task of its own, which connections only watch: one that is lost ends nothing. Its output goes to
//! whoever watches, masked and bounded; its result stays for a while, for those who ask again.

mod bench;
mod calls;
mod door;
mod face;
mod files;
mod follow;
mod listing;
mod preview;
mod result;
mod tool_call;
mod uploads;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::response::Response;
use openhands_protocol::ConversationId;
use openhands_protocol::tool::Tool;
use openhands_sdk_rs::runtime::hands::{Equipment, PATH};
use openhands_sdk_rs::tools::{Machine, Place, Registry, absolute};
use parking_lot::Mutex;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use uuid::Uuid;

use self::bench::Bench;
use self::calls::Calls;
pub(crate) use self::door::Door;
use self::uploads::Uploads;
use crate::app::App;
use crate::http::{Access, Routes};
use crate::services::tools::BROWSER;

/// The routes of the protocol. They are no part of the documented API: the protocol documents itself.
pub(crate) fn routes() -> Routes {
    Routes::new()
        .get(PATH, serve)
        .says("The tools of this server, by the Model Context Protocol")
        .access(Access::KeyOrBearer)
        .post(PATH, serve)
        .says("The tools of this server, by the Model Context Protocol")
        .access(Access::KeyOrBearer)
        .delete(PATH, serve)
        .says("The tools of this server, by the Model Context Protocol")
        .access(Access::KeyOrBearer)
        .all_hidden()
}

async fn serve(State(app): State<Arc<App>>, request: Request) -> Response {
    app.activity.touch();
    app.hands.handle(request).await
}

/// Whose tools and calls they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Owner {
    /// A conversation, of whichever server.
    Conversation(ConversationId),
    /// A session of the protocol whose client says no more.
    Session(Uuid),
    /// All clients that have no session and say no more.
    Shared,
}

/// What the hands are made of.
#[derive(Debug)]
pub(crate) struct Hands {
    /// This process: another one knows nothing of the calls of this one.
    instance: String,
    registry: Registry,
    env: Vec<(String, String)>,
    working_dir: PathBuf,
    has_browser: bool,
    benches: Mutex<HashMap<Owner, Arc<Bench>>>,
    calls: Calls,
    uploads: Uploads,
    tasks: TaskTracker,
    stop: CancellationToken,
}

impl Hands {
    /// The tools of a registry. `env` is the environment of commands, and `working_dir` is where the tools of those
    /// work that name no place.
    pub(crate) fn new(
        registry: Registry,
        env: Vec<(String, String)>,
        working_dir: &Path,
        has_browser: bool,
        stop: CancellationToken,
    ) -> Arc<Self> {
        Arc::new(Self {
            instance: Uuid::new_v4().to_string(),
            registry,
            env,
            working_dir: absolute(working_dir),
            has_browser,
            benches: Mutex::default(),
            calls: Calls::default(),
            uploads: Uploads::default(),
            tasks: TaskTracker::new(),
            stop,
        })
    }

    /// The names of the tools that can be asked for.
    fn names(&self) -> impl Iterator<Item = &str> {
        self.registry
            .names()
            .filter(|name| self.has_browser || *name != BROWSER)
    }

    /// Where those work that name no place.
    fn place(&self) -> Place {
        Place {
            working_dir: self.working_dir.clone(),
            persistence_dir: None,
        }
    }

    /// The tools of an owner, made now if they are not there or were made for something else.
    fn bench(self: &Arc<Self>, owner: Owner, equipment: Option<Equipment>) -> Arc<Bench> {
        let mut benches = self.benches.lock();
        if let Some(bench) = benches.get(&owner)
            && (equipment.is_none() || bench.equipment == equipment)
        {
            return Arc::clone(bench);
        }
        let bench = Arc::new(self.make_bench(equipment));
        if let Some(old) = benches.insert(owner, Arc::clone(&bench)) {
            self.tasks.spawn(async move { old.close().await });
        }
        bench
    }

    fn make_bench(&self, equipment: Option<Equipment>) -> Bench {
        let (tools, place) = match &equipment {
            Some(equipment) => (equipment.tools.clone(), equipment.place()),
            None => (self.names().map(Tool::new).collect(), self.place()),
        };
        let mut env = self.env.clone();
        for (name, value) in equipment.iter().flat_map(|equipment| &equipment.env) {
            env.retain(|(known, _)| known != name);
            env.push((name.clone(), value.text().to_owned()));
        }
        let machine = Machine {
            place,
            env,
            ..Machine::default()
        };
        Bench::new(&self.registry, &tools, &machine, equipment)
    }

    /// Ends the calls of an owner and gives up what its tools hold.
    async fn close(&self, owner: Owner) {
        self.calls.end_all_of(owner).await;
        let bench = self.benches.lock().remove(&owner);
        if let Some(bench) = bench {
            bench.close().await;
        }
    }

    /// Ends everything.
    pub(crate) async fn stop(&self) {
        self.stop.cancel();
        let owners: Vec<Owner> = self.benches.lock().keys().copied().collect();
        futures_util::future::join_all(owners.into_iter().map(|owner| self.close(owner))).await;
        self.tasks.close();
        self.tasks.wait().await;
    }
}
