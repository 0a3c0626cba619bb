//! The parts of the recordings of services.

use crate::part::{NONE, Part, View};
use crate::scenes;

pub(crate) fn of(recording: &str) -> Option<&'static Part> {
    Some(match recording.strip_prefix("services/")? {
        "agent-profiles" => &AGENT_PROFILES,
        "auth" => &AUTH,
        "bash-socket-auth" => &BASH_SOCKET_AUTH,
        "bash-start-stop-search" => &BASH_START_STOP,
        "conversation-runtime" => &CONVERSATION_RUNTIME,
        "file-archive" => &FILE_ARCHIVE,
        "file-archive-nested" => &FILE_ARCHIVE_NESTED,
        "file-directories" => &FILE_DIRECTORIES,
        "file-upload-download" => &FILE_UPLOAD,
        "git-changes-diff" => &GIT_CHANGES,
        "git-commits" => &GIT_COMMITS,
        "git-no-repo-and-empty" => &GIT_NONE,
        "git-remote-base" => &GIT_REMOTE,
        "hooks" => &HOOKS,
        "init-deferred" => &INIT_DEFERRED,
        "init-open" => &INIT_OPEN,
        "mcp-test" => &MCP_TEST,
        "no-secret-key" => &NO_SECRET_KEY,
        "profiles" => &PROFILES,
        "provider-connections" => &PROVIDER_CONNECTIONS,
        "runtime-symlink" => &RUNTIME_SYMLINK,
        "server-details" => &SERVER_DETAILS,
        "settings-get-patch" => &SETTINGS,
        "settings-mcp" => &SETTINGS_MCP,
        "settings-schemas" => &SCHEMAS,
        "skills-list" => &SKILLS,
        "sub-agents" => &SUB_AGENTS,
        "workspace-files" => &WORKSPACE_FILES,
        _ => &KEYED,
    })
}

/// The recorded server had a secret key.
const WITH_KEY: &[(&str, &str)] = &[("OH_SECRET_KEY", "h2secret")];

const KEYED_PART: Part = Part {
    env: WITH_KEY,
    ..NONE
};

static KEYED: Part = KEYED_PART;

static AGENT_PROFILES: Part = Part {
    // It was recorded where there is no browser.
    env: &[
        ("OH_SECRET_KEY", "h2secret"),
        ("OH_BROWSER_EXECUTABLE", "{home}/no-browser"),
    ],
    after: &["services/settings-mcp", "services/profiles"],
    ..KEYED_PART
};

static AUTH: Part = Part {
    env: DEFERRED,
    after: &["services/init-deferred"],
    views: &[(2, View::Count)],
    ..NONE
};

static BASH_SOCKET_AUTH: Part = Part {
    env: &[("OH_SESSION_API_KEYS_0", "key1")],
    ..NONE
};

static BASH_START_STOP: Part = Part {
    left_out: &[(
        2,
        "output is told while a command runs: what has come by then is chance",
    )],
    scenes: &[(3, scenes::SLEEPS), (9, scenes::SLEEPS)],
    ..KEYED_PART
};

/// A conversation whose workspace is relative to the server's directory.
const CONVERSATION: &str = r#"[{"request": {"method": "POST", "path": "/api/conversations", "json": {
    "conversation_id": "11111111-1111-4111-8111-111111111111",
    "workspace": {"working_dir": "workspace/project"},
    "agent": {"llm": {"model": "openai/mock", "api_key": "sk-x", "base_url": "http://127.0.0.1:9000/v1"}, "tools": []},
    "autotitle": false}}},
    {"request": {"method": "POST", "path": "/api/conversations/11111111-1111-4111-8111-111111111111/events", "json": {
    "role": "user", "content": [{"type": "text", "text": "hi"}]}}}]"#;

static CONVERSATION_RUNTIME: Part = Part {
    before: CONVERSATION,
    ..KEYED_PART
};

static WORKSPACE_FILES: Part = Part {
    after: &["services/conversation-runtime"],
    ..KEYED_PART
};

