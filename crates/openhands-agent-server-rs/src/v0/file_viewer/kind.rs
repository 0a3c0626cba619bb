//! How a file is shown, by its name.

use std::path::Path;

/// A way to show a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Image(&'static str),
    Pdf,
    Video(&'static str),
    Audio(&'static str),
    Html,
    Text,
}

impl Kind {
    /// By the end of the name. None: what is inside decides.
    pub(super) fn by_name(path: &Path) -> Option<Self> {
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        Some(match extension.as_str() {
            "png" => Self::Image("image/png"),
            "jpg" | "jpeg" => Self::Image("image/jpeg"),
            "gif" => Self::Image("image/gif"),
            "bmp" => Self::Image("image/bmp"),
            "webp" => Self::Image("image/webp"),
            "avif" => Self::Image("image/avif"),
            "ico" => Self::Image("image/vnd.microsoft.icon"),
            "svg" => Self::Image("image/svg+xml"),
            "pdf" => Self::Pdf,
            "mp4" | "m4v" => Self::Video("video/mp4"),
            "webm" => Self::Video("video/webm"),
            "ogg" | "ogv" => Self::Video("video/ogg"),
            "mov" => Self::Video("video/quicktime"),
            "mp3" => Self::Audio("audio/mpeg"),
            "wav" => Self::Audio("audio/wav"),
            "oga" => Self::Audio("audio/ogg"),
            "m4a" => Self::Audio("audio/mp4"),
            "flac" => Self::Audio("audio/flac"),
            "html" | "htm" | "xhtml" => Self::Html,
            _ => return None,
        })
    }

    /// The type under which a browser gets the file itself; none for what is only shown inside of a page.
    pub(super) fn media(self) -> Option<&'static str> {
        match self {
            Self::Image(media) | Self::Video(media) | Self::Audio(media) => Some(media),
            Self::Pdf => Some("application/pdf"),
            Self::Html | Self::Text => None,
        }
    }
}
