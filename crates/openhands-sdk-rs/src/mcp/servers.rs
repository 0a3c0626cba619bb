//! All servers of one conversation.

use std::collections::HashSet;
use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use indexmap::IndexMap;
use openhands_protocol::mcp::McpServer;
use openhands_runtime::Runtime;
use parking_lot::Mutex;
use tokio::sync::{broadcast, mpsc, watch};
use tokio::task::JoinSet;
use tokio_util::sync::{CancellationToken, DropGuard};
use tokio_util::task::TaskTracker;

use super::config::{self, ConfigError};
use super::connection::Connector;
use super::error::ServerError;
use super::filter::Filter;
use super::oauth::SaveTokens;
use super::relay::McpRelay;
use super::server::{Listed, MAX_ORDERS, Shared, Status, Supervisor};
use super::stdio::Surroundings;
use super::tool::McpTool;

/// For the end of all servers; what is left then is killed.
const CLOSE_LIMIT: Duration = Duration::from_secs(10);
/// Notices that a slow listener may be behind; more of them are the same news.
const MAX_NOTICES: usize = 16;

/// How servers are started and called.
#[derive(Clone)]
pub struct McpOptions {
    /// The environment that programs get a few variables of, `PATH` among them. Their settings name the rest.
    pub env: Vec<(OsString, OsString)>,
    /// Where programs work, unless their settings say so; otherwise where this process does.
    pub working_dir: Option<PathBuf>,
    /// Only tools whose name begins with a match of this regular expression are wanted.
    pub filter_tools_regex: Option<String>,
    /// How long a server is waited for, by [`McpServers::ready`] and by a call that finds it down.
    pub start_limit: Duration,
    /// How long a call may take.
    pub call_limit: Duration,
    /// How often a server that died is started again.
    pub restarts: Restarts,
    /// Stores refreshed tokens.
    pub save_tokens: Option<SaveTokens>,
    /// Where servers run that are marked for the sandbox; none runs them in this process's place.
    pub sandbox: Option<Arc<dyn Runtime>>,
}

/// How often a server that died is started again. A minute of work makes up for all failures before it.
#[derive(Debug, Clone, Copy)]
pub struct Restarts {
    /// How many times in a row.
    pub attempts: u32,
    /// The pause before the first; it doubles with each.
    pub first_delay: Duration,
    /// The longest pause.
    pub longest_delay: Duration,
}

impl Default for Restarts {
    fn default() -> Self {
        Self {
            attempts: 5,
            first_delay: Duration::from_millis(250),
            longest_delay: Duration::from_secs(30),
        }
    }
}

impl Restarts {
    /// The pause after so many failures in a row.
    pub(super) fn delay(&self, failures: u32) -> Duration {
        let doubled = 2_u32.saturating_pow(failures.saturating_sub(1));
        self.first_delay
            .saturating_mul(doubled)
            .min(self.longest_delay)
    }
}

impl Default for McpOptions {
    fn default() -> Self {
        Self {
            env: Vec::new(),
            working_dir: None,
            filter_tools_regex: None,
            start_limit: Duration::from_secs(30),
            call_limit: Duration::from_mins(5),
            restarts: Restarts::default(),
            save_tokens: None,
            sandbox: None,
        }
    }
}

impl fmt::Debug for McpOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The environment holds secrets.
        f.debug_struct("McpOptions")
            .field("working_dir", &self.working_dir)
            .field("filter_tools_regex", &self.filter_tools_regex)
            .field("start_limit", &self.start_limit)
            .field("call_limit", &self.call_limit)
            .field("restarts", &self.restarts)
            .finish_non_exhaustive()
    }
}

/// The servers of one conversation. Dropping it ends them all.
pub struct McpServers {
    servers: Vec<(Arc<Shared>, Listed)>,
    /// Those whose settings are not usable.
    unusable: IndexMap<String, ServerError>,
    changes: Arc<watch::Sender<u64>>,
    calls: TaskTracker,
    start_limit: Duration,
    /// How long somebody waited in vain.
    overdue: Mutex<Option<Duration>>,
    cancel: CancellationToken,
    tasks: Mutex<JoinSet<()>>,
    _cancel_if_dropped: DropGuard,
}

impl fmt::Debug for McpServers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self.servers.iter().map(|(server, _)| &server.name);
        f.debug_set().entries(names).finish()
    }
}

