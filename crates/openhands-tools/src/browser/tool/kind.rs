//! The fourteen browser tools: their names and what is said about them.

/// One of the browser tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    Navigate,
    Click,
    GetState,
    GetContent,
    Type,
    Scroll,
    GoBack,
    ListTabs,
    SwitchTab,
    CloseTab,
    GetStorage,
    SetStorage,
    StartRecording,
    StopRecording,
}

impl Kind {
    /// Every tool, in the order that the model sees.
    pub const ALL: [Self; 14] = [
        Self::Navigate,
        Self::Click,
        Self::GetState,
        Self::GetContent,
        Self::Type,
        Self::Scroll,
        Self::GoBack,
        Self::ListTabs,
        Self::SwitchTab,
        Self::CloseTab,
        Self::GetStorage,
        Self::SetStorage,
        Self::StartRecording,
        Self::StopRecording,
    ];

    /// The tool's name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Navigate => "browser_navigate",
            Self::Click => "browser_click",
            Self::GetState => "browser_get_state",
            Self::GetContent => "browser_get_content",
            Self::Type => "browser_type",
            Self::Scroll => "browser_scroll",
            Self::GoBack => "browser_go_back",
            Self::ListTabs => "browser_list_tabs",
            Self::SwitchTab => "browser_switch_tab",
            Self::CloseTab => "browser_close_tab",
            Self::GetStorage => "browser_get_storage",
            Self::SetStorage => "browser_set_storage",
            Self::StartRecording => "browser_start_recording",
            Self::StopRecording => "browser_stop_recording",
        }
    }

    /// The class that the wire names the tool and its action by.
    pub fn class(self) -> &'static str {
        match self {
            Self::Navigate => "BrowserNavigate",
            Self::Click => "BrowserClick",
            Self::GetState => "BrowserGetState",
            Self::GetContent => "BrowserGetContent",
            Self::Type => "BrowserType",
            Self::Scroll => "BrowserScroll",
            Self::GoBack => "BrowserGoBack",
            Self::ListTabs => "BrowserListTabs",
            Self::SwitchTab => "BrowserSwitchTab",
            Self::CloseTab => "BrowserCloseTab",
            Self::GetStorage => "BrowserGetStorage",
            Self::SetStorage => "BrowserSetStorage",
            Self::StartRecording => "BrowserStartRecording",
            Self::StopRecording => "BrowserStopRecording",
        }
    }

    /// What the model is told.
    pub fn description(self) -> &'static str {
        match self {
            Self::Navigate => {
                "\
Opens an address in the browser and waits until the page is there. An address without a scheme is taken as http(s). A page that cannot be \
reached is an error that says why.

Look at the page afterwards: browser_get_state lists what can be clicked and filled in, browser_get_content gives its text."
            }
            Self::Click => {
                "\
Clicks an element: a link, a button, a checkbox, anything that browser_get_state lists. The element is scrolled into view first.

`index` is the number in the latest browser_get_state; after the page has changed, ask for the state again. With `new_tab` a link opens in a \
tab of its own. The options of a closed selection list are chosen with browser_type, not by clicking."
            }
            Self::GetState => {
                "\
Shows where the browser is and what can be used there: address, title, tabs, the interactive elements around the visible part of the page, each \
with its number, and how far the page is scrolled. Call it before browser_click and browser_type, and again after the page has changed.

An element keeps its number as long as it is on the page. `notes` tell what happened meanwhile: dialogs that were answered, downloads, \
errors of the page, elements that are further up or down. With `include_screenshot` a picture of the window comes along."
            }
            Self::GetContent => {
                "\
Gives the readable text of the page as Markdown, with the text of its frames and without hidden parts. `extract_links` adds where the links lead.

A long text comes in pieces: the answer says with which `start_from_char` to read on."
            }
            Self::Type => {
                "\
Replaces what a field contains by `text`, keystroke by keystroke. A line break presses Enter. An empty text clears the field.

In a selection list it chooses the option with that label or value; several, separated by commas, where several may be chosen. Dates, times, \
colours and ranges take the form of HTML (`2026-12-31`, `09:30`, `#ff8800`, `42`). For a file field `text` is the path of the file, several on \
lines of their own. `index` is the number in the latest browser_get_state."
            }
            Self::Scroll => {
                "\
Scrolls by 500 pixels, up or down: the page, or the part of it that lies in the middle of the window and scrolls by itself. Elements further \
away are listed by browser_get_state only after scrolling near to them."
            }
            Self::GoBack => {
                "\
Goes back to the page before this one in the history of the tab, as the back button does."
            }
            Self::ListTabs => {
                "\
Lists the open tabs, each with its id, address and title. browser_switch_tab and browser_close_tab take the id."
            }
            Self::SwitchTab => {
                "\
Shows another tab. All further calls work on it. The ids come from browser_list_tabs."
            }
            Self::CloseTab => {
                "\
Closes a tab. If it was the one shown, another one is shown afterwards. The ids come from browser_list_tabs."
            }
            Self::GetStorage => {
                "\
Gives all cookies, and the local and session storage of the origins on the page, as JSON. Use it to look into a login, or to keep one for later."
            }
            Self::SetStorage => {
                "\
Sets cookies, local storage and session storage. `storage_state` has the form of browser_get_storage: `cookies`, a list with `name`, `value`, \
`domain`, `path` and so on, and `origins`, a list with `origin`, `localStorage` and `sessionStorage`, the last two lists of `name` and `value`."
            }
            Self::StartRecording => {
                "\
Starts to record what the window shows: the page, every change to it, scrolling, clicks and input, through all navigations. Passwords are not recorded.

The recording goes to `.agent_tmp/browser_observations/recording-<time>/` in the workspace, in JSON files with rrweb events, which rrweb-player \
plays; a file is written every five seconds. End it with browser_stop_recording."
            }
            Self::StopRecording => {
                "\
Ends the recording that browser_start_recording began, writes the rest of it and says how many events and files there are, and where."
            }
        }
    }
}
