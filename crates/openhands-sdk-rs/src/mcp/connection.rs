//! One connection to one server, from its start to its end.

use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use openhands_runtime::{Exec, Runtime};
use rmcp::service::{ClientInitializeError, Peer, RoleClient, RunningService};
use rmcp::transport::IntoTransport;
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::{
    StreamableHttpClientTransportConfig, StreamableHttpError,
};
use tokio::sync::broadcast;
use tokio_util::sync::CancellationToken;

use super::config::{Endpoint, Program};
use super::error::ServerError;
use super::handler::Handler;
use super::http::{Http, MAX_EVENT_BYTES};
use super::oauth::SaveTokens;
use super::relay::McpNotice;
use super::sse::SseTransport;
use super::stdio::{Process, Surroundings};

/// For what a program wrote before it ended, and for the end of one that closed its output.
const LAST_WORDS: Duration = Duration::from_millis(500);
/// For the farewell of a session.
const CLOSE_LIMIT: Duration = Duration::from_secs(2);

/// A session that has begun. Dropping it ends it, and kills a server that is a program of ours.
pub(super) struct Connection {
    pub(super) peer: Peer<RoleClient>,
    pub(super) handler: Handler,
    /// Resolves with the end of the session; none after that.
    session: Option<BoxFuture<'static, ()>>,
    stop: CancellationToken,
    process: Option<Process>,
    /// Ends a program in a sandbox when it is dropped.
    guard: Option<Box<dyn std::any::Any + Send + Sync>>,
}

/// How connections are made.
#[derive(Clone)]
pub(super) struct Connector {
    pub(super) server: String,
    pub(super) endpoint: Endpoint,
    pub(super) surroundings: Surroundings,
    pub(super) save: Option<SaveTokens>,
    /// Where programs run that are marked for the sandbox.
    pub(super) sandbox: Option<Arc<dyn Runtime>>,
    /// For what the server says about its lists.
    pub(super) notices: broadcast::Sender<McpNotice>,
}

impl Connector {
    /// Connects. The caller limits the time; dropping the future leaves nothing behind.
    pub(super) async fn open(&self) -> Result<Connection, ServerError> {
        match &self.endpoint {
            Endpoint::Stdio(program) if program.in_sandbox && self.sandbox.is_some() => {
                self.open_in_sandbox(program).await
            }
            Endpoint::Stdio(program) => {
                let (process, pipes) = Process::start(program, &self.surroundings).await?;
                with_process(process, pipes, self.handler()).await
            }
            Endpoint::Http(remote) => {
                let http = Http::new(remote, &self.server, self.save.as_ref())?;
                let config = StreamableHttpClientTransportConfig::with_uri(remote.url.as_str())
                    .max_sse_event_size(MAX_EVENT_BYTES);
                let transport = StreamableHttpClientTransport::with_client(http, config);
                begin(transport, self.handler())
                    .await
                    .map_err(|error| not_begun(&error))
            }
            Endpoint::Sse(remote) => {
                let http = Http::new(remote, &self.server, self.save.as_ref())?;
                let transport = SseTransport::open(http, remote).await?;
                begin(transport, self.handler())
                    .await
                    .map_err(|error| not_begun(&error))
            }
        }
    }

    /// Starts a program where the tools run, and talks to it over its pipes. Boxed: the compiler cannot see that the
    /// future of a trait object may be sent.
    fn open_in_sandbox<'a>(
        &'a self,
        program: &'a Program,
    ) -> BoxFuture<'a, Result<Connection, ServerError>> {
        let mut exec = Exec::new(std::iter::once(&program.command).chain(&program.args));
        exec.env.clone_from(&program.env);
        exec.cwd.clone_from(&program.cwd);
        let handler = self.handler();
        let runtime = self.sandbox.clone();
        Box::pin(async move {
            let runtime = runtime.ok_or_else(|| ServerError::unknown("there is no sandbox"))?;
            let attached = runtime.attach(exec).await;
            let attached = attached.map_err(|error| ServerError::connection(error.to_string()))?;
            let mut connection = begin((attached.stdout, attached.stdin), handler)
                .await
                .map_err(|error| not_begun(&error))?;
            connection.guard = Some(attached.guard);
            Ok(connection)
        })
    }

    fn handler(&self) -> Handler {
        Handler::new(self.notices.clone())
    }
}

