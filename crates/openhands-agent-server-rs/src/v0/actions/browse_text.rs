//! What a model reads of a page.

use std::fmt::Write as _;

/// Which action was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Trigger {
    Browse,
    BrowseInteractive,
}

impl Trigger {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Browse => "browse",
            Self::BrowseInteractive => "browse_interactive",
        }
    }
}

/// What is said before the page itself.
#[derive(Debug)]
pub(super) struct Shown<'a> {
    pub(super) url: &'a str,
    pub(super) focused: &'a str,
    /// Where its picture is.
    pub(super) screenshot: Option<&'a str>,
    /// Dialogs, downloads, crashes.
    pub(super) notes: Vec<String>,
    /// Why the action was not done, or nothing.
    pub(super) error: &'a str,
}

impl Shown<'_> {
    fn notes(&self) -> String {
        self.notes.iter().fold(String::new(), |mut lines, note| {
            let _ = writeln!(lines, "[{note}]");
            lines
        })
    }

    fn error(&self, when: &str) -> String {
        format!(
            "================ BEGIN error message ===============\n\
             The following error occurred when {when}:\n\
             {}\n\
             ================ END error message ===============\n",
            self.error
        )
    }
}

/// The page as text.
pub(super) fn page(shown: &Shown<'_>, text: &str) -> String {
    let error = if shown.error.is_empty() {
        String::new()
    } else {
        shown.error("trying to visit the URL")
    };
    format!(
        "[Current URL: {}]\n{}{error}\
         ============== BEGIN webpage content ==============\n\
         {text}\n\
         ============== END webpage content ==============\n",
        shown.url,
        shown.notes(),
    )
}

/// The page as an accessibility tree, if there is one.
pub(super) fn tree(shown: &Shown<'_>, tree: Option<&str>) -> String {
    let mut text = format!(
        "[Current URL: {}]\n[Focused element bid: {}]\n",
        shown.url, shown.focused
    );
    if let Some(path) = shown.screenshot {
        let _ = writeln!(text, "[Screenshot saved to: {path}]");
    }
    text.push_str(&shown.notes());
    text.push('\n');
    if shown.error.is_empty() {
        text.push_str("[Action executed successfully.]\n");
    } else {
        text.push_str(&shown.error("executing the last action"));
    }
    if let Some(tree) = tree {
        let _ = write!(
            text,
            "Accessibility tree of the COMPLETE webpage:\n\
             Note: [bid] is the unique alpha-numeric identifier at the beginning of lines for each element in the AXTree. Always use bid to refer to elements in your actions.\n\
             ============== BEGIN accessibility tree ==============\n\
             {tree}\n\
             ============== END accessibility tree ==============\n"
        );
    }
    text
}

#[cfg(test)]
#[path = "browse_text_tests.rs"]
mod tests;
