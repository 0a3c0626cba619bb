//! One server of a conversation: it is started, listed, watched and started again.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use parking_lot::Mutex;
use rmcp::model::{ErrorCode, PaginatedRequestParams, Tool};
use rmcp::service::{Peer, RoleClient, ServiceError};
use tokio::sync::{broadcast, mpsc, oneshot, watch};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::connection::{Connection, Connector};
use super::error::ServerError;
use super::filter::Filter;
use super::handler::Progress;
use super::relay::McpNotice;
use super::servers::Restarts;
use super::tool::McpTool;

/// How long a server may take to start, beyond what anybody waits for it: some are downloaded first.
const PATIENCE: Duration = Duration::from_mins(5);
/// A server that worked for this long is not in a loop of crashes.
const STABLE: Duration = Duration::from_mins(1);
/// Pages of one list of tools.
const MAX_PAGES: usize = 100;
/// Orders that wait for a server that is busy starting; more of them wait to be sent.
pub(super) const MAX_ORDERS: usize = 16;

/// What is known about a server by its tools.
pub(super) struct Shared {
    pub(super) name: String,
    /// What stands before the names of its tools.
    pub(super) prefix: String,
    /// How long a caller waits for it to start.
    pub(super) start_limit: Duration,
    pub(super) call_limit: Duration,
    pub(super) status: watch::Receiver<Status>,
    pub(super) orders: mpsc::Sender<Order>,
    /// The sessions up to this number are not to be used any more.
    pub(super) lost: AtomicU64,
    /// The calls that run.
    pub(super) calls: TaskTracker,
    pub(super) notices: broadcast::Sender<McpNotice>,
}

/// The tools of one server. Not known by the tools themselves, which would keep each other alive.
pub(super) type Listed = Arc<Mutex<Arc<[Arc<McpTool>]>>>;

/// How a server is.
#[derive(Clone)]
pub(super) enum Status {
    /// It starts for the first time.
    Starting,
    Ready(Session),
    /// It died and will be started again.
    Down(ServerError),
    /// It will not be started again unless a call asks for it.
    Failed(ServerError),
    Closed,
}

/// What calls go through.
#[derive(Clone)]
pub(super) struct Session {
    pub(super) peer: Peer<RoleClient>,
    pub(super) progress: Arc<Progress>,
    /// Counts the sessions of a server.
    pub(super) number: u64,
}

/// What a call wants of a server.
pub(super) enum Order {
    /// A session: the one there is, or what an attempt brings.
    Connect(oneshot::Sender<Result<Session, ServerError>>),
    /// This session does not work any more.
    Broken { number: u64 },
}

/// Owns one server.
pub(super) struct Supervisor {
    pub(super) shared: Arc<Shared>,
    pub(super) tools: Listed,
    pub(super) connector: Connector,
    pub(super) filter: Filter,
    pub(super) restarts: Restarts,
    pub(super) status: watch::Sender<Status>,
    pub(super) orders: mpsc::Receiver<Order>,
    /// Goes up with every change of any server's tools.
    pub(super) changes: Arc<watch::Sender<u64>>,
    pub(super) cancel: CancellationToken,
    /// Of the last session.
    pub(super) number: u64,
    /// Those who wait for the attempt under way.
    pub(super) waiting: Vec<oneshot::Sender<Result<Session, ServerError>>>,
}

/// How a session ended.
enum End {
    Closed,
    Lost(String),
}

impl Supervisor {
    /// Works until it is cancelled.
    pub(super) async fn run(mut self) {
        let cancel = self.cancel.clone();
        let mut failures = 0;
        loop {
            let attempt = tokio::select! {
                biased;
                () = cancel.cancelled() => break,
                attempt = self.attempt() => attempt,
            };
            let error = match attempt {
                Ok((connection, tools)) => {
                    let since = Instant::now();
                    match Box::pin(self.serve(connection, tools)).await {
                        End::Closed => break,
                        End::Lost(why) => {
                            if since.elapsed() >= STABLE {
                                failures = 0;
                            }
                            ServerError::lost(why)
                        }
                    }
                }
                Err(error) => {
                    self.answer(&error);
                    error
                }
            };
            failures += 1;
            tracing::warn!(server = self.shared.name, %error, failures, "an MCP server is down");
            if !self.pause(error, failures).await {
                break;
            }
        }
        self.status.send_replace(Status::Closed);
    }

    /// Connects and lists.
    async fn attempt(&self) -> Result<(Connection, Vec<Tool>), ServerError> {
        let work = async {
            let mut connection = self.connector.open().await?;
            let peer = connection.peer.clone();
            let listed = tokio::select! {
                biased;
                listed = list(&peer) => Some(listed),
                _ = connection.lost() => None,
            };
            match listed {
                Some(Ok(tools)) => Ok((connection, tools)),
                Some(Err(ServiceError::TransportClosed)) | None => {
                    Err(ServerError::connection(connection.lost().await))
                }
                Some(Err(error)) => Err(ServerError::connection(error)),
            }
        };
        tokio::time::timeout(PATIENCE, Box::pin(work))
            .await
            .unwrap_or_else(|_| Err(ServerError::timeout(PATIENCE, &self.shared.name)))
    }