static RUNTIME_SYMLINK: Part = Part {
    after: &["services/conversation-runtime"],
    scenes: &[(0, "ln -s /etc $SRV/workspace/project/esc")],
    ..KEYED_PART
};

static FILE_ARCHIVE: Part = Part {
    scenes: &[
        (0, scenes::REPOSITORIES),
        (0, scenes::CHANGES),
        (0, scenes::THIRD_COMMIT),
        (0, scenes::CLONE),
        (0, scenes::PUSHED),
        (0, scenes::DIRTY),
    ],
    ..KEYED_PART
};

static FILE_ARCHIVE_NESTED: Part = Part {
    scenes: &[(0, scenes::NESTED), (2, scenes::SECOND_NESTED)],
    ..KEYED_PART
};

static FILE_DIRECTORIES: Part = Part {
    env: &[
        ("OH_SECRET_KEY", "h2secret"),
        ("OH_PERSISTENCE_DIR", "{srv}/store"),
    ],
    scenes: &[
        (0, "mkdir f; touch f/e; mkdir -p ~/projects ~/.config"),
        (5, scenes::DIRECTORIES),
    ],
    ..NONE
};

static FILE_UPLOAD: Part = Part {
    scenes: &[(19, "printf abc > 'f/ü n.html'")],
    ..KEYED_PART
};

static GIT_CHANGES: Part = Part {
    scenes: &[
        (0, scenes::REPOSITORIES),
        (1, scenes::CHANGES),
        (23, scenes::BIG_FILE),
        (24, scenes::ODD_NAMES),
        (25, scenes::ODD_NAMES_STAGED),
        (26, scenes::ODD_NAME_STAGED),
        (27, scenes::OTHER_TYPE),
    ],
    ids: &[
        (
            "4099a5d97e60d6ff6c9c3c629c7aa5cac01861dc",
            "git -C g/repo rev-parse HEAD~1",
        ),
        (
            "e16b1ecaf1a702fab476df1146eff66e0f8758fa",
            "git -C g/repo rev-parse HEAD",
        ),
    ],
    ..KEYED_PART
};

static GIT_COMMITS: Part = Part {
    scenes: &[
        (0, scenes::REPOSITORIES),
        (0, scenes::CHANGES),
        (0, scenes::THIRD_COMMIT),
    ],
    ..KEYED_PART
};

static GIT_NONE: Part = Part {
    scenes: &[(0, scenes::REPOSITORIES)],
    ..KEYED_PART
};

static GIT_REMOTE: Part = Part {
    scenes: &[
        (0, scenes::REPOSITORIES),
        (0, scenes::CHANGES),
        (0, scenes::THIRD_COMMIT),
        (0, scenes::CLONE),
        (1, scenes::PUSHED),
        (2, scenes::DIRTY),
    ],
    ..KEYED_PART
};

static HOOKS: Part = Part {
    scenes: &[
        (1, "mkdir -p proj/.openhands"),
        (
            2,
            r#"echo '{"hooks": {"PreToolUse": [{"matcher": "terminal", "hooks": [{"type": "command", "command": "check.sh", "timeout": 5}]}], "Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}}' > proj/.openhands/hooks.json"#,
        ),
        (
            3,
            r#"echo '{"post_tool_use": [{"matcher": "*", "hooks": [{"command": "x", "async": true}]}]}' > proj/.openhands/hooks.json"#,
        ),
        (4, "echo '{bad' > proj/.openhands/hooks.json"),
        (5, "echo '{}' > proj/.openhands/hooks.json"),
    ],
    ..KEYED_PART
};

const DEFERRED: &[(&str, &str)] = &[
    ("OH_DEFERRED_INIT", "1"),
    ("OH_SECRET_KEY", "initkey"),
    ("OH_PERSISTENCE_DIR", "{home}/.openhands"),
];

static INIT_DEFERRED: Part = Part {
    env: DEFERRED,
    part: &["#6*.body"],
    ..NONE
};

