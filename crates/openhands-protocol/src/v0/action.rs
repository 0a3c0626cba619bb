//! Actions: what the sandbox is asked to do.

use crate::json::{Json, JsonObject};
use crate::patch::Patch;
use crate::text::words;
use crate::union::union;
use crate::wire::wire;

words! {
    /// Who wants an action.
    pub enum V0Source {
        Agent = "agent",
        User = "user",
        Environment = "environment",
    }
}

words! {
    /// Whether an action was confirmed.
    pub enum ConfirmationState {
        Confirmed = "confirmed",
        Rejected = "rejected",
        AwaitingConfirmation = "awaiting_confirmation",
    }
}

words! {
    /// Which implementation works on a file.
    pub enum FileImpl {
        Default = "default",
        OhAci = "oh_aci",
        LlmBasedEdit = "llm_based_edit",
    }
}

wire! {
    /// A command for the shell.
    pub struct RunArgs (default) {
        command: String,
        is_input: bool = false,
        thought: String = String::new(),
        blocking: bool = false,
        is_static: bool = false,
        cwd: Option<String> = None,
        hidden: bool = false,
        confirmation_state: ConfirmationState = ConfirmationState::Confirmed,
        security_risk: i64 = -1,
    }

    /// Code for a notebook kernel.
    pub struct RunIpythonArgs (default) {
        code: String,
        thought: String = String::new(),
        include_extra: bool = true,
        confirmation_state: ConfirmationState = ConfirmationState::Confirmed,
        security_risk: i64 = -1,
        kernel_init_code: String = String::new(),
    }

    /// A file to read.
    pub struct ReadArgs (default) {
        path: String,
        start: i64 = 0,
        end: i64 = -1,
        thought: String = String::new(),
        security_risk: i64 = -1,
        impl_source: FileImpl = FileImpl::Default,
        view_range: Option<Vec<i64>> = None,
    }

    /// A file to write.
    pub struct WriteArgs (default) {
        path: String,
        content: String,
        start: i64 = 0,
        end: i64 = -1,
        thought: String = String::new(),
        security_risk: i64 = -1,
    }

    /// A file to edit.
    pub struct EditArgs (default) {
        path: String,
        command: String = String::new(),
        file_text: Option<String> = None,
        old_str: Option<String> = None,
        new_str: Option<String> = None,
        /// A number, or a text that is one.
        insert_line: Option<Json> = None,
        content: String = String::new(),
        start: i64 = 1,
        end: i64 = -1,
        thought: String = String::new(),
        security_risk: i64 = -1,
        impl_source: FileImpl = FileImpl::OhAci,
    }

    /// An address to open.
    pub struct BrowseArgs (default) {
        url: String,
        thought: String = String::new(),
        security_risk: i64 = -1,
        return_axtree: bool = false,
    }

    /// Steps in a browser.
    pub struct BrowseInteractiveArgs (default) {
        browser_actions: String,
        thought: String = String::new(),
        browsergym_send_msg_to_user: String = String::new(),
        security_risk: i64 = -1,
        return_axtree: bool = false,
    }
}

/// Declares envelopes: the members that all actions share, and the arguments of each.
macro_rules! actions {
    ($($(#[doc = $doc:literal])* $name:ident[$tag:literal]($args:ty);)+) => {
        wire! {
            $(
                $(#[doc = $doc])*
                pub struct $name ["action" = $tag] (default) {
                    id when some: Option<i64> = None,
                    cause when some: Option<i64> = None,
                    timestamp when some: Option<String> = None,
                    source when some: Option<V0Source> = None,
                    message when some: Option<String> = None,
                    args: $args,
                    /// Seconds. That it is given at all has a meaning.
                    timeout when present: Patch<f64> = Patch::Absent,
                    tool_call_metadata when some: Option<JsonObject> = None,
                    llm_metrics when some: Option<JsonObject> = None,
                }
            )+
        }
    };
}

actions! {
    /// Runs a command in the shell.
    RunAction["run"](RunArgs);
    /// Runs code in a notebook kernel.
    RunIpythonAction["run_ipython"](RunIpythonArgs);
    /// Reads a file.
    ReadAction["read"](ReadArgs);
    /// Writes a file.
    WriteAction["write"](WriteArgs);
    /// Edits a file.
    EditAction["edit"](EditArgs);
    /// Opens an address.
    BrowseAction["browse"](BrowseArgs);
    /// Takes steps in a browser.
    BrowseInteractiveAction["browse_interactive"](BrowseInteractiveArgs);
}

union! {
    /// What the sandbox is asked to do.
    pub enum V0Action by "action" {
        Run(RunAction),
        RunIpython(RunIpythonAction),
        Read(ReadAction),
        Write(WriteAction),
        Edit(EditAction),
        Browse(BrowseAction),
        BrowseInteractive(BrowseInteractiveAction),
    }
}

wire! {
    /// The body of `POST /execute_action`.
    pub struct ExecuteActionRequest {
        action: V0Action,
    }
}