    /// Tells all who waited for an attempt that it failed.
    fn answer(&mut self, error: &ServerError) {
        while let Ok(order) = self.orders.try_recv() {
            if let Order::Connect(reply) = order {
                self.waiting.push(reply);
            }
        }
        for reply in self.waiting.drain(..) {
            // Who waited may have gone.
            let _ = reply.send(Err(error.clone()));
        }
    }

    /// Follows a session to its end.
    async fn serve(&mut self, mut connection: Connection, tools: Vec<Tool>) -> End {
        self.number += 1;
        let session = Session {
            peer: connection.peer.clone(),
            progress: Arc::clone(&connection.handler.progress),
            number: self.number,
        };
        self.publish(tools);
        self.status.send_replace(Status::Ready(session.clone()));
        for reply in self.waiting.drain(..) {
            let _ = reply.send(Ok(session.clone()));
        }
        let cancel = self.cancel.clone();
        let changed = Arc::clone(&connection.handler.tools_changed);
        loop {
            tokio::select! {
                biased;
                () = cancel.cancelled() => {
                    // No new call may begin while the server ends.
                    self.status.send_replace(Status::Closed);
                    connection.close().await;
                    return End::Closed;
                }
                why = connection.lost() => return End::Lost(why),
                order = self.orders.recv() => match order {
                    Some(Order::Connect(reply)) => {
                        let _ = reply.send(Ok(session.clone()));
                    }
                    Some(Order::Broken { number }) if number == self.number => {
                        return End::Lost("the server could not be reached".to_owned());
                    }
                    Some(Order::Broken { .. }) => {}
                    // Nobody has a tool of this server any more; it lives on for who lists them.
                    None => cancel.cancelled().await,
                },
                () = changed.notified() => {
                    let listed = tokio::select! {
                        biased;
                        () = cancel.cancelled() => continue,
                        _ = connection.lost() => continue,
                        listed = tokio::time::timeout(self.shared.start_limit, list(&session.peer)) => listed,
                    };
                    match listed {
                        Ok(Ok(tools)) => self.publish(tools),
                        Ok(Err(error)) => {
                            tracing::warn!(server = self.shared.name, %error, "changed tools were not listed");
                        }
                        Err(_) => {
                            tracing::warn!(server = self.shared.name, "changed tools were not listed in time");
                        }
                    }
                }
            }
        }
    }

    /// Waits until the next attempt is due, or a call asks for one. False: there will be none.
    async fn pause(&mut self, error: ServerError, failures: u32) -> bool {
        let again = self.number > 0 && failures <= self.restarts.attempts;
        let delay = again.then(|| self.restarts.delay(failures));
        self.status.send_replace(if again {
            Status::Down(error)
        } else {
            Status::Failed(error)
        });
        let due = async {
            match delay {
                Some(delay) => tokio::time::sleep(delay).await,
                None => std::future::pending().await,
            }
        };
        tokio::pin!(due);
        loop {
            tokio::select! {
                biased;
                () = self.cancel.cancelled() => return false,
                order = self.orders.recv() => match order {
                    Some(Order::Connect(reply)) => {
                        self.waiting.push(reply);
                        return true;
                    }
                    Some(Order::Broken { .. }) => {}
                    None => return false,
                },
                () = &mut due => return true,
            }
        }
    }

    /// Makes tools of a list, and tells of it if they are other ones than before.
    fn publish(&self, listed: Vec<Tool>) {
        let mut tools: Vec<Arc<McpTool>> = Vec::with_capacity(listed.len());
        let before = Arc::clone(&self.tools.lock());
        for raw in listed {
            let name = format!("{}{}", self.shared.prefix, raw.name);
            if !self.filter.wants(&name) || tools.iter().any(|tool| tool.name() == name) {
                continue;
            }
            let same = before.iter().find(|tool| tool.is_made_of(&raw));
            tools.push(match same {
                Some(tool) => Arc::clone(tool),
                None => Arc::new(McpTool::new(&self.shared, raw, name)),
            });
        }
        let unchanged = tools.len() == before.len()
            && tools
                .iter()
                .zip(before.iter())
                .all(|(new, old)| Arc::ptr_eq(new, old));
        if !unchanged {
            *self.tools.lock() = tools.into();
            self.changes.send_modify(|version| *version += 1);
        }
    }
}

/// All pages of a server's tools. A server without tools may not even know the question.
async fn list(peer: &Peer<RoleClient>) -> Result<Vec<Tool>, ServiceError> {
    let mut tools = Vec::new();
    let mut cursor: Option<String> = None;
    for _ in 0..MAX_PAGES {
        let params = PaginatedRequestParams::default().with_cursor(cursor.clone());
        let page = match peer.list_tools(Some(params)).await {
            Err(ServiceError::McpError(error)) if error.code == ErrorCode::METHOD_NOT_FOUND => {
                return Ok(tools);
            }
            page => page?,
        };
        tools.extend(page.tools);
        if page.next_cursor.is_none() || page.next_cursor == cursor {
            return Ok(tools);
        }
        cursor = page.next_cursor;
    }
    tracing::warn!("an MCP server has too many pages of tools; the rest is left out");
    Ok(tools)
}
