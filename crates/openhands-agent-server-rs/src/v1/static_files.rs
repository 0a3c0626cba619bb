//! A directory of files that is served as it is, if the settings name one.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use openhands_sdk_rs::tools::{blocking, resolve};

use crate::app::App;
use crate::http::{ApiError, Parameters, Routes};
use crate::services::files::content_type;
use crate::v1::file_response::FileResponse;

pub(crate) fn routes() -> Routes {
    Routes::new()
        .get("/static/{*file_path}", file)
        .says("A static file")
        .hidden()
        .takes_head()
}

async fn file(
    State(app): State<Arc<App>>,
    parameters: Parameters,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let missing = || ApiError::not_found("Not Found");
    let directory = app.config().static_files_path.clone().ok_or_else(missing)?;
    let path = parameters.first().map(str::to_owned);
    let path = path.ok_or_else(missing)?;
    let found = blocking(move || find(&directory, &path)).await;
    let file = found.map_err(ApiError::internal)?.ok_or_else(missing)?;
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    match FileResponse::open(&file, content_type::header_of_name(&name)).await {
        Ok(file) => file.answer(&headers),
        Err(_) => Err(missing()),
    }
}

/// The real path of a file below the directory, after all links are followed; none if it is outside.
fn find(directory: &Path, path: &str) -> Option<PathBuf> {
    let directory = resolve(directory);
    if path.contains('\0') {
        return None;
    }
    let file = resolve(&directory.join(path));
    (file.starts_with(&directory) && file.is_file()).then_some(file)
}
