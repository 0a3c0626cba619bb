//! The parts of the recordings of conversations and sockets.

use crate::part::{NONE, Part};

pub(crate) fn of(recording: &str) -> Option<&'static Part> {
    Some(match recording.strip_prefix("core/")?.split('_').next()? {
        "04" => &TOOL_ERRORS,
        "07" => &MAX_ITERATIONS,
        "26" => &INITIAL_MESSAGE,
        "27" => &BY_SOCKET,
        "28" => &RESEND,
        "30" => &REST_EDGES,
        "31" => &LIVE_UPDATES,
        "32" => &MORE_EDGES,
        "34" => &CONTEXT_ERROR,
        "40" => &CONDENSE_MANUAL,
        "41" => &CONDENSE_AUTO,
        "43" => &GOAL,
        "45" => &AUTOTITLE,
        "51" => &BASH_SOCKET,
        "61" => &AUTH,
        "63" => &CAPACITY,
        "65" => &DEFERRED,
        "70" => &SESSION,
        "80" => &CLIENT,
        _ => return None,
    })
}

const ECHO_AND_OK: &str = r#"MOCK:[
    {"tools": [{"name": "terminal", "args": {"command": "echo 0", "security_risk": "LOW"}}]},
    {"tools": [{"name": "terminal", "args": {"command": "echo 1", "security_risk": "LOW"}}]},
    {"tools": [{"name": "terminal", "args": {"command": "echo 2", "security_risk": "LOW"}}]},
    {"tools": [{"name": "terminal", "args": {"command": "echo 3", "security_risk": "LOW"}}]},
    {"tools": [{"name": "terminal", "args": {"command": "echo 4", "security_risk": "LOW"}}]},
    "ok"]"#;

static TOOL_ERRORS: Part = Part {
    said: r#"MOCK:[
        {"tools": [{"name": "nosuch", "args": {"x": 1}}]},
        {"tools": [{"name": "terminal", "args": "{not json"}]},
        {"tools": [{"name": "terminal", "args": {"cmd": "x"}}]},
        {"tools": [{"name": "terminal", "args": {"command": "false", "security_risk": "LOW"}}]},
        {"tools": [{"name": "file_editor", "args": {"command": "view", "path": "/nonexistent", "security_risk": "LOW"}}]},
        {"tools": [{"name": "finish", "args": {"message": "all done"}}]}]"#,
    ..NONE
};

static MAX_ITERATIONS: Part = Part {
    said: ECHO_AND_OK,
    ..NONE
};

static INITIAL_MESSAGE: Part = Part {
    at_rest: &[1],
    ..NONE
};

static BY_SOCKET: Part = Part {
    frames: &[
        (
            2,
            r#"{"role": "user", "content": [{"type": "text", "text": "MOCK:[\"via ws\"]"}]}"#,
        ),
        (10, r#"{"type": "auth", "session_api_key": "x"}"#),
        (10, r#"{"foo": 1}"#),
        (11, "junk"),
        (
            12,
            r#"{"role": "user", "content": "MOCK:[\"string content\"]"}"#,
        ),
    ],
    ..NONE
};

static RESEND: Part = Part {
    opened: &[
        (1, "resend_mode=all"),
        (
            10,
            "resend_mode=since&after_timestamp=2026-11-15T19:09:57.418029",
        ),
    ],
    ..NONE
};

static REST_EDGES: Part = Part {
    at_rest: &[11],
    ..NONE
};

static LIVE_UPDATES: Part = Part {
    part: &["* S(agent).value"],
    ..NONE
};

static MORE_EDGES: Part = Part {
    frames: &[(
        49,
        r#"{"role": "user", "content": [{"type": "text", "text": "x"}]}"#,
    )],
    ..NONE
};

static CONTEXT_ERROR: Part = Part {
    unscripted: r#"[
        {"tools": [{"name": "terminal", "args": {"command": "echo 0", "security_risk": "LOW"}}]},
        {"tools": [{"name": "terminal", "args": {"command": "echo 1", "security_risk": "LOW"}}]},
        {"tools": [{"name": "terminal", "args": {"command": "echo 2", "security_risk": "LOW"}}]},
        {"tools": [{"name": "terminal", "args": {"command": "echo 3", "security_risk": "LOW"}}]},
        {"status": 400, "error": {"message": "This model's maximum context length is 100 tokens. However, your messages resulted in 200 tokens", "code": "context_length_exceeded"}},
        "ok after condensation"]"#,
    aside: Some("SUMMARY TEXT"),
    ..NONE
};

static CONDENSE_MANUAL: Part = Part {
    said: ECHO_AND_OK,
    aside: Some("SUMMARY TEXT"),
    ..NONE
};

static CONDENSE_AUTO: Part = Part {
    unscripted: r#"[
        {"tools": [{"name": "terminal", "args": {"command": "echo 0", "security_risk": "LOW"}}]},
        {"tools": [{"name": "terminal", "args": {"command": "echo 1", "security_risk": "LOW"}}]},
        {"tools": [{"name": "terminal", "args": {"command": "echo 2", "security_risk": "LOW"}}]},
        {"tools": [{"name": "terminal", "args": {"command": "echo 3", "security_risk": "LOW"}}]},
        {"tools": [{"name": "terminal", "args": {"command": "echo 4", "security_risk": "LOW"}}]},
        {"tools": [{"name": "terminal", "args": {"command": "echo 5", "security_risk": "LOW"}}]},
        "ok"]"#,
    aside: Some("SUMMARY TEXT"),
    ..NONE
};