/// Begins a session with a program, which may end before it does.
async fn with_process(
    mut process: Process,
    pipes: super::stdio::Pipes,
    handler: Handler,
) -> Result<Connection, ServerError> {
    let ended = async {
        let how = process.ended().await;
        tokio::time::sleep(LAST_WORDS).await;
        how
    };
    let what = tokio::select! {
        biased;
        begun = begin(pipes, handler) => match begun {
            Ok(mut connection) => {
                connection.process = Some(process);
                return Ok(connection);
            }
            // Its output has ended, or it does not read its input any more.
            Err(ClientInitializeError::ConnectionClosed(_) | ClientInitializeError::TransportError { .. }) => {
                tokio::time::timeout(LAST_WORDS, process.ended())
                    .await
                    .unwrap_or_else(|_| "the server closed its output".to_owned())
            }
            Err(error) => reason(&error),
        },
        how = ended => how,
    };
    Err(ServerError::connection(process.explain(&what).await))
}

async fn begin<T, E, A>(transport: T, handler: Handler) -> Result<Connection, ClientInitializeError>
where
    T: IntoTransport<RoleClient, E, A>,
    E: Error + Send + Sync + 'static,
{
    let stop = CancellationToken::new();
    let running: RunningService<RoleClient, Handler> = Box::pin(
        rmcp::service::serve_client_with_ct(handler.clone(), transport, stop.clone()),
    )
    .await?;
    Ok(Connection {
        peer: running.peer().clone(),
        handler,
        session: Some(running.waiting().map(|_| ()).boxed()),
        stop,
        process: None,
        guard: None,
    })
}

impl Connection {
    /// Waits until the connection is lost; says why. May be asked again if it was not waited for to the end.
    pub(super) async fn lost(&mut self) -> String {
        let Some(process) = &mut self.process else {
            end_of(&mut self.session).await;
            return "the connection was closed by the server".to_owned();
        };
        let what = tokio::select! {
            () = end_of(&mut self.session) => {
                tokio::time::timeout(LAST_WORDS, process.ended())
                    .await
                    .unwrap_or_else(|_| "the server closed its output".to_owned())
            }
            how = process.ended() => {
                let _ = tokio::time::timeout(LAST_WORDS, end_of(&mut self.session)).await;
                how
            }
        };
        process.explain(&what).await
    }

    /// Ends the session and the server, if that is a program of ours.
    pub(super) async fn close(mut self) {
        self.stop.cancel();
        let _ = tokio::time::timeout(CLOSE_LIMIT, end_of(&mut self.session)).await;
        self.session = None;
        if let Some(process) = self.process.take() {
            process.end().await;
        }
        self.guard = None;
    }
}

async fn end_of(session: &mut Option<BoxFuture<'static, ()>>) {
    if let Some(running) = session {
        running.await;
        *session = None;
    }
}

fn not_begun(error: &ClientInitializeError) -> ServerError {
    match error {
        ClientInitializeError::TransportError { error, .. } => unreachable(error.error.as_ref()),
        other => ServerError::connection(reason(other)),
    }
}

/// A server of the web that cannot be reached.
pub(super) fn unreachable(error: &(dyn Error + 'static)) -> ServerError {
    ServerError::connection(reason(error))
}

/// An error with its causes, each said once.
pub(super) fn reason(error: &(dyn Error + 'static)) -> String {
    let mut text = String::new();
    let mut cause = Some(error);
    while let Some(error) = cause {
        // The library does not name the request's own error as a cause.
        let request = match error.downcast_ref::<StreamableHttpError<reqwest::Error>>() {
            Some(StreamableHttpError::Client(request)) => Some(request),
            Some(_) => None,
            None => error.downcast_ref::<reqwest::Error>(),
        };
        if request.is_some_and(reqwest::Error::is_connect) {
            // The words that clients know.
            return "All connection attempts failed".to_owned();
        }
        let words = error.to_string();
        if !text.contains(&words) {
            if !text.is_empty() {
                text.push_str(": ");
            }
            text.push_str(&words);
        }
        cause = error.source();
    }
    text
}
