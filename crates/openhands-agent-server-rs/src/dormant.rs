//! A server that waits to be set up: it is alive, and refuses everything but `POST /api/init`.
//!
//! Pools of sandboxes start servers ahead of use and tell them later whose they are. Until then no service runs and
//! nothing on disk is looked at. The routes of the real server take over behind the same [`Door`].

use std::sync::{Arc, OnceLock};

use axum::Router;
use axum::extract::{FromRequest as _, Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use axum::routing::{MethodFilter, any, get, on};
use openhands_protocol::server::{InitRequest, InitState, InitStatus};
use openhands_sdk_rs::tools::Registry;
use parking_lot::Mutex;
use tokio_util::task::TaskTracker;

use crate::app::App;
use crate::config::Config;
use crate::http::{ApiError, Behind, Body, Door, Front, Reply};
use crate::openapi;
use crate::services::activity::Activity;
use crate::services::tools::usable_tools;
use crate::telemetry::metrics::Metrics;
use crate::v1::{self, init, server_info};

/// A server that waits to be set up.
#[derive(Debug)]
pub(crate) struct Dormant {
    config: Config,
    activity: Arc<Activity>,
    /// How far it is.
    status: Mutex<InitStatus>,
    door: OnceLock<Door>,
    /// The server that it became.
    app: Arc<OnceLock<Arc<App>>>,
    /// Setting up goes on when the client that asked for it goes away.
    tasks: TaskTracker,
}

impl Dormant {
    /// Waits. The server that it becomes is put into `app`.
    pub(crate) fn new(config: Config, app: Arc<OnceLock<Arc<App>>>) -> Arc<Self> {
        Arc::new(Self {
            config,
            activity: Arc::new(Activity::new()),
            status: Mutex::new(InitStatus {
                state: InitState::Dormant,
                ..InitStatus::default()
            }),
            door: OnceLock::new(),
            app,
            tasks: TaskTracker::new(),
        })
    }

    /// The door that leads here, and to the real server later.
    pub(crate) fn open_door(self: &Arc<Self>) -> Door {
        let door = Door::new(Front::new(
            Behind::Waiting(self.router()),
            &self.config,
            Metrics::new(),
        ));
        self.door.get_or_init(|| door).clone()
    }

    /// Waits until nobody sets it up any more.
    pub(crate) async fn stop(&self) {
        self.tasks.close();
        self.tasks.wait().await;
    }

    fn router(self: &Arc<Self>) -> Router {
        let mut router = Router::new()
            .route("/alive", get(server_info::ok))
            .route("/health", get(server_info::ok))
            .route("/ready", get(server_info::ready))
            .route("/server_info", get(info))
            .route("/", get(info))
            .route("/openapi.json", get(openapi::json))
            .route("/docs", get(openapi::page))
            .route("/redoc", get(openapi::page))
            .route("/api/init", get(status).post(initialize));
        for operation in App::known_operations() {
            let path = operation.path;
            let filter = MethodFilter::try_from(operation.method.clone());
            let handler = if path == "/api/init" {
                continue;
            } else if path.starts_with("/sockets/") {
                any(refuse_socket)
            } else if let Ok(filter) = filter
                && ["/api/", "/v1/", "/app-backends/", "/mcp"]
                    .iter()
                    .any(|start| path.starts_with(start))
            {
                on(filter, refuse)
            } else {
                continue;
            };
            router = router.route(&operation.pattern(), handler);
        }
        router
            .fallback(v1::not_found)
            .method_not_allowed_fallback(v1::method_not_allowed)
            .with_state(Arc::clone(self))
    }

    /// Takes the request, or says why not.
    fn begin(&self, request: &InitRequest) -> Result<(), ApiError> {
        let mut status = self.status.lock();
        if status.state != InitState::Dormant {
            return Err(init::already(&status.state));
        }
        init::check_keys(request)?;
        *status = InitStatus {
            state: InitState::Initializing,
            ..InitStatus::default()
        };
        Ok(())
    }

    /// Becomes the real server, or goes back to sleep.
    async fn wake(&self, request: InitRequest) -> Result<InitStatus, ApiError> {
        let config = self.config.initialized(&request);
        let started = App::start_since(config, Arc::clone(&self.activity)).await;
        let started = started.and_then(|app| Ok((app.front()?, app)));
        let mut status = self.status.lock();
        match (started, self.door.get()) {
            (Ok((front, app)), Some(door)) => {
                door.lead_to(front);
                let _ = self.app.set(app);
                status.state = InitState::Ready;
                tracing::info!("the server is set up");
                Ok(status.clone())
            }
            (started, _) => {
                let problem = match started {
                    Err(error) => format!("{error:#}"),
                    Ok(_) => "there is no door".to_owned(),
                };
                tracing::error!(problem, "the server cannot be set up");
                *status = InitStatus {
                    state: InitState::Dormant,
                    error: Some(problem.clone()),
                    ..InitStatus::default()
                };
                Err(ApiError::masked(StatusCode::INTERNAL_SERVER_ERROR, problem))
            }
        }
    }
}

async fn status(State(dormant): State<Arc<Dormant>>) -> Reply<InitStatus> {
    Reply(dormant.status.lock().clone())
}

async fn info(State(dormant): State<Arc<Dormant>>) -> Response {
    // Nothing is started for it: this is what the server will have.
    let config = &dormant.config;
    let has_browser = config.enable_browser
        && openhands_sdk_rs::tools::browser::tool::is_usable(config.env.clone());
    let tools = usable_tools(&Registry::standard(), has_browser);
    Reply(server_info::info(&dormant.config, &dormant.activity, tools)).into_response()
}

/// compat: the key counts before the body.
async fn initialize(
    State(dormant): State<Arc<Dormant>>,
    request: Request,
) -> Result<Reply<InitStatus>, ApiError> {
    init::check_key(&dormant.config, request.headers())?;
    let Body(request) = Body::<InitRequest>::from_request(request, &()).await?;
    init::check_request(&request)?;
    dormant.begin(&request)?;
    let waking = {
        let dormant = Arc::clone(&dormant);
        async move { dormant.wake(request).await }
    };
    let status = dormant.tasks.spawn(waking).await;
    status.map_err(ApiError::internal)?.map(Reply)
}

async fn refuse(State(dormant): State<Arc<Dormant>>) -> ApiError {
    let state = dormant.status.lock().state.clone();
    ApiError::masked(
        StatusCode::SERVICE_UNAVAILABLE,
        format!("server is in deferred-init state '{state}'; call POST /api/init first"),
    )
}

/// Sockets are refused before they are one.
async fn refuse_socket() -> StatusCode {
    StatusCode::FORBIDDEN
}
