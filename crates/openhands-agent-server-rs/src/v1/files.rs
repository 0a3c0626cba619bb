//! Files and directories of the server.

use std::path::PathBuf;
use std::sync::Arc;

use axum::body::Body;
use axum::extract::{FromRequest, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::Response;
use futures_util::StreamExt as _;
use openhands_protocol::Extra;
use openhands_protocol::conversation::{SubdirectoryPage, Success};
use openhands_protocol::files::{
    ArchiveQuery, CreateDirectoryQuery, DownloadQuery, FileUploadResult, HomeQuery, HomeResponse,
    SearchSubdirsQuery, TrajectoryPath, UploadQuery,
};
use openhands_sdk_rs::tools::blocking;
use serde_json::json;

use crate::app::App;
use crate::http::{ApiError, Argument, Form, FormError, Input, Path, Query, Reply, Routes};
use crate::services::files::content_type;
use crate::services::files::{self, FileError, directories};
use crate::v1::file_response::{FileResponse, disposition, percent_encoded};
use crate::v1::place::{Here, Located, There};

/// What is read and thrown away of an upload that is refused, so that the client gets to read why.
const MAX_DRAINED_BYTES: usize = 256 << 20;

/// A form field that is no file is shown in the answer.
const MAX_TEXT_BYTES: usize = 64 << 10;

pub(crate) fn routes() -> Routes {
    Routes::new()
        .get("/api/file/home", home)
        .says("Where to start browsing")
        .answers::<HomeResponse>(200)
        .get("/api/file/search_subdirs", search_subdirs)
        .says("The directories in a directory, page by page")
        .answers::<SubdirectoryPage>(200)
        .post("/api/file/upload", upload::<Here>)
        .takes_file()
        .says("Store a file")
        .answers::<FileUploadResult>(200)
        .get("/api/file/download", download::<Here>)
        .says("Get a file")
        .post("/api/file/create_directory", create_directory::<Here>)
        .says("Make a directory and all above it")
        .answers::<Success>(200)
        .get(
            "/api/file/download-trajectory/{conversation_id}",
            trajectory::<Here>,
        )
        .says("Get all that is stored of a conversation, without credentials, as a zip")
        .get("/api/file/archive", archive::<Here>)
        .says("Get a directory as a patch or an archive")
}

/// The same in the workspace of a conversation.
pub(crate) fn scoped_routes() -> Routes {
    Routes::new()
        .post("/api/conversations/{runtime_conversation_id}/file/upload", upload::<There>)
        .takes_file()
        .says("Store a file in the workspace of a conversation")
        .answers::<FileUploadResult>(200)
        .get("/api/conversations/{runtime_conversation_id}/file/download", download::<There>)
        .says("Get a file of the workspace of a conversation")
        .post("/api/conversations/{runtime_conversation_id}/file/create_directory", create_directory::<There>)
        .says("Make a directory in the workspace of a conversation")
        .answers::<Success>(200)
        .get("/api/conversations/{runtime_conversation_id}/file/archive", archive::<There>)
        .says("Get a directory of the workspace of a conversation as a patch or an archive")
        .all_of_runtime()
        // The log is here, wherever the tools are.
        .get("/api/conversations/{runtime_conversation_id}/file/download-trajectory/{conversation_id}", trajectory::<There>)
        .says("Get all that is stored of a conversation, without credentials, as a zip")
}

async fn home(
    State(app): State<Arc<App>>,
    Query(query): Query<HomeQuery>,
) -> Result<Reply<HomeResponse>, ApiError> {
    let home = blocking(move || app.files.home(query.include_hidden)).await;
    home.map(Reply).map_err(ApiError::internal)
}

async fn search_subdirs(
    Query(query): Query<SearchSubdirsQuery>,
) -> Result<Reply<SubdirectoryPage>, ApiError> {
    let page = blocking(move || directories::search(&query)).await;
    page.map_err(ApiError::internal)?
        .map(Reply)
        .map_err(|error| refused(&error))
}

async fn create_directory<L: Located>(
    at: L,
    Query(query): Query<CreateDirectoryQuery>,
) -> Result<Reply<Success>, ApiError> {
    at.place().app.activity.touch();
    let made = blocking(move || directories::create(&query.path)).await;
    made.map_err(ApiError::internal)?
        .map_err(|error| refused(&error))?;
    Ok(Reply(Success::default()))
}

async fn upload<L: Located>(
    at: L,
    Query(query): Query<UploadQuery>,
    UploadForm(request): UploadForm,
) -> Result<Reply<FileUploadResult>, ApiError> {
    let app = at.place().app;
    app.activity.touch();
    match content_kind(request.headers()).as_str() {
        "multipart/form-data" => {}
        "application/x-www-form-urlencoded" => return Err(no_file_in_form(request).await),
        _ => {
            drain(request.into_body()).await;
            return Err(missing_file());
        }
    }
    let target = match app.files.upload_target(&query.path) {
        Ok(target) => target,
        Err(error) => {
            drain(request.into_body()).await;
            return Err(refused(&error));
        }
    };
    let mut form = Form::of(request)?;
    let mut file_size = None;
    while let Some(part) = form.next_part().await? {
        match (part.name.as_deref(), part.file_name) {
            (Some("file"), Some(_)) => {
                file_size = Some(receive(&app, target.clone(), &mut form).await?);
            }
            (Some("file"), None) => return Err(no_file(&text_of(&mut form).await?)),
            _ => {}
        }
    }
    Ok(Reply(FileUploadResult {
        success: true,
        file_size: file_size.ok_or_else(missing_file)?,
        extra: Extra::EMPTY,
    }))
}

/// The form of an upload, which is read as it comes.
struct UploadForm(Request);

impl FromRequest<Arc<App>> for UploadForm {
    type Rejection = ApiError;

    async fn from_request(request: Request, _: &Arc<App>) -> Result<Self, ApiError> {
        Ok(Self(request))
    }
}

impl Input for UploadForm {
    fn argument() -> Option<Argument> {
        Form::argument()
    }
}

/// The type of a body without its parameters.
fn content_kind(headers: &HeaderMap) -> String {
    let given = headers.get(header::CONTENT_TYPE);
    let given = given
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default();
    let kind = given.split(';').next().unwrap_or_default();
    kind.trim().to_ascii_lowercase()
}

/// Stores a file as it comes, and gives its size. Also what is too large is read to its end: a client that is still
/// writing does not read why it is refused.
async fn receive(app: &App, target: PathBuf, form: &mut Form) -> Result<u64, ApiError> {
    let mut upload = app.files.begin_upload(target);
    let mut written = Ok(());
    while let Some(piece) = form.data().await? {
        if written.is_ok() {
            written = upload.write(piece).await;
        }
    }
    written.map_err(|error| refused(&error))?;
    upload.finish().await.map_err(|error| refused(&error))
}

/// A field that is no file, or the start of it.
async fn text_of(form: &mut Form) -> Result<String, FormError> {
    let mut text = Vec::new();
    while let Some(piece) = form.data().await? {
        let room = MAX_TEXT_BYTES.saturating_sub(text.len());
        text.extend(piece.iter().take(room));
    }
    Ok(String::from_utf8_lossy(&text).into_owned())
}

fn missing_file() -> ApiError {
    ApiError::unprocessable(json!([
        {"type": "missing", "loc": ["body", "file"], "msg": "Field required", "input": null}
    ]))
}

/// compat: the words of the reference, whose texts are Python's.
fn no_file(text: &str) -> ApiError {
    let error = "Expected UploadFile, received: <class 'str'>";
    ApiError::unprocessable(json!([{
        "type": "value_error",
        "loc": ["body", "file"],
        "msg": format!("Value error, {error}"),
        "input": text,
        "ctx": {"error": error},
    }]))
}

async fn no_file_in_form(request: Request) -> ApiError {
    let Ok(body) = axum::body::to_bytes(request.into_body(), MAX_TEXT_BYTES).await else {
        return missing_file();
    };
    let uri = format!("/?{}", String::from_utf8_lossy(&body)).parse::<axum::http::Uri>();
    let pairs = uri
        .ok()
        .and_then(|uri| axum::extract::Query::<Vec<(String, String)>>::try_from_uri(&uri).ok())
        .map(|query| query.0)
        .unwrap_or_default();
    match pairs.iter().rev().find(|(name, _)| name == "file") {
        Some((_, text)) => no_file(text),
        None => missing_file(),
    }
}

/// Reads a body that nobody wants.
async fn drain(body: Body) {
    let mut pieces = body.into_data_stream();
    let mut bytes = 0;
    while let Some(Ok(piece)) = pieces.next().await {
        bytes += piece.len();
        if bytes > MAX_DRAINED_BYTES {
            return;
        }
    }
}

async fn download<L: Located>(
    at: L,
    Query(query): Query<DownloadQuery>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    at.place().app.activity.touch();
    let path = files::absolute(&query.path).map_err(|error| refused(&error))?;
    let file = FileResponse::open(&path, "application/octet-stream".to_owned()).await;
    let file = file.map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory => {
            ApiError::not_found("File not found")
        }
        std::io::ErrorKind::InvalidInput => ApiError::bad_request("Path is not a file"),
        std::io::ErrorKind::PermissionDenied => ApiError::forbidden("Permission denied"),
        _ => ApiError::masked(
            StatusCode::INTERNAL_SERVER_ERROR,
            format!("Failed to download file: {error}"),
        ),
    })?;
    let name = path
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    file.attached_as(&name).answer(&headers)
}

