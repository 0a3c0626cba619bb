//! What a cell shows, collected while it runs: text with both ends kept, images, displays that are replaced.

use super::escapes;
use jupyter_protocol::{Media, MediaType};
use openhands_process::HeadTail;

/// How many displays of a cell can be replaced by later updates.
const MAX_REPLACEABLE: usize = 64;
/// How many bytes of text such a display may have.
const MAX_REPLACEABLE_BYTES: usize = 64 << 10;
/// Stands where text was left out.
const TRUNCATED: &str = "\n[... Observation truncated due to length ...]\n";

/// How much a cell may show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of text: half from the start, half from the end.
    pub text: usize,
    /// Bytes of all images, in base64.
    pub images: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            text: 16 << 20,
            images: 32 << 20,
        }
    }
}

/// A display that has an id, so that the cell can replace it.
#[derive(Debug)]
struct Replaceable {
    id: String,
    /// How much text stood before it.
    at: u64,
    text: String,
}

#[derive(Debug)]
struct Image {
    display: Option<String>,
    url: String,
}

/// What a cell has shown.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Shown {
    pub(crate) text: String,
    pub(crate) images: Vec<String>,
    /// Whether there was anything, if only white space.
    pub(crate) anything: bool,
}

/// The outputs of a running cell.
#[derive(Debug)]
pub(crate) struct Collected {
    limits: Limits,
    text: HeadTail,
    displays: Vec<Replaceable>,
    images: Vec<Image>,
    /// What is cleared before the next output.
    clear_next: bool,
}

impl Collected {
    pub(crate) fn new(limits: Limits) -> Self {
        Self {
            limits,
            text: HeadTail::new(limits.text),
            displays: Vec::new(),
            images: Vec::new(),
            clear_next: false,
        }
    }

    /// Adds text that was printed, or a traceback.
    pub(crate) fn print(&mut self, text: &str) {
        self.clear_if_due();
        self.text.push(text.as_bytes());
    }

    /// Adds a display: its plain text, and its image.
    pub(crate) fn display(&mut self, data: &Media, id: Option<String>) {
        self.clear_if_due();
        let text = plain(data).unwrap_or_default();
        match id {
            Some(id)
                if self.displays.len() < MAX_REPLACEABLE && text.len() <= MAX_REPLACEABLE_BYTES =>
            {
                self.image(data, Some(id.clone()));
                self.displays.push(Replaceable {
                    id,
                    at: self.text.total(),
                    text: text.to_owned(),
                });
            }
            Some(_) | None => {
                self.text.push(text.as_bytes());
                self.image(data, None);
            }
        }
    }

    /// Replaces a display. One of an earlier cell cannot be seen any more, so its update is not either.
    pub(crate) fn update(&mut self, data: &Media, id: &str) {
        let text = plain(data).unwrap_or_default();
        let mut known = false;
        for display in self.displays.iter_mut().filter(|display| display.id == id) {
            known = true;
            if text.len() <= MAX_REPLACEABLE_BYTES {
                text.clone_into(&mut display.text);
            }
        }
        if known {
            self.images
                .retain(|image| image.display.as_deref() != Some(id));
            self.image(data, Some(id.to_owned()));
        }
    }

    /// Takes everything away that was shown, at once or when there is something new.
    pub(crate) fn clear(&mut self, wait: bool) {
        self.clear_next = true;
        if !wait {
            self.clear_if_due();
        }
    }

    fn clear_if_due(&mut self) {
        if std::mem::take(&mut self.clear_next) {
            *self = Self::new(self.limits);
        }
    }

    fn image(&mut self, data: &Media, display: Option<String>) {
        for media in &data.content {
            let (kind, base64) = match media {
                MediaType::Png(base64) => ("png", base64),
                MediaType::Jpeg(base64) => ("jpeg", base64),
                _ => continue,
            };
            let held: usize = self.images.iter().map(|image| image.url.len()).sum();
            if held + base64.len() > self.limits.images {
                let note = format!("[An image of {} bytes was left out]\n", base64.len());
                self.text.push(note.as_bytes());
                return;
            }
            self.images.push(Image {
                display,
                url: format!("data:image/{kind};base64,{}", base64.trim()),
            });
            return;
        }
    }

    /// Everything that is shown: text without colours and without white space at its end, and images.
    pub(crate) fn finish(self) -> Shown {
        let anything =
            self.text.total() > 0 || !self.displays.is_empty() || !self.images.is_empty();
        let text = self.text();
        let text = escapes::without_colours(&text);
        let images = self.images.into_iter().map(|image| image.url).collect();
        Shown {
            text: text.trim_end().to_owned(),
            images,
            anything,
        }
    }

    /// The text with the displays in their places.
    fn text(&self) -> String {
        let (older, newer) = self.text.tail();
        let head = self.text.head();
        let tail_at = self.text.total() - (older.len() + newer.len()) as u64;
        let mut bytes = Vec::with_capacity(self.text.len());
        let mut displays = self.displays.iter().peekable();
        let mut put = |part: &[u8], begin: u64, bytes: &mut Vec<u8>| {
            let mut done = 0;
            let end = begin + part.len() as u64;
            while let Some(display) = displays.next_if(|display| display.at <= end) {
                let until = usize::try_from(display.at.saturating_sub(begin)).unwrap_or(done);
                bytes.extend_from_slice(part.get(done..until).unwrap_or_default());
                bytes.extend_from_slice(display.text.as_bytes());
                done = until.max(done);
            }
            bytes.extend_from_slice(part.get(done..).unwrap_or_default());
        };
        put(head, 0, &mut bytes);
        if self.text.dropped() > 0 {
            bytes.extend_from_slice(TRUNCATED.as_bytes());
        }
        put(older, tail_at, &mut bytes);
        put(newer, tail_at + older.len() as u64, &mut bytes);
        // The ends of what was left out may have been inside of a character.
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

pub(crate) fn plain(data: &Media) -> Option<&str> {
    data.content.iter().find_map(|media| match media {
        MediaType::Plain(text) => Some(text.as_str()),
        _ => None,
    })
}

#[cfg(test)]
#[path = "output_tests.rs"]
mod tests;