static INIT_OPEN: Part = Part {
    env: &[("OH_DEFERRED_INIT", "1")],
    scenes: &[(
        0,
        "mkdir -p ~/.openhands; echo '{bad' > ~/.openhands/secrets.json",
    )],
    views: &[(2, View::Keys)],
    ..NONE
};

static MCP_TEST: Part = Part {
    scenes: &[(0, scenes::TOOL_SERVER)],
    ..KEYED_PART
};

const SET: View = View::Named(&[("set", "llm_api_key_is_set")]);

static NO_SECRET_KEY: Part = Part {
    env: &[("OH_ENABLE_VSCODE", "false")],
    scenes: &[
        (
            11,
            "mkdir -p ~/.openhands/profiles; printf '{bad' > ~/.openhands/settings.json",
        ),
        (14, "printf '{bad' > ~/.openhands/secrets.json"),
        (16, "printf '{bad' > ~/.openhands/profiles/bad.json"),
    ],
    views: &[
        (0, SET),
        (2, View::At("agent_settings.llm.api_key")),
        (
            11,
            View::Named(&[("llm.model", "agent_settings.llm.model")]),
        ),
    ],
    ..NONE
};

static PROFILES: Part = Part {
    part: &["#9*.body.config", "#10*.body.config"],
    views: &[(
        13,
        View::Named(&[
            ("active_profile", "active_profile"),
            ("llm.model", "agent_settings.llm.model"),
        ]),
    )],
    ..KEYED_PART
};

static PROVIDER_CONNECTIONS: Part = Part {
    after: &["services/profiles"],
    part: &["#10*.body.config", "#11*.body.config"],
    ..KEYED_PART
};

static SERVER_DETAILS: Part = Part {
    views: &[(4, View::Free), (7, View::Free)],
    ..KEYED_PART
};

const LLM: View = View::Named(&[
    ("agent_settings.llm", "agent_settings.llm"),
    ("llm_api_key_is_set", "llm_api_key_is_set"),
]);
const LLM_ALONE: View = View::Named(&[("agent_settings.llm", "agent_settings.llm")]);
const LLM_KEY: View = View::Named(&[("agent_settings.llm.api_key", "agent_settings.llm.api_key")]);
const API_KEY: View = View::Named(&[("api_key", "agent_settings.llm.api_key")]);

static SETTINGS: Part = Part {
    part: &[
        "#3*.body.agent_settings.llm",
        "#4*.body.agent_settings.llm",
        "#8*.body.llm",
        "#24*.llm",
    ],
    views: &[
        (3, LLM),
        (4, LLM_ALONE),
        (5, LLM_KEY),
        (7, LLM_KEY),
        (
            8,
            View::Named(&[("llm", "agent_settings.llm"), ("set", "llm_api_key_is_set")]),
        ),
        (9, API_KEY),
        (10, SET),
        (11, API_KEY),
        (12, View::Keys),
        (15, View::At("conversation_settings")),
        (17, View::At("misc_settings")),
        (18, View::At("misc_settings")),
        (19, View::At("misc_settings")),
    ],
    ..KEYED_PART
};

const SERVERS: View = View::At("agent_settings.mcp_config");

static SETTINGS_MCP: Part = Part {
    views: &[
        (0, SERVERS),
        (2, SERVERS),
        (4, SERVERS),
        (6, SERVERS),
        (7, SERVERS),
        (8, SERVERS),
        (9, SERVERS),
    ],
    ..KEYED_PART
};

static SKILLS: Part = Part {
    scenes: &[(0, scenes::SKILLS)],
    ..KEYED_PART
};

static SUB_AGENTS: Part = Part {
    scenes: &[(0, scenes::SUB_AGENTS)],
    part: &["#1*.body.agents[*"],
    ..KEYED_PART
};

/// The recorder left the descriptions out.
static SCHEMAS: Part = Part {
    part: &["*.fields[*]"],
    ..KEYED_PART
};