async fn trajectory<L: Located>(
    at: L,
    Path(path): Path<TrajectoryPath>,
) -> Result<Response, ApiError> {
    let place = at.place();
    let id = path.conversation_id;
    if place
        .conversation
        .as_ref()
        .is_some_and(|(scope, _)| *scope != id)
    {
        return Err(ApiError::unprocessable(
            "Trajectory must belong to the selected conversation",
        ));
    }
    let directory = place.app.config().conversations_path.join(id.hex());
    let zip = place
        .app
        .files
        .trajectory(directory)
        .await
        .map_err(|error| refused(&error))?;
    streamed(
        &format!("{}.zip", id.hex()),
        "application/octet-stream",
        Body::from_stream(zip),
    )
}

async fn archive<L: Located>(
    at: L,
    Query(query): Query<ArchiveQuery>,
) -> Result<Response, ApiError> {
    let app = at.place().app;
    app.activity.touch();
    let archive = app
        .files
        .archive(&app.git, query)
        .await
        .map_err(|error| refused(&error))?;
    let kind = content_type::header(archive.content_type);
    let mut response = streamed(
        &archive.file_name,
        &kind,
        Body::from_stream(archive.content),
    )?;
    for (name, value) in archive.facts {
        let value =
            HeaderValue::try_from(percent_encoded(&value, "")).map_err(ApiError::internal)?;
        response
            .headers_mut()
            .insert(HeaderName::from_static(name), value);
    }
    Ok(response)
}

/// An answer that is made while it is sent.
fn streamed(name: &str, content_type: &str, body: Body) -> Result<Response, ApiError> {
    Response::builder()
        .header(header::CONTENT_TYPE, content_type)
        .header(header::CONTENT_DISPOSITION, disposition(name))
        .body(body)
        .map_err(ApiError::internal)
}

fn refused(error: &FileError) -> ApiError {
    let detail = error.to_string();
    match error {
        FileError::Invalid(_) => ApiError::bad_request(detail),
        FileError::NotFound(_) => ApiError::not_found(detail),
        FileError::Forbidden(_) => ApiError::forbidden(detail),
        FileError::TooLarge { .. } => ApiError::new(StatusCode::PAYLOAD_TOO_LARGE, detail),
        FileError::Failed(_) => ApiError::masked(StatusCode::INTERNAL_SERVER_ERROR, detail),
    }
}
