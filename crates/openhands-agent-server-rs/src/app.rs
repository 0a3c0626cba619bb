//! Everything that a running server holds, and the routes over it.

use std::sync::Arc;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use tokio_util::sync::CancellationToken;

use crate::config::Config;
use crate::http::{Operation, Routes};
use crate::services::activity::Activity;
use crate::services::conversations::Conversations;
use crate::services::git::{Git, GithubRepositories};
use crate::services::vscode::{VsCode, VsCodeSetup};
use crate::{openapi, sockets, v1};

/// A running server.
#[derive(Debug)]
pub struct App {
    config: Arc<Config>,
    /// When something last happened.
    pub(crate) activity: Arc<Activity>,
    /// The conversations.
    pub(crate) conversations: Arc<Conversations>,
    /// Git on this machine.
    pub(crate) git: Git,
    /// Repositories that can be cloned.
    pub(crate) github: GithubRepositories,
    /// The editor; none if the settings want none.
    pub(crate) vscode: Option<VsCode>,
    /// Ends everything.
    stop: CancellationToken,
}

impl App {
    /// Starts all services. What is on disk is looked at; what ran when the last server died is taken up.
    pub async fn start(config: Config) -> anyhow::Result<Arc<Self>> {
        let config = Arc::new(config);
        let activity = Arc::new(Activity::new());
        let stop = CancellationToken::new();
        let conversations = Conversations::start(&config, &activity, stop.child_token()).await?;
        Ok(Arc::new(Self {
            activity,
            conversations,
            git: Git::new(&config.env),
            github: GithubRepositories::default(),
            vscode: config
                .enable_vscode
                .then(|| VsCode::start(VsCodeSetup::of(&config))),
            config,
            stop,
        }))
    }

    /// The settings.
    pub fn config(&self) -> &Arc<Config> {
        &self.config
    }

    /// Is cancelled when the server is to end.
    pub(crate) fn stopping(&self) -> &CancellationToken {
        &self.stop
    }

    /// Every route, with what is known about it.
    pub(crate) fn routes() -> Routes {
        v1::routes()
            .merge(sockets::routes())
            .merge(openapi::routes())
    }

    /// What is served: for documentation and tests.
    pub fn operations() -> Vec<Operation> {
        Self::routes().operations().cloned().collect()
    }

    /// Serves every route.
    pub fn router(self: &Arc<Self>) -> Router {
        Self::routes()
            .into_router(self)
            .fallback(v1::not_found)
            .method_not_allowed_fallback(v1::method_not_allowed)
            .layer(DefaultBodyLimit::disable())
            .layer(tower_http::catch_panic::CatchPanicLayer::custom(
                v1::panicked,
            ))
            .with_state(Arc::clone(self))
    }

    /// Drops from memory the conversations that nobody has used for so long. Happens by itself now and then.
    pub async fn drop_idle(&self, idle: std::time::Duration) {
        self.conversations.evict(idle).await;
    }

    /// Ends everything: sockets are closed, what runs is cut off, all is saved.
    pub async fn stop(&self) {
        self.stop.cancel();
        let editor = async {
            if let Some(vscode) = &self.vscode {
                vscode.stop().await;
            }
        };
        tokio::join!(self.conversations.stop(), editor);
    }
}
