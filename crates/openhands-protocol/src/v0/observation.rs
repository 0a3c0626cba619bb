//! Observations: what came of an action.

use super::FileImpl;
use crate::json::JsonObject;
use crate::tool::CmdOutputMetadata;
use crate::union::union;
use crate::wire::wire;

wire! {
    /// What a command was and left.
    pub struct RunExtras (default) {
        command: String,
        metadata: CmdOutputMetadata = CmdOutputMetadata::default(),
        hidden: bool = false,
    }

    /// What code was run, and images that it made.
    pub struct RunIpythonExtras (default) {
        code: String,
        image_urls: Option<Vec<String>> = None,
    }

    /// Which file was read.
    pub struct ReadExtras (default) {
        path: String,
        impl_source: FileImpl = FileImpl::Default,
    }

    /// Which file was written.
    pub struct WriteExtras (default) {
        path: String,
    }

    /// What was edited.
    pub struct EditExtras (default) {
        path: String = String::new(),
        prev_exist: bool = false,
        old_content: Option<String> = None,
        new_content: Option<String> = None,
        impl_source: FileImpl = FileImpl::OhAci,
        diff: Option<String> = None,
        /// Always null.
        diff_cache as "_diff_cache": Option<String> = None,
    }

    /// Which error it was; always empty.
    pub struct ErrorExtras (default) {
        error_id: String = String::new(),
    }

    /// Which file was downloaded.
    pub struct DownloadExtras (default) {
        file_path: String,
    }

    /// What a browser shows.
    pub struct BrowseExtras (default) {
        url: String,
        trigger_by_action: String,
        screenshot: String = String::new(),
        screenshot_path: Option<String> = None,
        set_of_marks: String = String::new(),
        error: bool = false,
        goal_image_urls: Vec<String> = Vec::new(),
        open_pages_urls: Vec<String> = Vec::new(),
        active_page_index: i64 = -1,
        dom_object: JsonObject = JsonObject::new(),
        axtree_object: JsonObject = JsonObject::new(),
        extra_element_properties: JsonObject = JsonObject::new(),
        last_browser_action: String = String::new(),
        last_browser_action_error: String = String::new(),
        focused_element_bid: String = String::new(),
        filter_visible_only: bool = false,
    }
}

/// Declares envelopes: the members that all observations share, and the extras of each.
macro_rules! observations {
    ($($(#[doc = $doc:literal])* $name:ident[$tag:literal]($extras:ty);)+) => {
        wire! {
            $(
                $(#[doc = $doc])*
                pub struct $name ["observation" = $tag] (default) {
                    message: String = String::new(),
                    content: String,
                    extras: $extras,
                    /// Only of commands and code.
                    success when some: Option<bool> = None,
                }
            )+
        }
    };
}

observations! {
    /// A command ended or still runs.
    RunObservation["run"](RunExtras);
    /// Code ended.
    RunIpythonObservation["run_ipython"](RunIpythonExtras);
    /// A file was read.
    ReadObservation["read"](ReadExtras);
    /// A file was written.
    WriteObservation["write"](WriteExtras);
    /// A file was edited.
    EditObservation["edit"](EditExtras);
    /// A browser shows something.
    BrowseObservation["browse"](BrowseExtras);
    /// A file was downloaded.
    DownloadObservation["download"](DownloadExtras);
    /// Something that the agent should know went wrong.
    ErrorObservation["error"](ErrorExtras);
}

union! {
    /// What came of an action.
    pub enum V0Observation by "observation" {
        Run(RunObservation),
        RunIpython(RunIpythonObservation),
        Read(ReadObservation),
        Write(WriteObservation),
        Edit(EditObservation),
        Browse(BrowseObservation),
        Download(DownloadObservation),
        Error(ErrorObservation),
    }
}
