//! Where a replay differs from its recording on purpose, and why. An entry that does not show any more fails its test.

use crate::server::is_reference;

/// Whose answers differ.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Of {
    /// Our server's.
    Ours,
    /// The reference's, when it is played against: what was chance or another state in the recording.
    Reference,
    Both,
}

/// A difference that is known.
#[derive(Debug)]
pub(crate) struct Difference {
    /// The recording, as `core/02_tool_turn`.
    pub(crate) recording: &'static str,
    /// The place in it; `*` stands for anything.
    pub(crate) at: &'static str,
    pub(crate) of: Of,
    pub(crate) why: &'static str,
}

impl Difference {
    pub(crate) fn is_of_this_server(&self) -> bool {
        match self.of {
            Of::Ours => !is_reference(),
            Of::Reference => is_reference(),
            Of::Both => true,
        }
    }
}

/// The differences of a recording.
pub(crate) fn of(recording: &str) -> Vec<&'static Difference> {
    TABLE
        .iter()
        .filter(|difference| difference.recording == recording)
        .collect()
}

const fn known(recording: &'static str, at: &'static str, of: Of, why: &'static str) -> Difference {
    Difference {
        recording,
        at,
        of,
        why,
    }
}

/// The recorded server had conversations of other recordings, too.
const OTHERS: &str = "the recorded server had conversations of other recordings, too";
const NOT_INSTALLED: &str =
    "the reference's package of workspaces, and its browser, are not installed here";

const NO_LIBRARY: &str =
    "what the provider said is told without the words of a Python library around it";
const PYDANTIC: &str =
    "the text of the Python library's error is not contract; code and first line are";

const STREAMED: &str =
    "output is told while a command runs, so there are more pieces than at its end";
const MADE: &str = "an archive is sent while it is made: it has no length, time or tag before";
const NAMES: &str = "names of files are told as they are, whatever they contain";

static TABLE: &[Difference] = &[
    known(
        "core/04_tool_errors",
        "* ObservationEvent.observation.full_output_save_dir",
        Of::Ours,
        "the recorded tool forgets where its output would be kept when there is none; ours always says it",
    ),
    known(
        "core/08_llm_error_500",
        "* ConversationErrorEvent.detail",
        Of::Ours,
        NO_LIBRARY,
    ),
    known(
        "core/10_llm_error_context",
        "* ConversationErrorEvent.detail",
        Of::Ours,
        NO_LIBRARY,
    ),
    known(
        "core/27_ws_send",
        "#10 ServerErrorEvent.detail",
        Of::Ours,
        PYDANTIC,
    ),
    known(
        "core/31_live_updates",
        "#3 *.secret_sources.*",
        Of::Ours,
        "secrets show at once; the reference shows them after the next change of its state",
    ),
    known(
        "core/31_live_updates",
        "#20 *.status",
        Of::Ours,
        "a message of another role is a mistake of the client: 422, not 500",
    ),
    known(
        "core/32_more_edges",
        "#60 ConversationErrorEvent.detail",
        Of::Ours,
        NO_LIBRARY,
    ),
    known(
        "core/49_hooks",
        "* HookExecutionEvent.parent_id",
        Of::Ours,
        "the recorded socket sent the event before its parent was noted, the log has it; ours sends what the log has",
    ),
    known(
        "core/60_crash_recovery",
        "#1 *.items[1].parent_id",
        Of::Ours,
        "the recorded server took up an older head; ours is the last event of the log, as if it had gone on",
    ),
    known(
        "core/62_sigterm",
        "conversation 4 last events*",
        Of::Ours,
        "ours does not wait for the tool: it is ended, and its result is an error",
    ),
    known(
        "core/70_session_socket",
        "#24 error.detail",
        Of::Ours,
        PYDANTIC,
    ),
    known("core/30_rest_edges", "#41 *", Of::Both, OTHERS),
    known("core/30_rest_edges", "#42 *", Of::Both, OTHERS),
    known("core/30_rest_edges", "#47 *", Of::Both, OTHERS),
    known(
        "core/30_rest_edges",
        "*.workspace_version",
        Of::Reference,
        NOT_INSTALLED,
    ),
    known("core/61_auth", "#13 *", Of::Both, OTHERS),
    known(
        "core/61_auth",
        "*.workspace_version",
        Of::Reference,
        NOT_INSTALLED,
    ),
    known(
        "core/61_auth",
        "*.usable_tools*",
        Of::Reference,
        NOT_INSTALLED,
    ),
    known("core/65_deferred_init", "#8 *", Of::Both, OTHERS),
];
