//! The router: the set of servers of the moment, and the sessions of clients that see it.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use openhands_sdk_rs::mcp::McpOptions;
use parking_lot::Mutex;
use rmcp::service::{Peer, RoleServer};
use tokio::sync::broadcast;
use tokio::sync::broadcast::error::RecvError;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::entry::Entry;
use super::sse::Sessions;
use super::streamable::Streamable;
use super::upstream::{List, Set, Upstream};

/// How long an update, a list and a call wait for servers that start: clients give an update 60 s, a connection 30 s.
pub(in crate::v0) const START_LIMIT: Duration = Duration::from_secs(20);
/// The longest call. Clients have limits of their own and cancel; this ends what nobody waits for.
const CALL_LIMIT: Duration = Duration::from_hours(1);
/// Changes that a slow session may be behind; it is then told of all lists.
const MAX_CHANGES: usize = 64;
/// For the sessions of clients to end.
const END_LIMIT: Duration = Duration::from_secs(5);

/// One MCP server out of many.
#[derive(Debug)]
pub(in crate::v0) struct Router {
    /// The session key, which clients must also give as a bearer token.
    pub(super) key: Option<String>,
    options: McpOptions,
    set: Mutex<Arc<Set>>,
    changed: broadcast::Sender<List>,
    pub(super) sessions: Sessions,
    pub(super) streamable: Streamable,
    pub(super) tasks: TaskTracker,
    pub(super) stop: CancellationToken,
}

impl Router {
    /// A router without servers. `options` has the environment that servers get a few variables of, and how long they
    /// are waited for.
    pub(in crate::v0) fn new(key: Option<String>, options: McpOptions) -> Arc<Self> {
        let stop = CancellationToken::new();
        Arc::new(Self {
            key,
            options: McpOptions {
                call_limit: CALL_LIMIT,
                ..options
            },
            set: Mutex::default(),
            changed: broadcast::Sender::new(MAX_CHANGES),
            sessions: Sessions::default(),
            streamable: Streamable::new(&stop),
            tasks: TaskTracker::new(),
            stop,
        })
    }

    /// How long servers are waited for.
    pub(super) fn start_limit(&self) -> Duration {
        self.options.start_limit
    }

    /// The servers of the moment.
    pub(super) fn set(&self) -> Arc<Set> {
        Arc::clone(&self.set.lock())
    }

    /// Whether a client finds anything here.
    pub(super) fn serves(&self, profile: Option<&str>) -> bool {
        let set = self.set();
        !set.is_empty() && (profile.is_none() || !set.of_profile(profile).is_empty())
    }

    /// Puts another set of servers in the place of the present one. Returns what went wrong, a line for each server.
    pub(super) async fn update(&self, entries: Vec<Entry>) -> String {
        let (set, retired) = {
            let mut set = self.set.lock();
            if self.stop.is_cancelled() {
                return "the server is stopping".to_owned();
            }
            let renewed = set.renew(entries, |entry| {
                Upstream::start(entry, &self.options, &self.changed)
            });
            *set = Arc::new(renewed.set);
            (Arc::clone(&set), renewed.retired)
        };
        for list in [List::Tools, List::Prompts, List::Resources] {
            // Without clients nobody listens.
            let _ = self.changed.send(list);
        }
        let end = join_all(retired.iter().map(|upstream| upstream.close()));
        let upstreams = set.upstreams();
        let begin = join_all(upstreams.map(|upstream| upstream.started(self.start_limit())));
        tokio::join!(end, begin);
        let problems: Vec<String> = set
            .upstreams()
            .filter_map(|upstream| Some(format!("{}: {}", upstream.name(), upstream.error()?)))
            .collect();
        for problem in &problems {
            tracing::warn!(problem, "an MCP server is not usable");
        }
        problems.join("\n")
    }

    /// Tells a client of changed lists until its session ends.
    pub(super) fn tell_changes(&self, client: Peer<RoleServer>, ended: CancellationToken) {
        let mut changed = self.changed.subscribe();
        let stop = self.stop.clone();
        self.tasks.spawn(async move {
            loop {
                let change = tokio::select! {
                    biased;
                    () = ended.cancelled() => return,
                    () = stop.cancelled() => return,
                    change = changed.recv() => change,
                };
                let lists = match change {
                    Ok(List::Tools) => [true, false, false],
                    Ok(List::Prompts) => [false, true, false],
                    Ok(List::Resources) => [false, false, true],
                    Err(RecvError::Lagged(_)) => [true; 3],
                    Err(RecvError::Closed) => return,
                };
                let told = async {
                    let [tools, prompts, resources] = lists;
                    if tools {
                        client.notify_tool_list_changed().await?;
                    }
                    if prompts {
                        client.notify_prompt_list_changed().await?;
                    }
                    if resources {
                        client.notify_resource_list_changed().await?;
                    }
                    Ok::<(), rmcp::ServiceError>(())
                };
                let is_gone = tokio::select! {
                    biased;
                    () = ended.cancelled() => true,
                    () = stop.cancelled() => true,
                    told = told => told.is_err(),
                };
                if is_gone {
                    return;
                }
            }
        });
    }

    /// Ends the sessions of all clients, whose streams would keep the HTTP server from ending, and then all servers.
    pub(in crate::v0) async fn stop(&self) {
        self.stop.cancel();
        let set = std::mem::take(&mut *self.set.lock());
        join_all(set.upstreams().map(|upstream| upstream.close())).await;
        self.tasks.close();
        if tokio::time::timeout(END_LIMIT, self.tasks.wait())
            .await
            .is_err()
        {
            tracing::warn!("sessions of MCP clients did not end in time");
        }
    }
}