static GOAL: Part = Part {
    aside: Some(r#"{"score": 0.2, "complete": false, "missing": "x"}"#),
    held: &[1],
    left_out: &[(
        6,
        "it fell into the moment before the goal's own run began; what comes of that is chance",
    )],
    ..NONE
};

static AUTOTITLE: Part = Part {
    aside: Some("My Nice Title"),
    ..NONE
};

static BASH_SOCKET: Part = Part {
    frames: &[
        (
            0,
            r#"{"command": "echo out; echo err >&2; exit 3", "cwd": "<ws>", "timeout": 5}"#,
        ),
        (2, r#"{"bogus": 1}"#),
    ],
    ..NONE
};

const KEY: &str = "X-Session-API-Key";

static AUTH: Part = Part {
    env: &[("SESSION_API_KEY", "key1"), ("OH_SECRET_KEY", "secret")],
    headers: &[
        (12, KEY, "bad"),
        (13, KEY, "key1"),
        (15, "Authorization", "Bearer key1"),
        (16, "Authorization", "Bearer key1"),
        (20, KEY, "key1"),
        (21, KEY, "key1"),
        (31, KEY, "key1"),
        (32, KEY, "key1"),
        (33, KEY, "key1"),
        (34, KEY, "key1"),
    ],
    ..NONE
};

static CAPACITY: Part = Part {
    env: &[
        ("OH_MAX_CONCURRENT_RUNS", "1"),
        (
            "OH_WEBHOOKS",
            r#"[{"base_url": "{hooks}/hook", "event_buffer_size": 3, "flush_delay": 1}]"#,
        ),
    ],
    at_rest: &[10, 11],
    ..NONE
};

static DEFERRED: Part = Part {
    env: &[("OH_DEFERRED_INIT", "1"), ("OH_SECRET_KEY", "boot")],
    headers: &[
        (4, "X-Init-API-Key", "boot"),
        (5, "X-Init-API-Key", "boot"),
        (8, KEY, "u1"),
        (9, "X-Init-API-Key", "boot"),
    ],
    ..NONE
};

static SESSION: Part = Part {
    opened: &[(1, "after_seq=-1")],
    frames: &[
        (
            10,
            r#"{"role": "user", "content": [{"type": "text", "text": "MOCK:[{\"text\": \"streamed in session, a bit longer\", \"reasoning\": \"hmm let me think\", \"chunk_delay\": 0.02}]"}]}"#,
        ),
        (23, "junk"),
        (24, r#"{"x": 1}"#),
    ],
    ..NONE
};

static CLIENT: Part = Part {
    env: &[("SESSION_API_KEY", "key1")],
    ..NONE
};
