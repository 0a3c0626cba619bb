use std::sync::{Arc, Mutex};

use pretty_assertions::assert_eq;
use tracing_subscriber::layer::SubscriberExt as _;

use super::*;

#[derive(Clone, Default)]
struct Page(Arc<Mutex<Vec<u8>>>);

impl Write for Page {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// What is logged, as text or as JSON.
fn logged(json: bool, log: impl FnOnce()) -> String {
    let page = Page::default();
    let writer = page.clone();
    let writer = OneLine(move || writer.clone());
    let layer = tracing_subscriber::fmt::layer().with_ansi(false);
    if json {
        let layer = layer.json().with_writer(writer);
        tracing::subscriber::with_default(tracing_subscriber::registry().with(layer), log);
    } else {
        let layer = layer.with_writer(writer);
        tracing::subscriber::with_default(tracing_subscriber::registry().with(layer), log);
    }
    let bytes = page.0.lock().unwrap().clone();
    String::from_utf8(bytes).unwrap()
}

#[test]
fn nothing_that_is_logged_begins_a_line_of_its_own() {
    let evil = "a\nERROR forged\r\u{1b}[31mred\u{2028}b\u{85}c";
    for json in [false, true] {
        let text = logged(json, || {
            tracing::info!(shown = %evil, quoted = evil, "{evil}");
            tracing::info!("next");
        });
        assert_eq!(text.matches('\n').count(), 2, "{text}");
        assert!(text.ends_with('\n'));
        let others = text.trim_end_matches('\n').replacen('\n', "", 1);
        assert!(!others.chars().any(char::is_control), "{others:?}");
        assert!(!text.contains('\u{2028}'));
    }
}

#[test]
fn ordinary_text_is_left_alone() {
    assert_eq!(
        escaped("käse 🧀 \\n\n".as_bytes()),
        "käse 🧀 \\n\n".as_bytes()
    );
    assert_eq!(escaped(b"a\tb"), b"a\\tb");
    assert_eq!(escaped(b"\xff"), "\u{fffd}".as_bytes());
    assert_eq!(escaped(b""), b"");
}
