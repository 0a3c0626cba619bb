//! The browser tools.

use super::observation::observation;
use crate::json::JsonObject;
use crate::text::words;
use crate::wire::wire;

words! {
    /// Where to scroll.
    pub enum ScrollDirection {
        Down = "down",
        Up = "up",
    }
}

wire! {
    /// Opens an address.
    pub struct BrowserNavigateAction ["kind" = "BrowserNavigateAction"] (default) {
        url: String,
        new_tab: bool = false,
    }

    /// Clicks an element.
    pub struct BrowserClickAction ["kind" = "BrowserClickAction"] (default) {
        index: i64,
        new_tab: bool = false,
    }

    /// Types into an element.
    pub struct BrowserTypeAction ["kind" = "BrowserTypeAction"] (default) {
        index: i64,
        text: String,
    }

    /// Asks for the state of the page.
    pub struct BrowserGetStateAction ["kind" = "BrowserGetStateAction"] (default) {
        include_screenshot: bool = false,
    }

    /// Asks for the text of the page.
    pub struct BrowserGetContentAction ["kind" = "BrowserGetContentAction"] (default) {
        extract_links: bool = false,
        start_from_char: i64 = 0,
    }

    /// Scrolls the page.
    pub struct BrowserScrollAction ["kind" = "BrowserScrollAction"] (default) {
        direction: ScrollDirection = ScrollDirection::Down,
    }

    /// Goes back.
    pub struct BrowserGoBackAction ["kind" = "BrowserGoBackAction"] (default) {
    }

    /// Lists the tabs.
    pub struct BrowserListTabsAction ["kind" = "BrowserListTabsAction"] (default) {
    }

    /// Goes to another tab.
    pub struct BrowserSwitchTabAction ["kind" = "BrowserSwitchTabAction"] (default) {
        tab_id: String,
    }

    /// Closes a tab.
    pub struct BrowserCloseTabAction ["kind" = "BrowserCloseTabAction"] (default) {
        tab_id: String,
    }

    /// Reads cookies and storage.
    pub struct BrowserGetStorageAction ["kind" = "BrowserGetStorageAction"] (default) {
    }

    /// Replaces cookies and storage.
    pub struct BrowserSetStorageAction ["kind" = "BrowserSetStorageAction"] (default) {
        storage_state: JsonObject,
    }

    /// Starts a recording.
    pub struct BrowserStartRecordingAction ["kind" = "BrowserStartRecordingAction"] (default) {
    }

    /// Ends a recording.
    pub struct BrowserStopRecordingAction ["kind" = "BrowserStopRecordingAction"] (default) {
    }

    /// Any browser action.
    pub struct BrowserAction ["kind" = "BrowserAction"] (default) {
    }
}

observation! {
    /// What a browser tool answered.
    pub struct BrowserObservation ["kind" = "BrowserObservation"] {
        screenshot_data: Option<String> = None,
        full_output_save_dir: Option<String> = None,
    }
}