impl McpServers {
    /// Begins to start every server that is enabled, all at once, and returns. Needs a Tokio runtime.
    ///
    /// Settings of which none is enabled are an error, as is a filter that cannot be read. A server whose own
    /// settings are not usable has them in [`errors`](Self::errors) and costs the others nothing.
    pub fn start(
        servers: &IndexMap<String, McpServer>,
        options: &McpOptions,
    ) -> Result<Self, ConfigError> {
        let enabled = config::enabled(servers)?;
        let filter = Filter::new(options.filter_tools_regex.as_deref())?;
        let several = enabled.len() > 1;
        let cancel = CancellationToken::new();
        let mut started = Self {
            servers: Vec::new(),
            unusable: IndexMap::new(),
            changes: Arc::new(watch::Sender::new(0)),
            calls: TaskTracker::new(),
            start_limit: options.start_limit,
            overdue: Mutex::new(None),
            tasks: Mutex::new(JoinSet::new()),
            _cancel_if_dropped: cancel.clone().drop_guard(),
            cancel,
        };
        for (name, endpoint) in enabled {
            let prefix = if several {
                format!("{name}_")
            } else {
                String::new()
            };
            match endpoint {
                Err(error) => {
                    let error = ServerError::unknown(error);
                    started.unusable.insert(name, error);
                }
                Ok(endpoint) => {
                    let connector = Connector {
                        server: name,
                        endpoint,
                        surroundings: Surroundings {
                            env: options.env.clone(),
                            working_dir: options.working_dir.clone(),
                        },
                        save: options.save_tokens.clone(),
                        sandbox: options.sandbox.clone(),
                        notices: broadcast::Sender::new(MAX_NOTICES),
                    };
                    started.supervise(connector, prefix, filter.clone(), options);
                }
            }
        }
        Ok(started)
    }

    fn supervise(
        &mut self,
        connector: Connector,
        prefix: String,
        filter: Filter,
        options: &McpOptions,
    ) {
        let (status, seen) = watch::channel(Status::Starting);
        let (orders, received) = mpsc::channel(MAX_ORDERS);
        let shared = Arc::new(Shared {
            name: connector.server.clone(),
            prefix,
            start_limit: options.start_limit,
            call_limit: options.call_limit,
            status: seen,
            orders,
            lost: AtomicU64::default(),
            calls: self.calls.clone(),
            notices: connector.notices.clone(),
        });
        let tools = Listed::default();
        self.servers.push((Arc::clone(&shared), Arc::clone(&tools)));
        let supervisor = Supervisor {
            shared,
            tools,
            connector,
            filter,
            restarts: options.restarts,
            status,
            orders: received,
            changes: Arc::clone(&self.changes),
            cancel: self.cancel.clone(),
            number: 0,
            waiting: Vec::new(),
        };
        self.tasks.lock().spawn(supervisor.run());
    }

    /// Waits until every server has either listed its tools or failed, but not longer than `limit`.
    ///
    /// A server that is still starting then counts as failed in [`errors`](Self::errors) but goes on; if it
    /// makes it later, its tools are a [change](Self::changes).
    pub async fn ready(&self, limit: Duration) {
        let all = async {
            for (server, _) in &self.servers {
                let mut status = server.status.clone();
                // An error means that the server was closed.
                let _ = status
                    .wait_for(|status| !matches!(status, Status::Starting))
                    .await;
            }
        };
        if tokio::time::timeout(limit, all).await.is_err() {
            *self.overdue.lock() = Some(limit);
        }
    }

    /// [`ready`](Self::ready) within the limit of the options.
    pub async fn ready_in_time(&self) {
        self.ready(self.start_limit).await;
    }

    /// The tools of all servers, in the order of the settings. Of two with the same name, the first counts.
    ///
    /// The tools of a server that died stay, so that a restart changes nothing for the model.
    pub fn tools(&self) -> Vec<Arc<McpTool>> {
        let mut names = HashSet::new();
        let mut tools = Vec::new();
        for (server, listed) in &self.servers {
            let own = Arc::clone(&listed.lock());
            for tool in own.iter() {
                if names.insert(tool.name().to_owned()) {
                    tools.push(Arc::clone(tool));
                } else {
                    tracing::warn!(
                        name = tool.name(),
                        server = server.name,
                        "a second MCP tool has this name"
                    );
                }
            }
        }
        tools
    }

    /// A server by its name, to pass requests on to it; none if its settings are not usable.
    pub fn relay(&self, name: &str) -> Option<McpRelay> {
        let mut servers = self.servers.iter();
        let (server, tools) = servers.find(|(server, _)| server.name == name)?;
        Some(McpRelay {
            server: Arc::clone(server),
            tools: Arc::clone(tools),
        })
    }

    /// A number that goes up whenever [`tools`](Self::tools) has changed.
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    /// The servers that cannot be used now, with the reason.
    pub fn errors(&self) -> IndexMap<String, ServerError> {
        let overdue = *self.overdue.lock();
        let mut errors = self.unusable.clone();
        for (server, _) in &self.servers {
            let error = match &*server.status.borrow() {
                Status::Ready(_) | Status::Closed => None,
                Status::Down(error) | Status::Failed(error) => Some(error.clone()),
                Status::Starting => overdue.map(|limit| ServerError::timeout(limit, &server.name)),
            };
            if let Some(error) = error {
                errors.insert(server.name.clone(), error);
            }
        }
        errors
    }

    /// Ends all servers and waits for it; running calls fail. Later calls say that the client was closed.
    pub async fn close(&self) {
        self.cancel.cancel();
        let mut tasks = std::mem::take(&mut *self.tasks.lock());
        let ended = async {
            while tasks.join_next().await.is_some() {}
            self.calls.close();
            self.calls.wait().await;
        };
        if tokio::time::timeout(CLOSE_LIMIT, ended).await.is_err() {
            tracing::warn!("MCP servers did not end in time and are killed");
        }
        tasks.shutdown().await;
    }
}
