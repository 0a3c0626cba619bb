//! The page around a file. However big the file is, little of it is in memory.

use std::fmt::Write as _;
use std::io;
use std::path::Path;

use axum::body::Body;
use axum::http::header;
use axum::response::{Html, IntoResponse as _, Response};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use futures_util::{Stream, StreamExt as _, stream};
use tokio::fs::File;
use tokio::io::AsyncReadExt as _;

use super::kind::Kind;
use crate::v1::file_response::percent_encoded;

/// What is embedded in a page; a browser fetches bigger files by themselves.
const MAX_EMBEDDED_BYTES: u64 = 16 << 20;
/// What is shown of a text. A browser has to lay out all of it.
const MAX_TEXT_BYTES: u64 = 1 << 20;
/// How much is encoded at once: a multiple of three, so that the pieces put together are the encoding of the whole.
const PIECE_BYTES: usize = 48 << 10;

const STYLE: &str = "html,body{margin:0;height:100%}body{font-family:sans-serif}\
    img,video{max-width:100%;display:block;margin:auto}embed,iframe{width:100%;height:100%;border:0}\
    audio{display:block;margin:2em auto}pre{margin:0;padding:.5em;tab-size:4}\
    i{color:#888;font-style:normal;user-select:none}.cut{background:#fec;padding:.5em;margin:0}";

/// The page of a file.
pub(super) async fn show(path: &Path, kind: Kind, size: u64) -> io::Result<Response> {
    let (before, after) = match kind {
        Kind::Html => return html(path).await,
        Kind::Text => return text(path).await,
        Kind::Image(_) => ("<img alt=\"\" src=\"", "\">"),
        Kind::Pdf => ("<embed type=\"application/pdf\" src=\"", "\">"),
        Kind::Video(_) => ("<video controls src=\"", "\"></video>"),
        Kind::Audio(_) => ("<audio controls src=\"", "\"></audio>"),
    };
    let head = format!("{}{before}", top(path));
    let tail = format!("{after}{BOTTOM}");
    let is_embedded = matches!(kind, Kind::Image(_) | Kind::Pdf) && size <= MAX_EMBEDDED_BYTES;
    let Some(media) = kind.media().filter(|_| is_embedded) else {
        let address = percent_encoded(&path.to_string_lossy(), "/");
        return Ok(Html(format!("{head}/raw?path={address}{tail}")).into_response());
    };
    let file = File::open(path).await?;
    let word = |text: String| stream::once(async move { Ok(Bytes::from(text)) });
    let page = word(format!("{head}data:{media};base64,"))
        .chain(encoded(file))
        .chain(word(tail));
    let kind = [(header::CONTENT_TYPE, "text/html; charset=utf-8")];
    Ok((kind, Body::from_stream(page)).into_response())
}

/// A file in base64, piece by piece, up to what may be embedded: it may have grown.
fn encoded(file: File) -> impl Stream<Item = io::Result<Bytes>> + Send {
    let file = file.take(MAX_EMBEDDED_BYTES);
    stream::try_unfold(Some(file), async |file| {
        let Some(mut file) = file else {
            return Ok(None);
        };
        let mut piece = Vec::with_capacity(PIECE_BYTES);
        let mut part = (&mut file).take(PIECE_BYTES as u64);
        part.read_to_end(&mut piece).await?;
        let is_last = piece.len() < PIECE_BYTES;
        let text = Bytes::from(STANDARD.encode(piece));
        Ok(Some((text, (!is_last).then_some(file))))
    })
}

/// A document in a frame of its own, in which no script runs and which belongs to nobody.
async fn html(path: &Path) -> io::Result<Response> {
    let (document, is_cut) = beginning(path).await?;
    let notice = notice(is_cut);
    let page = format!(
        "{}{notice}<iframe sandbox srcdoc=\"{}\"></iframe>{BOTTOM}",
        top(path),
        escaped(&document)
    );
    Ok(Html(page).into_response())
}

/// Text with numbers before its lines.
async fn text(path: &Path) -> io::Result<Response> {
    let (text, is_cut) = beginning(path).await?;
    let width = text.lines().count().to_string().len();
    let mut page = format!("{}{}<pre>", top(path), notice(is_cut));
    for (line, words) in (1..).zip(text.lines()) {
        let words = escaped(words);
        // Writing to a text cannot fail.
        let _ = writeln!(page, "<i>{line:>width$}  </i>{words}");
    }
    let _ = write!(page, "</pre>{BOTTOM}");
    Ok(Html(page).into_response())
}

/// The beginning of a text, and whether there is more.
async fn beginning(path: &Path) -> io::Result<(String, bool)> {
    let mut bytes = Vec::new();
    let file = File::open(path).await?;
    let mut file = file.take(MAX_TEXT_BYTES + 1);
    file.read_to_end(&mut bytes).await?;
    let is_cut = bytes.len() as u64 > MAX_TEXT_BYTES;
    if is_cut {
        // At the end of a line, or of a character.
        let whole = match bytes.iter().rposition(|byte| *byte == b'\n') {
            Some(end) => end + 1,
            None => bytes
                .utf8_chunks()
                .last()
                .map_or(bytes.len(), |last| bytes.len() - last.invalid().len()),
        };
        bytes.truncate(whole);
    }
    Ok((String::from_utf8_lossy(&bytes).into_owned(), is_cut))
}

fn notice(is_cut: bool) -> String {
    if is_cut {
        let limit = MAX_TEXT_BYTES >> 20;
        format!("<p class=\"cut\">Only the first {limit} MB are shown.</p>")
    } else {
        String::new()
    }
}

fn top(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let title = escaped(&name);
    format!(
        "<!DOCTYPE html><html><head><meta charset=\"utf-8\"><title>{title}</title><style>{STYLE}</style></head><body>"
    )
}

const BOTTOM: &str = "</body></html>";

/// A text as it stands in a page, also between quotes.
pub(super) fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            _ => escaped.push(letter),
        }
    }
    escaped
}
