//! Where a request works: on the server itself, or in the workspace of a conversation.

use std::path::{Path as FilePath, PathBuf};
use std::sync::Arc;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use openhands_protocol::ConversationId;
use openhands_protocol::schema::Described as _;
use openhands_protocol::workspace::RuntimePath;
use openhands_sdk_rs::tools::{absolute, blocking, resolve};

use crate::app::App;
use crate::http::{ApiError, Argument, Input, Path};
use crate::services::bash::BashService;
use crate::v1::forward;

/// Where a request works.
pub(crate) struct Place {
    pub(crate) app: Arc<App>,
    /// The commands there.
    pub(crate) bash: Arc<BashService>,
    /// The conversation and the real path of its workspace, beyond which the request may not reach.
    pub(crate) conversation: Option<(ConversationId, PathBuf)>,
}

/// An extractor that knows the place.
pub(crate) trait Located:
    FromRequestParts<Arc<App>, Rejection = ApiError> + Send + 'static
{
    /// The place.
    fn place(self) -> Place;
}

/// The server itself.
pub(crate) struct Here(Place);

/// The workspace of the conversation in the path. The paths in the query are known to be in it.
pub(crate) struct There(Place);

impl Located for Here {
    fn place(self) -> Place {
        self.0
    }
}

impl Located for There {
    fn place(self) -> Place {
        self.0
    }
}

impl FromRequestParts<Arc<App>> for Here {
    type Rejection = ApiError;

    async fn from_request_parts(_: &mut Parts, app: &Arc<App>) -> Result<Self, ApiError> {
        Ok(Self(Place {
            app: Arc::clone(app),
            bash: Arc::clone(app.bash.flat()),
            conversation: None,
        }))
    }
}

impl FromRequestParts<Arc<App>> for There {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Self, ApiError> {
        let Path(path) = Path::<RuntimePath>::from_request_parts(parts, app).await?;
        let id = path.runtime_conversation_id;
        let (workspace, directory) = if let Some(told) = forward::told(app, &parts.headers) {
            (told.workspace, told.directory)
        } else {
            let entry = app.conversations.entry(id).ok_or_else(|| unknown(id))?;
            let directory = app.config().conversations_path.join(id.hex());
            (entry.working_dir(), directory)
        };
        let bash = app.bash.of_conversation(id, &directory, workspace.clone());
        let asked = paths_in_query(parts);
        let root = blocking(move || check(&workspace, &asked))
            .await
            .map_err(ApiError::internal)??;
        Ok(Self(Place {
            app: Arc::clone(app),
            bash,
            conversation: Some((id, root)),
        }))
    }
}

/// There is no such conversation.
pub(crate) fn unknown(id: ConversationId) -> ApiError {
    ApiError::not_found(format!("Conversation not found: {id}"))
}

/// The real path of a workspace, if all that is asked for is in it.
fn check(workspace: &FilePath, asked: &[(&'static str, String)]) -> Result<PathBuf, ApiError> {
    let root = resolve(&absolute(workspace));
    for (name, path) in asked {
        let path = FilePath::new(path);
        if !path.is_absolute() || !resolve(path).starts_with(&root) {
            return Err(outside(name));
        }
    }
    Ok(root)
}

fn outside(name: &str) -> ApiError {
    ApiError::unprocessable(format!("{name} must be inside the conversation workspace"))
}

fn paths_in_query(parts: &Parts) -> Vec<(&'static str, String)> {
    let query = axum::extract::Query::<Vec<(String, String)>>::try_from_uri(&parts.uri);
    let pairs = query.map(|query| query.0).unwrap_or_default();
    pairs
        .into_iter()
        .filter_map(|(name, value)| {
            let known = ["path", "workspace_dir"]
                .into_iter()
                .find(|known| *known == name)?;
            Some((known, value))
        })
        .collect()
}

impl Place {
    /// Refuses a working directory outside of the workspace. A relative one starts where the server was started.
    pub(crate) async fn check_cwd(&self, cwd: Option<&str>) -> Result<(), ApiError> {
        let (Some((_, root)), Some(cwd)) = (&self.conversation, cwd) else {
            return Ok(());
        };
        let cwd = absolute(FilePath::new(cwd));
        let real = blocking(move || resolve(&cwd))
            .await
            .map_err(ApiError::internal)?;
        if real.starts_with(root) {
            Ok(())
        } else {
            Err(outside("cwd"))
        }
    }
}

impl Input for Here {
    fn argument() -> Option<Argument> {
        None
    }
}

impl Input for There {
    fn argument() -> Option<Argument> {
        Some(Argument {
            place: crate::http::Place::Path,
            schema: RuntimePath::schema,
        })
    }
}
