//! A tab that nobody looks at.

use super::tab::Tab;
use serde_json::json;
use std::ops::Deref;

/// A tab for work behind the active one. Dropped, it is closed, and forgotten at once.
#[derive(Debug)]
pub struct HiddenTab(pub(super) Tab);

impl Deref for HiddenTab {
    type Target = Tab;

    fn deref(&self) -> &Tab {
        &self.0
    }
}

impl Drop for HiddenTab {
    fn drop(&mut self) {
        let Tab {
            target, cdp, pages, ..
        } = &self.0;
        pages.change(|known| known.remove(target));
        cdp.tell(None, "Target.closeTarget", &json!({"targetId": target}));
    }
}
