//! Laid-out markup as Markdown, as html2text (2025.4) makes it: links kept, images dropped, lines never wrapped.

mod converter;
mod escape;
mod output;
mod tags;
mod tokens;

/// The text of laid-out markup.
pub(super) fn from_markup(markup: &str) -> String {
    let mut converter = converter::Converter::default();
    let markup = markup.replace("</' + 'script>", "</ignore>");
    for token in tokens::Tokens::new(&markup) {
        converter.take(token);
    }
    converter.finish()
}
