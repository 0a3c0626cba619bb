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
    /// Whether it shows only sometimes: how the output of a quick command falls into pieces is up to the machine.
    pub(crate) fn is_chance(&self) -> bool {
        self.why == STREAMED
    }

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

const NOT_BUILT: &str =
    "browser, workflows and credential bindings are not built yet, so they are not listed";
const WHOSE: &str = "which server this is stands in a member of its own";
const LATER: &str = "this operation comes later: 501 until then";

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
        "core/60_crash_recovery",
        "#12 S(error)",
        Of::Ours,
        "without a key the reference does not ask at all; a model at an address of its own may need none, so ours asks",
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
    known(
        "core/51_bash_socket",
        "#2 BashError.detail",
        Of::Ours,
        PYDANTIC,
    ),
    known(
        "services/bash-chunking",
        "#0 *.body.order",
        Of::Ours,
        STREAMED,
    ),
    known(
        "services/bash-chunking",
        "#1 *.body.items*",
        Of::Ours,
        STREAMED,
    ),
    known(
        "services/bash-chunking",
        "#2 *.body.items*",
        Of::Ours,
        STREAMED,
    ),
    known("services/bash-execute", "*.body.order", Of::Ours, STREAMED),
    known("services/bash-socket", "#7 *.detail", Of::Ours, PYDANTIC),
    known(
        "services/bash-start-stop-search",
        "#0 *.cleared_count",
        Of::Both,
        "commands of other recordings",
    ),
    known(
        "services/bash-start-stop-search",
        "#4 *.body*",
        Of::Ours,
        STREAMED,
    ),
    known(
        "services/bash-start-stop-search",
        "#10 *.body*",
        Of::Ours,
        STREAMED,
    ),
    known(
        "services/bash-start-stop-search",
        "#12 *.body*",
        Of::Ours,
        STREAMED,
    ),
    known(
        "services/bash-start-stop-search",
        "#13 *.body*",
        Of::Ours,
        STREAMED,
    ),
    known(
        "services/bash-start-stop-search",
        "#14 *.body*",
        Of::Ours,
        STREAMED,
    ),
    known(
        "services/bash-start-stop-search",
        "#28 seen*",
        Of::Ours,
        STREAMED,
    ),
    known(
        "services/bash-start-stop-search",
        "#29 *.body*",
        Of::Ours,
        STREAMED,
    ),
    known(
        "services/file-archive",
        "*.headers.accept-ranges",
        Of::Ours,
        MADE,
    ),
    known(
        "services/file-archive",
        "*.headers.last-modified",
        Of::Ours,
        MADE,
    ),
    known("services/file-archive", "*.headers.etag", Of::Ours, MADE),
    known(
        "services/file-archive-nested",
        "*.headers.accept-ranges",
        Of::Ours,
        MADE,
    ),
    known(
        "services/file-archive-nested",
        "*.headers.last-modified",
        Of::Ours,
        MADE,
    ),
    known(
        "services/file-archive-nested",
        "*.headers.etag",
        Of::Ours,
        MADE,
    ),
    known(
        "services/runtime-symlink",
        "#2 *.headers.accept-ranges",
        Of::Ours,
        MADE,
    ),
    known(
        "services/runtime-symlink",
        "#2 *.headers.last-modified",
        Of::Ours,
        MADE,
    ),
    known(
        "services/runtime-symlink",
        "#2 *.headers.etag",
        Of::Ours,
        MADE,
    ),
    known(
        "services/conversation-runtime",
        "#18 *.headers.accept-ranges",
        Of::Ours,
        MADE,
    ),
    known(
        "services/conversation-runtime",
        "#18 *.headers.last-modified",
        Of::Ours,
        MADE,
    ),
    known(
        "services/conversation-runtime",
        "#18 *.headers.etag",
        Of::Ours,
        MADE,
    ),
    known(
        "services/conversation-runtime",
        "#22 seen.headers*",
        Of::Ours,
        MADE,
    ),
    known("services/git-changes-diff", "#24 *.body*", Of::Ours, NAMES),
    known("services/git-changes-diff", "#25 *.status", Of::Ours, NAMES),
    known("services/git-changes-diff", "#26 *.body*", Of::Ours, NAMES),
    known(
        "services/git-changes-diff",
        "#27 *.status",
        Of::Ours,
        "a changed type is a change",
    ),
    known(
        "services/profiles",
        "#20 *.error.message",
        Of::Ours,
        NO_LIBRARY,
    ),
    known(
        "services/sub-agents",
        "#1 *.source",
        Of::Ours,
        "built-in agents are in the binary, not in files of a Python package",
    ),
    known(
        "services/tools",
        "#2 *.tools[*].usable",
        Of::Ours,
        "workflows are not built: the catalog says so",
    ),
    known(
        "services/validation-redaction",
        "#0 *.status",
        Of::Ours,
        "a bad model name is a mistake of the client: 422, not 500",
    ),
    known(
        "core/30_rest_edges",
        "*.body.usable_tools*",
        Of::Ours,
        NOT_BUILT,
    ),
    known(
        "core/30_rest_edges",
        "*.body.capabilities*",
        Of::Ours,
        NOT_BUILT,
    ),
    known(
        "core/30_rest_edges",
        "*.body.implementation",
        Of::Ours,
        WHOSE,
    ),
    known("core/61_auth", "*.body.usable_tools*", Of::Ours, NOT_BUILT),
    known("core/61_auth", "*.body.capabilities*", Of::Ours, NOT_BUILT),
    known("core/61_auth", "*.body.implementation", Of::Ours, WHOSE),
    known(
        "services/server-details",
        "*.body.usable_tools*",
        Of::Ours,
        NOT_BUILT,
    ),
    known(
        "services/server-details",
        "*.body.capabilities*",
        Of::Ours,
        NOT_BUILT,
    ),
    known(
        "services/server-details",
        "*.body.implementation",
        Of::Ours,
        WHOSE,
    ),
    known(
        "core/30_rest_edges",
        "#53 *.secret_sources.*",
        Of::Ours,
        "secrets show at once; the reference shows them after the next change of its state",
    ),
    known("services/auth", "#20 *.body.order", Of::Ours, STREAMED),
    known("services/llm-catalog", "#9 *.status", Of::Ours, LATER),
    known("services/mcp-test", "#11 *.status", Of::Ours, LATER),
    known(
        "services/no-secret-key",
        "#17 *.body.detail",
        Of::Ours,
        "where a file is broken is told in the words of another parser",
    ),
    known(
        "services/server-details",
        "*.workspace_version",
        Of::Reference,
        NOT_INSTALLED,
    ),
    known(
        "core/30_rest_edges",
        "#75 *.confirmation_policy*",
        Of::Ours,
        "a fork keeps what its source wants to confirm; to forget it would let actions run that had to wait",
    ),
    known(
        "services/bash-start-stop-search",
        "#20 *.body*",
        Of::Ours,
        STREAMED,
    ),
    known(
        "services/conversation-runtime",
        "#7 *.items[0].cwd",
        Of::Ours,
        "the directory is told as the command got it, not as the conversation was given it",
    ),
    known(
        "services/profiles-validate",
        "#1 *",
        Of::Ours,
        "a model without the name of a provider is asked at its address",
    ),
];
